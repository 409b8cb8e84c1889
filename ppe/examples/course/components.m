## components (wrap)
## Principal component analysis of measurements that lie near a plane: covariance, eigenvectors, projection,
## reconstruction, and the largest component once more by the power method.  wrap is @p_matrix, or @(x) x for
## plain Octave.
function components (wrap = @p_matrix)
  ## 300 measurements of 6 quantities that depend on two hidden ones.
  n = 300;
  k = (1:n)';
  hidden = [3 * sin(k * 0.7), cos(k * 1.3)];
  mixing = [1 0.5 -0.3 2 0 0.7; 0.2 -1 0.8 0.1 1.5 -0.4];
  small = 0.05 * sin (k * (11:16));
  X = wrap (hidden * mixing + small + (1:6));

  mu = mean (X);
  centred = X - mu;
  C = centred' * centred / (n - 1);
  fprintf ("means %.4f\n", mu);
  fprintf ("total variance %.4f\n", trace (C));

  [V, D] = eig ((C + C') / 2);
  [variances, order] = sort (diag (D), "descend");
  V = V(:, order);
  ## The sign of an eigenvector is free: make its largest element positive.
  for j = 1:columns (V)
    [~, at] = max (abs (V(:, j)));
    if (V(at, j) < 0)
      V(:, j) = -V(:, j);
    endif
  endfor

  share = variances / sum (variances);
  fprintf ("component %d: variance %8.4f, share %.4f\n", [1:6; variances'; share']);
  needed = find (cumsum (share) > 0.99, 1);
  fprintf ("components for 99 %% of the variance: %d\n", needed);

  scores = centred * V(:, 1:needed);
  fprintf ("first scores");
  fprintf (" %.4f", scores(1:3, :)');
  fprintf ("\n");
  back = scores * V(:, 1:needed)' + mu;
  residual = X - back;
  fprintf ("largest error of the reconstruction: %.4f\n", max (abs (residual(:))));
  fprintf ("root mean square error: %.5f\n", sqrt (mean (residual(:) .^ 2)));

  ## Scores do not correlate.
  correlation = scores' * scores / (n - 1);
  fprintf ("largest correlation of two scores: %.6f\n", max (abs (correlation - diag (diag (correlation)))(:)));

  ## The first component by repeated multiplication.
  v = wrap (ones (6, 1));
  for step = 1:60
    v = C * v;
    v = v / norm (v);
  endfor
  fprintf ("power method: variance %.4f, angle to the eigenvector %.6f\n", v' * C * v, acos (min (1, abs (v' * V(:, 1)))));

  ## How much the rows of the data say, by the singular values.
  s = svd (centred);
  fprintf ("singular values %.4f\n", s);
endfunction

## Run as a script, it prints what it computes.
components ();
