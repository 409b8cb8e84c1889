## program = synth_digits (type)
## Products of three covariance matrices of handwritten digits, 64 x 64 each: of all images, of the even digits and of
## the odd ones.  The greatest variances among all images are published.
function program = synth_digits (type)
  program = synth ("small", type);
  [images, digits] = read_digits ();
  chosen = {true(size (digits)), mod(digits, 2) == 0, mod(digits, 2) == 1};
  covariances = cellfun (@(which) cov (images(:,which).'), chosen, "UniformOutput", false);
  program.inputs.rounds = 20;
  for k = 1:3
    program.inputs.("abc"(k)) = cast (covariances{k}, type);
  endfor
  against_products = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, against_products);
endfunction

function [deviation, limit] = check (inputs, outputs, against_products)
  [deviation, limit] = against_products (inputs, outputs);
  ## The sum of all variances is that of the principal components, of which the first three have 14.89, 13.62 and
  ## 11.79 per cent.
  variances = sort (eig (double (inputs.a)), "descend");
  known = isequal (round (1e4 * variances(1:3).' / sum (variances)), [1489, 1362, 1179]);
  ## The trace of a product of symmetric matrices is the sum of the products of their elements.
  traced = trace (double (outputs.last{1})) / sum (sum (double (inputs.a .* inputs.b)));
  if (! known || abs (traced - 1) > limit)
    deviation = Inf;
  endif
endfunction

%!test check_real ("synth_digits")
