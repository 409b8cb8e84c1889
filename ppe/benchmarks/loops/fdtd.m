## program = fdtd (n)
## Finite differences in the time domain: ten steps of an electric and a magnetic field on an n x n grid, with
## a source.
function program = fdtd (n)
  program.inputs = {zeros(n, n), zeros(n, n - 1), zeros(n - 1, n)};
  program.run = @propagate;
endfunction

function [E, X, Y, energy] = propagate (E, X, Y)
  n = rows (E);
  middle = ceil (n / 2);
  energy = zeros (1, 10);
  for step = 1:10
    X = X - 0.5 * (E(:,2:n) - E(:,1:n-1));
    Y = Y + 0.5 * (E(2:n,:) - E(1:n-1,:));
    E(2:n-1,2:n-1) = E(2:n-1,2:n-1) + 0.5 * (Y(2:n-1,2:n-1) - Y(1:n-2,2:n-1) - X(2:n-1,2:n-1) + X(2:n-1,1:n-2));
    E(middle,middle) = E(middle,middle) + sin (0.3 * step);
    energy(step) = sum (sum (E .^ 2));
  endfor
endfunction
