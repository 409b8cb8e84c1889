## program = gauss_rows (n)
## Gaussian elimination of n equations row by row; at most 4,000 rows are changed, so that large systems are
## begun only.
function program = gauss_rows (n)
  program.inputs = {fixed_random(n, n, 641) + n * eye(n), fixed_random(n, 1, 642)};
  program.run = @eliminate;
endfunction

function [A, b] = eliminate (A, b)
  n = rows (A);
  for k = 1:min (n - 1, ceil (4000 / n))
    for i = k+1:n
      factor = A(i,k) / A(k,k);
      A(i,:) = A(i,:) - factor * A(k,:);
      b(i) = b(i) - factor * b(k);
    endfor
  endfor
endfunction
