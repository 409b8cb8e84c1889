## program = power_iteration (n)
## The largest eigenvalue of a symmetric n x n matrix by power iteration; the convergence test needs a number
## at each step.
function program = power_iteration (n)
  A = fixed_random (n, n, 601);
  program.inputs = {A + A', ones(n, 1)};
  program.run = @iterate;
endfunction

function [x, value] = iterate (A, x)
  value = 0;
  for step = 1:20
    y = A * x;
    before = value;
    value = norm (y);
    x = y / value;
    if (abs (value - before) < eps * value)
      break;
    endif
  endfor
endfunction
