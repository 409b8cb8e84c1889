## function_speed.m [SIDE]
## Element-wise functions of a large matrix in plain Octave and with p_matrix: milliseconds until the result
## is there, and how many times as fast p_matrix is.  The best of five runs each, since others use the machine
## as well.

1;

function milliseconds = best (f)
  milliseconds = Inf;
  for run = 1:6
    start = tic ();
    f ();
    ## The first run finds cold memory.
    if (run > 1)
      milliseconds = min (milliseconds, toc (start) * 1e3);
    endif
  endfor
endfunction

function compare (text, x, y)
  f = str2func (["@(x, y) " text]);
  p = p_matrix (x);
  q = p_matrix (y);
  plain = best (@() f (x, y));
  lazy = best (@() p_wait (f (p, q)));
  printf ("%-28s %-8s %9.1f %9.1f %7.2f\n", text, class (x), plain, lazy, plain / lazy);
  fflush (stdout);
endfunction

side = 2000;
args = argv ();
if (! isempty (args))
  side = str2double (args{1});
endif
x = rand (side) * 4 + 0.1;
y = rand (side) * 4 + 0.1;
printf ("%-28s %-8s %9s %9s %7s\n", sprintf ("%d x %d", side, side), "class", "octave", "p_matrix", "times");
for text = {"exp (x)", "log (x)", "sqrt (x)", "tanh (x)", "sin (x)", "atan2 (x, y)", "floor (x)", "max (x, y)", "rem (x, y)", "x < y", ...
            "(x < y) & (y > 1)", "isnan (x)", "1 ./ (1 + exp (-x))", "exp (-(x - y) .^ 2 / 2)", "sqrt (x .* x + y .* y)"}
  compare (text{1}, x, y);
  compare (text{1}, single (x), single (y));
endfor
