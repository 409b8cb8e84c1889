## program = neural_digits (type)
## One layer that reads handwritten digits: it learns from 1,000 images, and is asked for the other 797, of which a
## layer like this one reads nine of ten.
function program = neural_digits (type)
  program = neural ("small", type);
  [images, digits] = read_digits ();
  patterns = cast ([images / 16; ones(1, columns (images))], type);
  targets = cast (digits == (0:9).', type);
  program.inputs.epochs = 2;
  program.inputs.rate = 0.1;
  program.inputs.patterns = patterns(:,1:1000);
  program.inputs.targets = targets(:,1:1000);
  against_loop = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, against_loop, patterns(:,1001:end), digits(1001:end));
endfunction

function [deviation, limit] = check (inputs, outputs, against_loop, unknown, expected)
  [deviation, limit] = against_loop (inputs, outputs);
  [~, read] = max (outputs.weights * unknown);
  if (! (mean (read - 1 == expected) >= 0.9))
    deviation = Inf;
  endif
endfunction

%!test check_real ("neural_digits")
