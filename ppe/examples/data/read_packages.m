## [names, links] = read_packages (file)
## The installed packages in a dpkg status file and their dependencies: links(i,j) is 1 when names{i} depends
## on names{j}. Of alternatives (a | b) all that are installed count; a name that a package provides stands
## for that package.
function [names, links] = read_packages (file)
  [text, message] = read_text (file);
  if (! isempty (message))
    error ("pmatrix:file", "read_packages: %s: %s", file, message);
  endif

  ## Lines that start with a blank continue the line before.
  text = strrep (text, "\r", "");
  text = regexprep (text, '\n[ \t]+(?=\S)', " ");
  records = regexp (text, '\n[ \t]*\n', "split");

  names = needs = provides = {};
  for record = records
    fields = regexp (record{1}, '^(Package|Status|Depends|Pre-Depends|Provides):[ \t]*(.*?)[ \t]*$', "tokens", "lineanchors", ...
                     "dotexceptnewline");
    r = struct ("Package", "", "Status", "", "Depends", "", "Pre_Depends", "", "Provides", "");
    for field = fields
      r.(strrep (field{1}{1}, "-", "_")) = field{1}{2};
    endfor
    ## The third word of the status is the state.
    if (! isempty (r.Package) && ! isempty (regexp (r.Status, '^\S+\s+\S+\s+installed$', "once")))
      names{end+1} = r.Package;
      needs{end+1} = package_names ([r.Depends ", " r.Pre_Depends]);
      provides{end+1} = package_names (r.Provides);
    endif
  endfor
  if (isempty (names))
    error ("pmatrix:file", "read_packages: %s: no installed package found", file);
  endif

  ## The same name for two architectures is one package.
  [names, ~, package] = unique (names);
  n = numel (names);
  [from, needed] = flatten (needs, package);
  [provider, provided] = flatten (provides, package);

  links = zeros (n);
  [known, to] = ismember (needed, names);
  links(sub2ind ([n, n], from(known), to(known))) = 1;
  for k = 1:numel (provided)
    links(from(strcmp (needed, provided{k})), provider(k)) = 1;
  endfor
  links(1:n+1:end) = 0;
endfunction

function [text, message] = read_text (file)
  text = "";
  [id, message] = fopen (file, "r");
  if (id >= 0)
    text = fread (id, Inf, "char=>char").';
    fclose (id);
    message = "";
  endif
endfunction

## The names in a relation such as "libc6 (>= 2.36), awk:any | mawk [amd64]".
function found = package_names (relation)
  found = strtrim (regexp (regexprep (relation, '\([^)]*\)|\[[^\]]*\]|<[^>]*>|:[a-z0-9-]+', ""), '[,|]', "split"));
  found = found(! cellfun (@isempty, found));
endfunction

## Lists of names, one for each package, as two columns: package number and name.
function [owner, flat] = flatten (lists, package)
  flat = [lists{:}];
  counts = cellfun (@numel, lists);
  owner = repelems (package(:).', [1:numel(counts); counts]);
endfunction

%!function file = written (text)
%!  file = tempname ();
%!  id = fopen (file, "w");
%!  fputs (id, text);
%!  fclose (id);
%!endfunction

%!test
%! file = written (["Package: a\nStatus: install ok installed\nDepends: b (>= 1), c:any | d [amd64],\n e\n\n" ...
%!                  "Package: b\nStatus: install ok installed\nPre-Depends: v\nDescription: text\n with Depends: d\n .\n more\n\n\n" ...
%!                  "Package: d\nStatus: hold ok installed\nProvides: v (= 2), w\n\n" ...
%!                  "Package: e\nStatus: deinstall ok config-files\nDepends: a\n\n" ...
%!                  "Package: c\r\nStatus: install ok installed\r\nDepends: c\r\n"]);
%! [names, links] = read_packages (file);
%! delete (file);
%! assert (names, {"a", "b", "c", "d"});
%! assert (links, [0 1 1 1; 0 0 0 1; 0 0 0 0; 0 0 0 0]);

%!error <No such file> read_packages ("/nonexistent/status")
%!test
%! file = written ("nothing of interest\n");
%! fail (sprintf ("read_packages (\"%s\")", file), "no installed package found");
%! delete (file);

## The excerpt that comes with the example.
%!test
%! [names, links] = read_packages (fullfile (fileparts (which ("read_packages")), "packages.status"));
%! assert (numel (names) > 50);
%! assert (any (strcmp (names, "libc6")));
%! assert (nnz (links) > 100);
