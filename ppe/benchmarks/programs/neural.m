## program = neural (size, type)
## One layer with logistic outputs, trained by the delta rule one pattern at a time, then asked for the first
## pattern.  The recorded operators have no transpose and no exponential function: patterns are kept both
## ways, and exp (-y) is e .^ (-y).
function program = neural (size, type)
  inputs_of_layer = pick_size (size, 768, 216);
  outputs_of_layer = pick_size (size, 672, 192);
  patterns = 26;

  program.inputs.epochs = pick_size (size, 32, 8);
  program.inputs.rate = 0.01;
  program.inputs.patterns = cast (fixed_random (inputs_of_layer, patterns, 801) > 0.5, type);
  program.inputs.targets = cast (fixed_random (outputs_of_layer, patterns, 802) > 0.5, type);
  program.run = @train;
  program.check = @check;
endfunction

function outputs = train (inputs, wrap)
  type = class (inputs.patterns);
  n = rows (inputs.targets);
  as_rows = inputs.patterns.';

  weights = wrap (zeros (n, rows (inputs.patterns), type));
  base = wrap (exp (1) * ones (n, 1, type));
  one = wrap (ones (n, 1, type));

  for epoch = 1:inputs.epochs
    for k = 1:columns (inputs.patterns)
      pattern = wrap (inputs.patterns(:,k));
      pattern_row = wrap (as_rows(k,:));
      target = wrap (inputs.targets(:,k));
      answer = one ./ (base .^ ((weights * pattern) * -1) + 1);
      weights = weights + ((target - answer) * inputs.rate) * pattern_row;
    endfor
  endfor

  first = wrap (inputs.patterns(:,1));
  recalled = round (one ./ (base .^ ((weights * first) * -1) + 1));
  outputs.recalled = full (recalled);
  outputs.weights = full (weights);
endfunction

function [deviation, limit] = check (inputs, outputs)
  x = double (inputs.patterns);
  t = double (inputs.targets);
  weights = zeros (rows (t), rows (x));
  for epoch = 1:inputs.epochs
    for k = 1:columns (x)
      answer = 1 ./ (1 + exp (-weights * x(:,k)));
      weights += inputs.rate * (t(:,k) - answer) * x(:,k)';
    endfor
  endfor
  deviation = relative_error (outputs.weights, weights);
  if (any (outputs.recalled != inputs.targets(:,1)))
    deviation = Inf;
  endif
  limit = limit_for (inputs.patterns, 1e-3, 1e-10);
endfunction
