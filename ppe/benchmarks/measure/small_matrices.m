## small_matrices.m [STEPS]
## Scripts on 4 x 4 matrices, plain Octave against p_matrix: microseconds a step, the best of
## 25 short runs that take turns (other programs of the machine disturb both alike), and how many times as
## long.

1;

## A filter: predictions, gains, corrections; nothing is forced before the end.
function filter_steps (wrap, steps)
  A = wrap ([1 .1 0 0; 0 1 0 0; 0 0 1 .1; 0 0 0 1]);
  Q = wrap (0.01 * eye (4));
  H = wrap (eye (4));
  x = wrap ([0; 1; 0; 1]);
  C = wrap (eye (4));
  for i = 1:steps
    x = A * x;
    C = A * C * A + Q;
    K = C ./ (C + 1);
    x = x + K * (H * x - 0.5);
    C = C - K * H * C;
  endfor
  double (x);
endfunction

## Turns and scales.
function turn_steps (wrap, steps)
  R = wrap ([0 -1 0 0; 1 0 0 0; 0 0 1 0; 0 0 0 1]);
  v = wrap ([1; 2; 3; 4]);
  M = wrap (magic (4));
  for i = 1:steps
    M = (M * R + M .* 0.5) ./ 2;
    v = abs (R * v) - 1;
  endfor
  double (v);
  double (M);
endfunction

## One element is looked at in every step.
function forced_steps (wrap, steps)
  R = wrap ([0 -1 0 0; 1 0 0 0; 0 0 1 0; 0 0 0 1]);
  v = wrap ([1; 2; 3; 4]);
  total = 0;
  for i = 1:steps
    v = abs (R * v) - 1;
    total = total + v(1);
  endfor
endfunction

## Scalars as in a loop over time.
function scalar_steps (wrap, steps)
  x = wrap (1);
  y = wrap (0);
  for i = 1:steps
    dx = y * 0.01;
    y = y - x * 0.01;
    x = x + dx;
  endfor
  double (x);
endfunction

function seconds = time (f, wrap, steps)
  start = tic ();
  f (wrap, steps);
  seconds = toc (start);
endfunction

steps = 4000;
args = argv ();
if (! isempty (args))
  steps = str2double (args{1});
endif
printf ("%-24s %8s %8s %7s\n", "us per step", "octave", "p_matrix", "times");
for f = {@filter_steps, @turn_steps, @forced_steps, @scalar_steps}
  plain = lazy = Inf;
  for run = 1:25
    plain = min (plain, time (f{1}, @(x) x, steps) / steps * 1e6);
    lazy = min (lazy, time (f{1}, @p_matrix, steps) / steps * 1e6);
  endfor
  printf ("%-24s %8.2f %8.2f %7.2f\n", func2str (f{1}), plain, lazy, lazy / plain);
endfor
