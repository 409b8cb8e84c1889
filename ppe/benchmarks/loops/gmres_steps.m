## program = gmres_steps (n)
## A system of n equations by at most 20 steps of GMRES: each new direction is made orthogonal to all before
## it, and a small least squares problem gives the residual.
function program = gmres_steps (n)
  A = fixed_random (n, n, 621) + n * eye (n);
  program.inputs = {A, fixed_random(n, 1, 622)};
  program.run = @solve;
endfunction

function [x, residual] = solve (A, b)
  most = min (rows (A), 20);
  V = zeros (rows (A), most + 1);
  H = zeros (most + 1, most);
  beta = norm (b);
  V(:,1) = b / beta;
  for j = 1:most
    w = A * V(:,j);
    for i = 1:j
      H(i,j) = V(:,i)' * w;
      w = w - H(i,j) * V(:,i);
    endfor
    H(j+1,j) = norm (w);
    e = [beta; zeros(j, 1)];
    y = H(1:j+1,1:j) \ e;
    residual = norm (e - H(1:j+1,1:j) * y);
    if (residual < 1e-10 * beta)
      break;
    endif
    V(:,j+1) = w / H(j+1,j);
  endfor
  x = V(:,1:j) * y;
  residual = norm (b - A * x) < 1e-8 * beta;
endfunction
