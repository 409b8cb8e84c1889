## assignment_cost.m [COUNT]
## What assignment to a part of a matrix costs, and reading a part, in microseconds a statement, in plain
## Octave and with p_matrix in the same run, on 8 x 8 and on 500 x 500 matrices whose elements are there; the
## best of several runs, which take turns.  The time of an empty loop is taken off.

1;

function list = statements ()
  list = {"x(3) = 1", "x(2,3) = 1", "x(2,3) = p", "x(:,2) = 1", "x(:,2) = c", "x(:,2) = pc", "x(2,:) = r", "x(2:5,3) = 0", "x(2:5,3) = k", ...
          "x(2:3,2:3) = b", "x(list) = 1", "x(mask) = 0.5", "x(pmask) = 0.5", "x(:) = 1", "x(3) += 1", "x(2,3) *= 1.5", "x(:,2) += c", "x(:,2) *= p", ...
          "y = x(3)", "y = x(2,3)", "y = x(:,2)", "y = x(2,:)", "y = x(2:5,3)", "y = x(2:3,2:3)", "y = x(list)", "y = x(mask)", ...
          "y = wrap (x)", "y = wrap (m)", "y = wrap (1)", "y = p * 2", "y = single (p)", "y = double (p)", "y = double (x)"};
endfunction

## A function of its own for each, since Octave takes names in scripts otherwise than in functions.
function name = timed (index, kind, statement)
  name = sprintf ("timed_%s_%d", kind, index);
  ## wrap (m) is a call of p_matrix, or no call at all.
  if (strcmp (kind, "lazy"))
    statement = strrep (statement, "wrap", "p_matrix");
  else
    statement = strrep (statement, "wrap", "");
  endif
  eval (sprintf (["function %s (m, wrap, count)\n" ...
                  "  x = wrap (m); x(1) = 0; n = rows (m); c = ones (n, 1); pc = wrap (c); r = ones (1, n); k = ones (4, 1); b = ones (2);\n" ...
                  "  p = wrap (2); list = [1 5 9 20 33]; mask = m > 0.9; pmask = wrap (mask);\n" ...
                  "  for i = 1:count\n    %s;\n  endfor\nendfunction"], name, statement));
endfunction

function seconds = time (name, m, wrap, count)
  start = tic ();
  feval (name, m, wrap, count);
  seconds = toc (start);
endfunction

count = 2000;
args = argv ();
if (! isempty (args))
  count = str2double (args{1});
endif
printf ("%-20s %8s %8s %6s %13s %8s %6s\n", "us per statement", "8 x 8", "p_matrix", "more", "500 x 500", "p_matrix", "more");
list = statements ();
sides = [8, 500];
matrices = arrayfun (@(side) reshape (mod (1:side^2, 97) / 97, side, side), sides, "UniformOutput", false);
empty = {timed(0, "plain", ""), timed(0, "lazy", "")};
for i = 1:numel (list)
  names = {timed(i, "plain", list{i}), timed(i, "lazy", list{i})};
  printf ("%-20s", list{i});
  for m = matrices
    turns = count;
    if (rows (m{1}) > 8 && any (regexp (list{i}, 'mask|\(:\)|double \(x')))
      turns = ceil (count / 50);
    endif
    best = Inf (2);
    for run = 1:7
      best(1,1) = min (best(1,1), time (names{1}, m{1}, @(x) x, turns));
      best(2,1) = min (best(2,1), time (names{2}, m{1}, @p_matrix, turns));
      best(1,2) = min (best(1,2), time (empty{1}, m{1}, @(x) x, turns));
      best(2,2) = min (best(2,2), time (empty{2}, m{1}, @p_matrix, turns));
    endfor
    each = (best(:,1) - best(:,2)) / turns * 1e6;
    printf ("      %8.2f %8.2f %6.2f", each, each(2) - each(1));
  endfor
  printf ("\n");
  fflush (stdout);
endfor
