## program = column_scaling (n)
## Divides columns of an n x n matrix by their largest element, at most 200 columns.
function program = column_scaling (n)
  program.inputs = {fixed_random(n, n, 651) - 0.3};
  program.run = @scale;
endfunction

function [X, largest] = scale (X)
  largest = zeros (1, columns (X));
  for j = 1:min (columns (X), 200)
    largest(j) = max (abs (X(:,j)));
    if (largest(j) > 0)
      X(:,j) = X(:,j) / largest(j);
    endif
  endfor
endfunction
