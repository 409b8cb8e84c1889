## program = game_of_life (n)
## Ten generations of Conway's Game of Life on a torus of n x n cells, and how many live in each.
function program = game_of_life (n)
  program.inputs = {fixed_random(n, n, 701) < 0.35};
  program.run = @live;
endfunction

function [cells, alive] = live (cells)
  n = rows (cells);
  up = [n, 1:n-1];
  down = [2:n, 1];
  alive = zeros (1, 10);
  for generation = 1:10
    beside = cells(up,:) + cells(down,:);
    three = beside + cells;
    neighbours = three(:,up) + three(:,down) + beside;
    cells = neighbours == 3 | (cells & neighbours == 2);
    alive(generation) = sum (cells(:));
    if (alive(generation) == 0)
      break;
    endif
  endfor
endfunction
