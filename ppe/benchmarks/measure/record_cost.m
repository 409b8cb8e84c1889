## record_cost.m [COUNT]
## What recording costs, in microseconds a call: every operator and function that is recorded, plain Octave
## beside p_matrix in the same run, on 4 x 4 and on 200 x 200 matrices; the best of several runs.  The time of
## an empty loop is taken off.  Operations are recorded and dropped, so none is executed; plain Octave
## computes.  rows (a) is what a call alone costs.

1;

function list = expressions ()
  list = {"rows (a)", "a + b", "a - 1", "a .* b", "a ./ b", "a .^ b", "a * b", "a == b", "a < 1", "(a > 1) & (b > 1)", "-a", "! (a > 1)", ...
          "a'", "a(:)", "a(2:3,:)", "[a, b]", "[a; b]", ...
          "mod (a, b)", "rem (a, 3)", "atan2 (a, b)", "hypot (a, b)", "max (a, b)", "min (a, 1)", "power (a, 2)", ...
          "max (a)", "min (a, [], 2)", "sum (a)", "sum (a, 2)", "prod (a)", "sumsq (a)", "cumsum (a)", "any (a)", "all (a)", "mean (a)", ...
          "norm (a, \"fro\")", "tril (a)", "triu (a, 1)", "diag (a)", "reshape (a, [], 2)", "repmat (a, 2, 2)", "horzcat (a, b)", "cat (1, a, b)", ...
          "dot (a, b)", "norm (a, 1)", "norm (a, Inf)"};
  for name = {"abs", "sign", "round", "floor", "ceil", "fix", "sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", ...
              "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "isnan", "isinf", "isfinite", "real", "imag", "conj"}
    list{end+1} = [name{1} " (a)"];
  endfor
endfunction

## A function of its own for each, since Octave takes names in scripts otherwise than in functions.
function name = timed (index, expression)
  name = sprintf ("timed_%d", index);
  eval (sprintf ("function %s (a, b, count)\n for i = 1:count\n c = %s;\n endfor\n endfunction", name, expression));
endfunction

function microseconds = per_call (name, a, b, count)
  best = empty = Inf;
  for run = 1:5
    start = tic ();
    feval (name, a, b, count);
    best = min (best, toc (start));
    start = tic ();
    for i = 1:count
    endfor
    empty = min (empty, toc (start));
  endfor
  microseconds = (best - empty) / count * 1e6;
endfunction

count = 4000;
args = argv ();
if (! isempty (args))
  count = str2double (args{1});
endif
printf ("%-20s %8s %8s %11s %8s\n", "us per call", "4 x 4", "p_matrix", "200 x 200", "p_matrix");
list = expressions ();
for i = 1:numel (list)
  name = timed (i, list{i});
  printf ("%-20s", list{i});
  for side = [4, 200]
    a = reshape (1:side^2, side, side) / side^2;
    ## Computing takes far longer than recording there.
    plain = per_call (name, a, a + 1, ceil (count * min (1, 10 / side)));
    lazy = per_call (name, p_matrix (a), p_matrix (a + 1), count);
    printf ("    %8.2f %8.2f", plain, lazy);
  endfor
  printf ("\n");
endfor
