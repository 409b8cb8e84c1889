## compared = test_chains (seed, steps)
## A random program on a few variables, run twice: on plain matrices and on p_matrix.  It records operations,
## copies variables, changes elements of a matrix that pending operations still read, clears variables, and
## now and then compares one, which forces it.  All numbers are small and whole, so every comparison is exact.
function compared = test_chains (seed, steps)
  state = rand ("twister");
  restore = onCleanup (@() rand ("twister", state));
  rand ("twister", seed);
  n = pick ([2, 5, 69, 97]);

  plain = cell (1, 5);
  for i = 1:numel (plain)
    plain{i} = cast (floor (7 * rand (n)) - 3, pick ({"double", "single"}));
  endfor
  lazy = cellfun (@p_matrix, plain, "UniformOutput", false);

  compared = 0;
  for step = 1:steps
    [a, b, to] = deal (pick (1:5), pick (1:5), pick (1:5));
    switch (pick (1:8))
      case 1
        lazy{to} = lazy{a};
        plain{to} = plain{a};
      case 2
        k = pick (1:n*n);
        value = pick (-3:3);
        lazy{to}(k) = value;
        plain{to}(k) = value;
      case 3
        row = pick (1:n);
        lazy{to}(row,:) = lazy{a}(:,row);
        plain{to}(row,:) = plain{a}(:,row);
      case 4
        problem = difference (plain{a}, lazy{a});
        if (! isempty (problem))
          error ("seed %d, step %d, variable %d: %s", seed, step, a, problem);
        endif
        compared += 1;
      otherwise
        f = pick ({@plus, @minus, @times, @mtimes, @eq, @ne, @mod, @(x, y) abs (x) - y, @(x, y) sign (x) .* y, ...
                   @(x, y) round (x / 2) + y, @(x, y) x * 3 - 2 .* y, @(x, y) -x, @(x, y) x(:,1) * y(1,:), ...
                   @(x, y) x - y(2,:), @(x, y) (x == y) + x, @(x, y) x .^ 2 - y});
        small = @(x) mod (x, 5) - 2;
        ## A comparison gives a logical matrix; its product with 1 has numbers again.
        result = @(x, y) small (1 * f (x, y));
        lazy{to} = result (lazy{a}, lazy{b});
        plain{to} = result (plain{a}, plain{b});
    endswitch
  endfor

  for i = 1:numel (plain)
    problem = difference (plain{i}, lazy{i});
    if (! isempty (problem))
      error ("seed %d, at the end, variable %d: %s", seed, i, problem);
    endif
    compared += 1;
  endfor
endfunction

function x = pick (list)
  x = list(1 + floor (rand () * numel (list)));
  if (iscell (x))
    x = x{1};
  endif
endfunction

%!test
%! compared = 0;
%! for seed = 1:60
%!   compared += test_chains (seed, 150);
%! endfor
%! printf ("  %d comparisons in 60 random programs of 150 steps (seeds 1 to 60)\n", compared);

%!test
%! # A complex value whose operands are shared is computed once for each operation, not once for each path to it.
%! x = p_matrix ([-8 4]) .^ p_matrix ([1/3 0.5]);
%! y = [-8 4] .^ [1/3 0.5];
%! for i = 1:40
%!   x = x + x;
%!   y = y + y;
%! endfor
%! assert (double (x), y);
