## hubs.m [STATUS-FILE]
## The hubs and authorities among the packages installed on this machine, by Kleinberg's HITS: a good
## authority is needed by many good hubs, a good hub needs many good authorities.
##
## The graph is read from the dpkg status file, or, on a machine without dpkg, from an excerpt that comes with
## this example. The scores are computed twice, with p_matrix and in plain Octave, and compared.

1;

## Scores by power iteration.  wrap is @p_matrix or the identity; nothing else tells the two apart.
function [hub, authority] = scores (links, wrap)
  n = rows (links);
  needs = wrap (links);
  needed_by = wrap (links');
  add_up = wrap (ones (1, n));
  hub = wrap (ones (n, 1));
  for step = 1:100
    authority = needed_by * hub;
    authority = authority ./ (add_up * authority);
    hub = needs * authority;
    hub = hub ./ (add_up * hub);
  endfor
  hub = full (hub);
  authority = full (authority);
endfunction

function print_strongest (title, score, names)
  [score, order] = sort (score, "descend");
  printf ("\n%s\n", title);
  for i = 1:min (10, numel (names))
    printf ("  %2d  %.6f  %s\n", i, score(i), names{order(i)});
  endfor
endfunction

function file = default_status_file ()
  file = "/var/lib/dpkg/status";
  if (! exist (file, "file"))
    file = fullfile (fileparts (mfilename ("fullpath")), "data", "packages.status");
  endif
endfunction

addpath (fullfile (fileparts (mfilename ("fullpath")), "data"));
args = argv ();
if (isempty (args))
  file = default_status_file ();
else
  file = args{1};
endif

[names, links] = read_packages (file);
printf ("%s: %d installed packages, %d dependencies\n", file, numel (names), nnz (links));

[plain_hub, plain_authority] = scores (links, @(x) x);
before = p_profile ();
[hub, authority] = scores (links, @p_matrix);
after = p_profile ();

print_strongest ("Strongest hubs (packages that need many important ones)", hub, names);
print_strongest ("Strongest authorities (packages that important ones need)", authority, names);

difference = max ([max(abs (hub - plain_hub)), max(abs (authority - plain_authority))]);
printf ("\n%d operations recorded; largest difference from plain Octave: %.2g\n", ...
        after.operations_recorded - before.operations_recorded, difference);
if (! (difference < 1e-12))
  error ("p_matrix and plain Octave do not agree");
endif
disp ("p_matrix and plain Octave agree");
