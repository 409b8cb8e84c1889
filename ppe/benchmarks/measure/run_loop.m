## [outputs, seconds] = run_loop (program, wrap, repeats)
## Runs a program of the folder loops so many times, with its inputs wrapped, and gives the outputs of the
## last run as Octave's own matrices, and the seconds of one run.
function [outputs, seconds] = run_loop (program, wrap, repeats)
  outputs = cell (1, nargout (program.run));
  start = tic ();
  for k = 1:repeats
    inputs = cellfun (wrap, program.inputs, "UniformOutput", false);
    [outputs{:}] = program.run (inputs{:});
    outputs = cellfun (@full, outputs, "UniformOutput", false);
  endfor
  seconds = toc (start) / repeats;
endfunction

## Each program gives the same with p_matrix as without.
%!test
%! for name = loop_names ()
%!   for n = [4, 12, 40]
%!     program = feval (name{1}, n);
%!     plain = run_loop (program, @(x) x, 1);
%!     lazy = run_loop (program, @p_matrix, 1);
%!     assert (loop_difference (plain, lazy) < 1e-9, true, sprintf ("%s, n = %d", name{1}, n));
%!   endfor
%! endfor
