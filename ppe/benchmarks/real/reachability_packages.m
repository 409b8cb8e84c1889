## program = reachability_packages (type)
## Which of 334 Debian packages need which, directly or through other packages.  Octave needs all of them; the C
## library needs itself and two packages, which need it in turn.
function program = reachability_packages (type)
  program = reachability ("small", type);
  [names, links] = read_packages (data_file ("octave.packages"));
  program.inputs.edges = cast (links | eye (rows (links)), type);
  ## The longest of all shortest walks has 12 edges.
  program.inputs.steps = 11;
  against_squares = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, names, against_squares);
endfunction

function [deviation, limit] = check (inputs, outputs, names, against_squares)
  [deviation, limit] = against_squares (inputs, outputs);
  needs = @(name) names(outputs.reached(strcmp (names, name),:) != 0);
  if (numel (needs ("octave")) != 334 || ! isequal (needs ("libc6"), {"gcc-12-base", "libc6", "libgcc-s1"}) ...
      || nnz (outputs.reached) != 6952)
    deviation = Inf;
  endif
endfunction

%!test check_real ("reachability_packages")
