## program = masks (n)
## Changes the elements of an n x n matrix that pass a test, and counts them.
function program = masks (n)
  program.inputs = {fixed_random(n, n, 661)};
  program.run = @clip;
endfunction

function [X, counts] = clip (X)
  counts = zeros (1, 5);
  for step = 1:5
    high = X > 0.9;
    counts(step) = sum (high(:));
    X(high) = X(high) / 2;
    X(X < 0.1) = 0.1;
    X = X * 1.25;
  endfor
endfunction
