## program = leontief (size, type)
## Leontief's input-output model: the output of each sector that meets a demand and the consumption of all
## sectors, x = A x + d, for many demands at once, by the series I + A + A^2 + ...
function program = leontief (size, type)
  n = pick_size (size, 768, 208);
  demands = pick_size (size, 19968, 5000);
  use = fixed_random (n, n, 601);

  program.inputs.terms = 100;
  program.inputs.consumption = cast (0.6 * use ./ sum (use, 1), type);
  program.inputs.identity = eye (n, type) + zeros (n, type);
  program.inputs.demand = cast (100 * fixed_random (n, demands, 602), type);
  program.run = @produce;
  program.check = @check;
endfunction

function outputs = produce (inputs, wrap)
  consumption = wrap (inputs.consumption);
  identity = wrap (inputs.identity);
  demand = wrap (inputs.demand);

  term = identity;
  series = identity;
  for i = 1:inputs.terms
    term = term * consumption;
    series = series + term;
  endfor
  outputs.production = full (series * demand);
endfunction

function [deviation, limit] = check (inputs, outputs)
  x = double (outputs.production);
  deviation = relative_error (x - double (inputs.consumption) * x, double (inputs.demand));
  limit = limit_for (inputs.demand, 1e-5, 1e-12);
endfunction
