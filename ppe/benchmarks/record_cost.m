## record_cost.m [COUNT]
## What recording one operation from Octave costs, in microseconds, beside the same loop in plain Octave on 4 x 4 matrices.
## The time to run an empty loop is taken off.  Operations are recorded and dropped, so none is executed.

1;

function microseconds = per_step (f, count)
  f (count / 10);
  start = tic ();
  for i = 1:count
  endfor
  empty = toc (start);
  start = tic ();
  f (count);
  microseconds = (toc (start) - empty) / count * 1e6;
endfunction

function add (a, b, count)
  for i = 1:count
    c = a + b;
  endfor
endfunction

function multiply (a, b, count)
  for i = 1:count
    c = a * b;
  endfor
endfunction

function negate (a, ~, count)
  for i = 1:count
    c = -a;
  endfor
endfunction

function sine (a, ~, count)
  for i = 1:count
    c = sin (a);
  endfor
endfunction

function modulo (a, b, count)
  for i = 1:count
    c = mod (a, b);
  endfor
endfunction

function less (a, b, count)
  for i = 1:count
    c = a < b;
  endfor
endfunction

function root (a, ~, count)
  for i = 1:count
    c = sqrt (a);
  endfor
endfunction

function largest (a, b, count)
  for i = 1:count
    c = max (a, b);
  endfor
endfunction

function chain (a, b, count)
  c = a;
  for i = 1:count
    c = c + b;
  endfor
endfunction

function compare (title, f, a, b, wrapped_b, count)
  plain = per_step (@(n) f (a, b, n), count);
  lazy = per_step (@(n) f (p_matrix (a), wrapped_b, n), count);
  printf ("%-24s %8.2f %8.2f %7.2f\n", title, plain, lazy, lazy / plain);
endfunction

count = 200000;
args = argv ();
if (! isempty (args))
  count = str2double (args{1});
endif
m = magic (4);
p = p_matrix (m);
printf ("%-24s %8s %8s %7s\n", "us per operation", "octave", "p_matrix", "times");
compare ("p + q", @add, m, m, p, count);
compare ("p + 5", @add, m, 5, 5, count);
compare ("p + matrix", @add, m, m, m, count);
compare ("p * q", @multiply, m, m, p, count);
compare ("-p", @negate, m, m, p, count);
compare ("sin (p)", @sine, m, m, p, count);
compare ("p < q", @less, m, m, p, count);
compare ("sqrt (p)", @root, m, m, p, count);
compare ("max (p, q)", @largest, m, m, p, count);
compare ("mod (p, 3)", @modulo, m, 3, 3, count);
compare ("chain p = p + 1", @chain, m, 1, 1, count);
