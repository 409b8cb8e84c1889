## program = gram_schmidt (n)
## The modified Gram-Schmidt process on at most 40 columns of length n, in place.
function program = gram_schmidt (n)
  many = min (n, 40);
  program.inputs = {fixed_random(n, many, 631) + 2 * eye(n, many)};
  program.run = @orthogonal;
endfunction

function [Q, R] = orthogonal (Q)
  R = zeros (columns (Q));
  for j = 1:columns (Q)
    for i = 1:j-1
      R(i,j) = Q(:,i)' * Q(:,j);
      Q(:,j) = Q(:,j) - R(i,j) * Q(:,i);
    endfor
    R(j,j) = norm (Q(:,j));
    Q(:,j) = Q(:,j) / R(j,j);
  endfor
endfunction
