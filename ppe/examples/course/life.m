## life (wrap)
## Conway's Game of Life on a torus, the neighbours counted by shifted sums.  wrap is @p_matrix, or @(x) x for
## plain Octave.
function life (wrap = @p_matrix)
  ## A glider, which after 4 n steps stands n cells further.
  n = 24;
  board = false (n);
  board(2, 3) = board(3, 4) = true;
  board(4, 2:4) = true;
  start = board;
  board = wrap (board);
  for step = 1:4 * 6
    board = next (board);
  endfor
  fprintf ("the glider has moved 6 cells: %d\n", isequal (board, circshift (start, [6 6])));
  fprintf ("cells alive: %d\n", nnz (board));

  ## Still lives and oscillators.
  block = false (8);
  block(4:5, 4:5) = true;
  fprintf ("a block stays: %d\n", isequal (next (wrap (block)), block));
  blinker = false (8);
  blinker(4, 3:5) = true;
  once = next (wrap (blinker));
  fprintf ("a blinker turns: %d, and comes back: %d\n", isequal (once, blinker'), isequal (next (once), blinker));

  ## A soup, long enough to settle somewhat.
  k = reshape (1:n*n, n, n);
  soup = wrap (mod (k * 0.6180339887 + k .^ 2 * 0.3137, 1) < 0.35);
  alive = zeros (1, 60);
  ages = wrap (zeros (n));
  for step = 1:60
    alive(step) = sum (soup(:));
    soup = next (soup);
    ages = (ages + 1) .* soup;
  endfor
  fprintf ("alive at steps 1, 20, 40, 60: %d %d %d %d\n", alive([1 20 40 60]));
  fprintf ("oldest cell: %d, cells older than 10: %d\n", max (ages(:)), nnz (ages > 10));
  fprintf ("rows without life: %d\n", sum (! any (soup, 2)));

  ## Picture of the first rows.
  for r = 1:6
    line = repmat (".", 1, n);
    line(logical (soup(r, :))) = "#";
    disp (line);
  endfor

  ## The neighbours as a convolution give the same.
  padded = [soup(end, [end, 1:end, 1]); soup(:, [end, 1:end, 1]); soup(1, [end, 1:end, 1])];
  kernel = [1 1 1; 1 0 1; 1 1 1];
  by_convolution = conv2 (double (padded), kernel, "valid");
  fprintf ("convolution agrees: %d\n", isequal (by_convolution, neighbours (soup)));
endfunction

function count = neighbours (board)
  n = rows (board);
  up = [2:n, 1];
  down = [n, 1:n-1];
  side = board + board(:, up) + board(:, down);
  count = side + side(up, :) + side(down, :) - board;
endfunction

function board = next (board)
  count = neighbours (board);
  board = (count == 3) | (board & count == 2);
endfunction

## Run as a script, it prints what it computes.
life ();
