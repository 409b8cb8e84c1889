## pagerank (wrap)
## PageRank of a web of 120 pages: damped power iteration, the same by a linear system, what a page can do for
## its rank, and hubs and authorities.  wrap is @p_matrix, or @(x) x for plain Octave.
function pagerank (wrap = @p_matrix)
  ## Links by a rule: each page links to some earlier ones, to a few portals, and every seventh to none at
  ## all.
  n = 120;
  [to, from] = ndgrid (1:n, 1:n);
  links = mod (to * 7 + from * 13, 17) == 0 & to != from;
  links(1:3, :) = mod (from(1:3, :), [2; 3; 5]) == 0;
  links(:, 7:7:n) = false;
  links(logical (eye (n))) = false;
  L = wrap (double (links));
  out = sum (L);
  fprintf ("pages %d, links %d, pages without links %d\n", n, sum (out), nnz (out == 0));

  ## The matrix of a surfer, who leaves a page without links for any other.
  dead = out == 0;
  P = L ./ max (out, 1) + dead .* ones (n, 1) / n;
  fprintf ("columns add up to 1: %d\n", all (abs (sum (P) - 1) < 1e-12));

  d = 0.85;
  x = wrap (ones (n, 1) / n);
  for step = 1:200
    before = x;
    x = d * (P * x) + (1 - d) / n;
    change = norm (x - before, 1);
    if (change < 1e-10)
      break;
    endif
  endfor
  fprintf ("%d steps, sum %.6f\n", step, sum (x));
  ## Many pages have the same rank; rounding keeps them in order.
  [rank, order] = sort (round (x * 1e9), "descend");
  fprintf ("place %d: page %3d, rank %.6f\n", [1:8; order(1:8)'; rank(1:8)' / 1e9]);

  ## The same as a linear system.
  exact = (eye (n) - d * P) \ (ones (n, 1) * (1 - d) / n);
  fprintf ("largest difference from the linear system: %.9f\n", max (abs (x - exact)));

  ## How fast it converges for other damping.
  for d = [0.5 0.85 0.95]
    y = wrap (ones (n, 1) / n);
    steps = 0;
    do
      before = y;
      y = d * (P * y) + (1 - d) / n;
      steps++;
    until (max (abs (y - before)) < 1e-8 || steps == 500)
    fprintf ("damping %.2f: %d steps, best page %d\n", d, steps, find (y == max (y), 1));
  endfor

  ## A page that gets a link from the best one climbs.
  page = order(60);
  better = L;
  better(page, order(1)) = 1;
  out = sum (better);
  P = better ./ max (out, 1) + (out == 0) .* ones (n, 1) / n;
  y = wrap (ones (n, 1) / n);
  for step = 1:100
    y = 0.85 * (P * y) + 0.15 / n;
  endfor
  fprintf ("page %d climbs from place 60 to place %d\n", page, 1 + nnz (y > y(page) + 1e-9));

  ## Hubs and authorities.
  a = wrap (ones (n, 1));
  for step = 1:50
    h = L' * a;
    h = h / norm (h);
    a = L * h;
    a = a / norm (a);
  endfor
  [~, best] = sort (a, "descend");
  fprintf ("authorities: %d %d %d\n", best(1:3));
endfunction

## Run as a script, it prints what it computes.
pagerank ();
