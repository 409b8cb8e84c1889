## operations.m WRAP TYPE [NAME]
## Single operations at several sizes, each followed by reading an element of its result: a line "name n
## seconds" for each, the least of several runs.  WRAP is plain or p_matrix.  NAME selects the operations whose
## name contains it.  scripts/bench-operations runs both and compares.

1;

## Expressions of A (n x n), B (n x n), T (n x 16), x (n x 1), y (1 x n) and the logical P and Q (n x n), and
## the sizes.
function table = operations ()
  vectors = [100, 1000, 2000];
  sides = [4, 20, 64, 100, 200, 500, 1000, 2000];
  squares = [32, 48, 64, 96, 128, 200, 256, 384, 500, 1000, 2000, 4096];
  table = {};
  for name = {"A*x", "y*A", "A'*x", "sum(A)", "sum(A,2)", "sumsq(A)", "max(A)", "max(A,[],2)", "any(A)", "cumsum(A)", ...
              "cumsum(A,2)", "isnan(A)", "A'", "A+B", "A>B", "A>0.5", "P&Q", "!P", "P==Q", "P.*A", "P+Q", "(A>0.5)&(B<0.5)", ...
              "A(P)", "find(P)", "sum(P)", "sum(P,2)", "any(P)", "all(P,2)", "cumsum(P)", "P'", "[P;Q]"}
    table(end+1,:) = {name{1}, sides};
  endfor
  for name = {"x'*x", "x*y", "sum(x)", "norm(x)"}
    table(end+1,:) = {name{1}, vectors};
  endfor
  for name = {"A*B", "A'*B", "A*B'", "A'*A", "A*T", "T'*A", "T'*T", "T*T'"}
    table(end+1,:) = {name{1}, squares};
  endfor
endfunction

## A sample takes some milliseconds, and there are several samples, since other programs disturb them: six,
## or as many as two seconds have room for.
function seconds = least (f, operands)
  calls = 1;
  do
    calls *= 2;
    elapsed = sample (f, operands, calls);
  until (elapsed > 4e-3)
  seconds = elapsed / calls;
  for k = 1:min (6, 1 + floor (2 / elapsed))
    seconds = min (seconds, sample (f, operands, calls) / calls);
  endfor
endfunction

function elapsed = sample (f, operands, calls)
  start = tic ();
  for k = 1:calls
    result = f (operands{:});
    result(1);
  endfor
  elapsed = toc (start);
endfunction

args = argv ();
if (numel (args) < 2)
  error ("usage: operations WRAP TYPE [NAME]");
endif
wrap = @(x) x;
if (strcmp (args{1}, "p_matrix"))
  wrap = @p_matrix;
endif
rand ("twister", 1);
for row = operations ()'
  [name, sizes] = row{:};
  f = str2func (["@(A, B, T, x, y, P, Q) " name]);
  if (numel (args) > 2 && isempty (strfind (name, args{3})))
    continue;
  endif
  for n = sizes
    operands = {rand(n), rand(n), rand(n, 16), rand(n, 1), rand(1, n)};
    operands = cellfun (@(x) cast (x, args{2}), operands, "UniformOutput", false);
    operands = cellfun (wrap, [operands, {rand(n) < 0.5, rand(n) < 0.5}], "UniformOutput", false);
    printf ("%s %d %g\n", name, n, least (f, operands));
    fflush (stdout);
  endfor
endfor
