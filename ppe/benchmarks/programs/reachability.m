## program = reachability (size, type)
## Which vertices of a directed graph can be reached from which: boolean powers of (edges or identity) for
## walks of up to n-1 edges, one product and one comparison with zero a step.
function program = reachability (size, type)
  n = pick_size (size, 480, 180);
  program.inputs.steps = n - 2;
  program.inputs.edges = cast (fixed_random (n, n, 901) < 1.5 / n | eye (n), type);
  program.run = @walk;
  program.check = @check;
endfunction

function outputs = walk (inputs, wrap)
  n = rows (inputs.edges);
  reached = wrap (inputs.edges);
  edges = wrap (inputs.edges);
  nothing = wrap (zeros (n, n, class (inputs.edges)));
  for step = 1:inputs.steps
    reached = (reached * edges) != nothing;
  endfor
  outputs.reached = full (reached);
endfunction

## By squaring, each step doubles the length of the walks.
function [deviation, limit] = check (inputs, outputs)
  reached = double (inputs.edges);
  for step = 1:ceil (log2 (inputs.steps + 1))
    reached = double (reached * reached > 0);
  endfor
  deviation = nnz (outputs.reached != reached);
  limit = 0;
endfunction
