## program = hits_packages (type)
## The authorities among the 334 packages that Octave needs in Debian 12: a package is one when many packages that
## need much need it.  The C library is the first, the C++ library the third.
function program = hits_packages (type)
  program = hits ("small", type);
  [names, links] = read_packages (data_file ("octave.packages"));
  authority = links' * links;
  program.inputs.matrix = cast (authority / norm (authority), type);
  program.inputs.steps = 49;
  against_vector = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, names, against_vector);
endfunction

function [deviation, limit] = check (inputs, outputs, names, against_vector)
  [deviation, limit] = against_vector (inputs, outputs);
  score = sum (double (outputs.power), 2);
  score /= sum (score);
  [~, order] = sort (score, "descend");
  ## The score was found by power iteration in another language.
  if (! isequal (names(order(1:3)), {"libc6", "libgcc-s1", "libstdc++6"}) || abs (score(order(1)) - 0.166476) > 1e-5)
    deviation = Inf;
  endif
endfunction

%!test check_real ("hits_packages")
