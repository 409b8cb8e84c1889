## program = lstm (n)
## Ten steps of a long short-term memory cell with about n / 4 units, whose weights are an n x n/2 matrix.
function program = lstm (n)
  units = ceil (n / 4);
  program.inputs = {(fixed_random(4 * units, 2 * units, 681) - 0.5) / sqrt(units), zeros(4 * units, 1), fixed_random(units, 10, 682), ...
                    fixed_random(units, 10, 683)};
  program.run = @forward;
endfunction

function [h, c, loss] = forward (W, b, X, targets)
  units = rows (X);
  h = c = zeros (units, 1);
  loss = 0;
  for t = 1:columns (X)
    z = W * [X(:,t); h] + b;
    i = 1 ./ (1 + exp (-z(1:units)));
    f = 1 ./ (1 + exp (-z(units+1:2*units)));
    o = 1 ./ (1 + exp (-z(2*units+1:3*units)));
    g = tanh (z(3*units+1:end));
    c = f .* c + i .* g;
    h = o .* tanh (c);
    loss = loss + norm (h - targets(:,t));
    if (! isfinite (loss))
      break;
    endif
  endfor
endfunction
