## program = power_iteration (n)
## The largest eigenvalue of a symmetric n x n matrix by 20 steps of power iteration; the norm decides at each
## step whether the iteration goes on.  A test of convergence would end it one step sooner or later by the last
## bits of a sum, and times of different numbers of steps do not compare.
function program = power_iteration (n)
  A = fixed_random (n, n, 601);
  program.inputs = {A + A', ones(n, 1)};
  program.run = @iterate;
endfunction

function [x, value] = iterate (A, x)
  value = 0;
  for step = 1:20
    y = A * x;
    value = norm (y);
    x = y / value;
    if (! (value > 0))
      break;
    endif
  endfor
endfunction
