## regression (wrap)
## Linear and logistic regression by gradient descent, with features brought to one scale, compared with the
## normal equation. wrap is @p_matrix, or @(x) x for plain Octave.
function regression (wrap = @p_matrix)
  ## Houses: area, rooms and age, and a price with some noise; all made by formulas, so that every run is the
  ## same.
  m = 400;
  k = (1:m)';
  area = 50 + 150 * mod (k * 0.6180339887, 1);
  rooms = 1 + floor (6 * mod (k * 0.7548776662, 1));
  age = 80 * mod (k * 0.5698402910, 1);
  noise = 4 * sin (k * 12.9898);
  price = 20 + 1.7 * area + 9 * rooms - 0.4 * age + noise;

  X = wrap ([area, rooms, age]);
  y = wrap (price);

  [X, mu, sigma] = to_one_scale (X);
  X = [ones(m, 1), X];
  fprintf ("means      %10.4f %10.4f %10.4f\n", mu);
  fprintf ("deviations %10.4f %10.4f %10.4f\n", sigma);

  ## Gradient descent.
  theta = wrap (zeros (4, 1));
  alpha = 0.1;
  history = zeros (1, 6);
  for step = 1:300
    theta = theta - alpha / m * (X' * (X * theta - y));
    if (mod (step, 50) == 0)
      history(step / 50) = cost (X, y, theta);
    endif
  endfor
  fprintf ("cost after %d steps: %.6f\n", [50:50:300; history]);
  fprintf ("theta %.5f\n", theta);

  ## The normal equation says the same.
  exact = (X' * X) \ (X' * y);
  fprintf ("largest difference from the normal equation: %.6f\n", max (abs (theta - exact)));

  ## What would these cost?
  houses = [100 3 10; 180 6 2; 60 1 70];
  scaled = [ones(3, 1), (houses - mu) ./ sigma];
  fprintf ("a house of %3d m2 with %d rooms, %2d years old: %.2f\n", [houses, scaled * theta]');

  ## Which are expensive?  Logistic regression on the same features.
  expensive = y > mean (y);
  w = wrap (zeros (4, 1));
  for step = 1:200
    h = 1 ./ (1 + exp (-(X * w)));
    w -= 0.5 / m * (X' * (h - expensive));
  endfor
  h = 1 ./ (1 + exp (-(X * w)));
  right = (h >= 0.5) == expensive;
  fprintf ("expensive: %d of %d, classified rightly: %d\n", sum (expensive), m, sum (right));
  fprintf ("weights %.4f\n", w);
endfunction

function [X, mu, sigma] = to_one_scale (X)
  mu = mean (X);
  sigma = sqrt (sum ((X - mu) .^ 2) / (rows (X) - 1));
  X = (X - mu) ./ sigma;
endfunction

function J = cost (X, y, theta)
  r = X * theta - y;
  J = sum (r .^ 2) / (2 * rows (X));
endfunction

## Run as a script, it prints what it computes.
regression ();
