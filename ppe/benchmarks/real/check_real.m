## check_real (name)
## Runs one of real_names in both precisions, in plain Octave and with p_matrix.  Both have to give the known answer,
## and to agree with each other; another result is to be found wrong.
function check_real (name)
  for type = {"single", "double"}
    program = feval (name, type{1});
    r = compare_program (program);
    printf ("  %-22s %s: %d operations, octave %.3f s, p_matrix %.3f s, difference %.2g\n", name, type{1}, r.operations, ...
            r.octave_seconds, r.pmatrix_seconds, r.difference);
    assert ([r.octave_deviation, r.pmatrix_deviation] <= r.limit, [true, true]);
    assert (r.fallbacks, 0);
    assert (r.difference <= limit_for (cast (1, type{1}), 1e-3, 1e-9));
    assert (program.check (program.inputs, structfun (@spoiled, r.outputs, "UniformOutput", false)) <= r.limit, false);
  endfor
endfunction

function x = spoiled (x)
  if (iscell (x))
    x = cellfun (@spoiled, x, "UniformOutput", false);
  else
    x = 1.1 * x + 1;
  endif
endfunction

%!error <no_such_program> check_real ("no_such_program")
