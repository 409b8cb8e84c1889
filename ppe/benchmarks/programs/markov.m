## program = markov (size, type)
## Markov chain on n states that favours near ones: the distribution after 50 steps from state 1, by powers of
## the transition matrix.
function program = markov (size, type)
  n = pick_size (size, 960, 260);
  nearness = exp (-abs ((1:n)' - (1:n)) * (16 / n));
  weight = (0.05 + fixed_random (n, n, 701)) .* nearness;

  program.inputs.steps = 49;
  program.inputs.transition = cast (weight ./ sum (weight, 1), type);
  program.inputs.start = cast ((1:n)' == 1, type);
  program.run = @walk;
  program.check = @check;
endfunction

function outputs = walk (inputs, wrap)
  transition = wrap (inputs.transition);
  start = wrap (inputs.start);

  power = transition;
  for step = 1:inputs.steps
    power = power * transition;
  endfor
  outputs.distribution = full (power * start);
endfunction

function [deviation, limit] = check (inputs, outputs)
  x = double (inputs.start);
  for step = 0:inputs.steps
    x = double (inputs.transition) * x;
  endfor
  deviation = relative_error (outputs.distribution, x);
  limit = limit_for (inputs.start, 1e-4, 1e-12);
endfunction
