## program = hits (size, type)
## Link analysis of a web of n pages: the authority matrix A'*A is raised to its 50th power, whose columns all
## point to the authority scores.
function program = hits (size, type)
  n = pick_size (size, 1440, 392);

  ## Page 1 is the most popular; each page links to about 12 others.
  popularity = 1 ./ (1:n);
  chance = min (0.9, 6 / n * (1 + popularity / mean (popularity)));
  links = double (fixed_random (n, n, 401) < chance);
  authority = links' * links;

  program.inputs.steps = 49;
  program.inputs.matrix = cast (authority / largest_eigenvalue (authority), type);
  program.run = @raise;
  program.check = @check;
endfunction

function outputs = raise (inputs, wrap)
  matrix = wrap (inputs.matrix);
  power = matrix;
  for step = 1:inputs.steps
    power = power * matrix;
  endfor
  outputs.power = full (power);
endfunction

## Row sums of the power are the vector iteration from ones.
function [deviation, limit] = check (inputs, outputs)
  x = ones (rows (inputs.matrix), 1);
  for step = 0:inputs.steps
    x = double (inputs.matrix) * x;
  endfor
  deviation = relative_error (sum (double (outputs.power), 2), x);
  limit = limit_for (inputs.matrix, 1e-4, 1e-12);
endfunction

## Scaling by it keeps the powers from overflowing and from vanishing.
function lambda = largest_eigenvalue (matrix)
  x = ones (rows (matrix), 1);
  for step = 1:30
    x = matrix * x;
    lambda = norm (x);
    x /= lambda;
  endfor
endfunction
