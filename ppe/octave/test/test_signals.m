## A process that is told to end does so at once, however much is pending; what has been computed is saved as Octave does it.

## Runs a program that has work for hours pending, in a folder of its own; gives the names of the variables that Octave saved.
%!function [status, output, saved] = ended (last_lines)
%!  folder = tempname ();
%!  mkdir (folder);
%!  remove = onCleanup (@() system (["rm -r " folder]));
%!  code = [sprintf("cd (\"%s\");\n", folder) ...
%!          "p_config (\"max_bytes\", 1e15, \"max_depth\", 1e6, \"max_operations\", 1e6);\n" ...
%!          "A = p_matrix (rand (2000)); pending = A;\n" ...
%!          "for k = 1:4000, pending = pending * A; end\n" ...
%!          "computed = A(1:20,1:20) + 1; computed(1); plain = magic (4);\n" last_lines];
%!  [status, output] = run_octave (code, "", 100);
%!  saved = {};
%!  file = fullfile (folder, "octave-workspace");
%!  if (exist (file, "file"))
%!    saved = fieldnames (load (file));
%!  endif
%!endfunction

## Signals that come during a force, and before one.
%!test
%! for signal = {"TERM", "HUP"}
%!   kill_soon = sprintf ("system (sprintf (\"(sleep 1; kill -%s %%d) > /dev/null 2>&1 &\", getpid ()));\n", signal{1});
%!   [status, output, saved] = ended ([kill_soon "full (pending)(1); disp (\"not reached\");"]);
%!   assert (status == 1, output);
%!   assert (isempty (strfind (output, "not reached")), true);
%!   if (strcmp (signal{1}, "TERM"))
%!     assert (all (ismember ({"A", "plain"}, saved)), output);
%!   endif
%!   assert (any (strcmp (saved, "pending")), false);
%! endfor
%!test
%! [status, output, saved] = ended ("kill (getpid (), 15); for k = 1:1e9, end; disp (\"not reached\");");
%! assert (status == 1, output);
%! assert (all (ismember ({"A", "plain"}, saved)), output);
%! assert (any (strcmp (saved, "pending")), false);
