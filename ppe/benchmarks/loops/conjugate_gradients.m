## program = conjugate_gradients (n)
## A symmetric positive definite system of n equations by conjugate gradients, until the residual is small.
function program = conjugate_gradients (n)
  R = fixed_random (n, n, 611);
  A = R + R' + n * diag (linspace (1, 10, n));
  program.inputs = {A, fixed_random(n, 1, 612)};
  program.run = @solve;
endfunction

function [x, residual] = solve (A, b)
  x = zeros (size (b));
  r = b;
  p = r;
  square = r' * r;
  first = sqrt (square);
  for step = 1:40
    q = A * p;
    alpha = square / (p' * q);
    x = x + alpha * p;
    r = r - alpha * q;
    next = r' * r;
    residual = sqrt (next);
    if (residual < 1e-10 * first)
      break;
    endif
    p = r + (next / square) * p;
    square = next;
  endfor
  residual = norm (b - A * x) < 1e-8 * first;
endfunction
