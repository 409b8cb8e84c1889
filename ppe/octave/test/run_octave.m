## [status, output] = run_octave (code, environment, limit)
## Runs code in an Octave process of its own that has the package loaded.  environment is text such as
## "PMATRIX_MEUS=2"; a process that has not ended after limit seconds is killed and has status 124.
function [status, output] = run_octave (code, environment = "", limit = 120)
  script = [tempname(), ".m"];
  file = fopen (script, "w");
  fputs (file, code);
  fclose (file);
  remove = onCleanup (@() delete (script));
  [status, output] = system (sprintf ("env %s timeout -k 1 %d octave-cli --no-init-file --no-history %s 2>&1", environment, limit, ...
                                      script));
  ## Octave 7 says this at the end of every script that runs without a terminal.
  output = strrep (output, "error: ignoring const execution_exception& while preparing to exit\n", "");
endfunction

%!test
%! [status, output] = run_octave ("disp (full (p_matrix (2) + 3))");
%! assert (status, 0);
%! assert (output, "5\n");
