## heat (wrap)
## The heat equation on a plate, step by step by slices, and along a rod by matrices: explicit, implicit and
## by the exponential. wrap is @p_matrix, or @(x) x for plain Octave.
function heat (wrap = @p_matrix)
  ## A square plate with a hot left edge and a cold rest.
  n = 41;
  u = zeros (n);
  u(:, 1) = 100;
  u(15:25, 15:25) = 50;
  u = wrap (u);
  r = 0.2;
  for step = 1:400
    inner = u(2:end-1, 2:end-1);
    around = u(1:end-2, 2:end-1) + u(3:end, 2:end-1) + u(2:end-1, 1:end-2) + u(2:end-1, 3:end);
    u(2:end-1, 2:end-1) = inner + r * (around - 4 * inner);
    if (any (step == [1 10 100 400]))
      fprintf ("step %3d: mean %8.4f, centre %8.4f, warm cells %4d\n", step, mean (u(:)), u(21, 21), nnz (u > 10));
    endif
  endfor
  row = u(21, 1:8:end);
  fprintf ("across the middle:");
  fprintf (" %.3f", row);
  fprintf ("\n");
  flow = sum (u(:, 1) - u(:, 2));
  fprintf ("heat that enters: %.4f\n", flow);

  ## A rod with both ends at 0: the exact solution of the first mode is known.
  m = 30;
  h = 1 / (m + 1);
  x = (1:m)' * h;
  A = wrap ((diag (-2 * ones (m, 1)) + diag (ones (m - 1, 1), 1) + diag (ones (m - 1, 1), -1)) / h^2);
  v0 = wrap (sin (pi * x));
  T = 0.05;
  exact = exp (-pi^2 * T) * sin (pi * x);

  steps = 200;
  dt = T / steps;
  v = v0;
  for step = 1:steps
    v += dt * (A * v);
  endfor
  fprintf ("explicit:    error %.6f\n", max (abs (v - exact)));

  B = eye (m) - dt * A;
  v = v0;
  for step = 1:steps
    v = B \ v;
  endfor
  fprintf ("implicit:    error %.6f\n", max (abs (v - exact)));

  v = expm (T * A) * v0;
  fprintf ("exponential: error %.6f\n", max (abs (v - exact)));

  ## Stability: the same explicit steps, too long.
  v = v0 + 1e-3 * mod ((1:m)', 2);
  for step = 1:25
    v = v + 4 * dt * (A * v);
  endfor
  if (max (abs (v)) > 2)
    disp ("too long a step: unstable");
  else
    disp ("stable");
  endif
endfunction

## Run as a script, it prints what it computes.
heat ();
