## program = synth (size, type)
## Many independent products of three fixed 96 x 96 matrices, in each order of two of them.  All products are
## kept, so none is dead code.
function program = synth (size, type)
  program.inputs.rounds = pick_size (size, 60000, 1200) / 6;
  for name = "abc"
    program.inputs.(name) = cast (fixed_random (96, 96, 200 + name) - 0.5, type);
  endfor
  program.run = @multiply;
  program.check = @check;
endfunction

function outputs = multiply (inputs, wrap)
  a = wrap (inputs.a);
  b = wrap (inputs.b);
  c = wrap (inputs.c);

  products = cell (6, inputs.rounds);
  for round = 1:inputs.rounds
    products(:,round) = {a * b; b * c; c * a; b * a; c * b; a * c};
  endfor

  p_wait (products{:});
  outputs.last = cellfun (@full, products(:,end), "UniformOutput", false);
endfunction

function [deviation, limit] = check (inputs, outputs)
  a = double (inputs.a);
  b = double (inputs.b);
  c = double (inputs.c);
  expected = {a * b; b * c; c * a; b * a; c * b; a * c};
  deviation = max (cellfun (@relative_error, outputs.last, expected));
  limit = limit_for (inputs.a, 1e-5, 1e-13);
endfunction
