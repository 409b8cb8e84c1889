## r = compare_program (program)
## Runs a program in plain Octave and with p_matrix, in this order, in the same process.  r tells the seconds of
## each, how far each is from the answer that the program checks against and the limit for that, the largest
## relative difference between the two, what was added to the graphs, and the outputs of p_matrix.
function r = compare_program (program)
  start = tic ();
  plain = program.run (program.inputs, @(x) x);
  r.octave_seconds = toc (start);
  [r.octave_deviation, r.limit] = program.check (program.inputs, plain);

  ## As many operations as the program states: synth is nothing but repetitions.
  chosen = p_config ("common");
  p_config ("common", false);
  restore = onCleanup (@() p_config ("common", chosen));
  before = p_profile ();
  start = tic ();
  lazy = program.run (program.inputs, @p_matrix);
  r.pmatrix_seconds = toc (start);
  after = p_profile ();
  r.pmatrix_deviation = program.check (program.inputs, lazy);

  r.ratio = r.octave_seconds / r.pmatrix_seconds;
  r.operations = after.operations_recorded - before.operations_recorded;
  r.block_operations = after.block_operations - before.block_operations;
  r.block_edges = after.block_edges - before.block_edges;
  r.fallbacks = after.fallbacks - before.fallbacks;
  r.difference = largest_difference (plain, lazy);
  r.outputs = lazy;
  r.ok = r.octave_deviation <= r.limit && r.pmatrix_deviation <= r.limit;
endfunction

function largest = largest_difference (plain, lazy)
  largest = 0;
  for [expected, field] = plain
    actual = lazy.(field);
    if (! iscell (expected))
      expected = {expected};
      actual = {actual};
    endif
    for k = 1:numel (expected)
      if (! strcmp (class (expected{k}), class (actual{k})) || ! size_equal (expected{k}, actual{k}))
        largest = Inf;
      else
        scale = max (1, max (abs (double (expected{k}(:)))));
        largest = max (largest, max (abs (double (expected{k}(:)) - double (actual{k}(:)))) / scale);
      endif
    endfor
  endfor
endfunction

## At small size each program agrees with plain Octave: exactly where all numbers are whole, closely where
## sums are rounded. What it records is what the paper's table counts, apart from constants, which are not
## operations here, and from conversions: a product reads truth values as numbers.
%!function agree (name, type, operations)
%!  r = compare_program (feval (name, "small", type));
%!  printf ("  %-12s %s: %d operations, octave %.3f s, p_matrix %.3f s, difference %.2g\n", name, type, r.operations, ...
%!          r.octave_seconds, r.pmatrix_seconds, r.difference);
%!  assert (r.ok, true);
%!  assert (r.fallbacks, 0);
%!  assert (r.operations, operations);
%!  if (any (strcmp (name, {"hill", "reachability"})))
%!    assert (r.difference, 0);
%!  elseif (strcmp (type, "single"))
%!    assert (r.difference < 1e-3);
%!  else
%!    assert (r.difference < 1e-10);
%!  endif
%!endfunction
%!test agree ("dft", "single", 6)
%!test agree ("dft", "double", 6)
%!test agree ("synth", "single", 1200)
%!test agree ("synth", "double", 1200)
%!test agree ("hill", "single", 6)
%!test agree ("hill", "double", 6)
%!test agree ("hits", "single", 49)
%!test agree ("hits", "double", 49)
%!test agree ("kmeans", "single", 30)
%!test agree ("kmeans", "double", 30)
%!test agree ("leontief", "single", 201)
%!test agree ("leontief", "double", 201)
%!test agree ("markov", "single", 50)
%!test agree ("markov", "double", 50)
%!test agree ("neural", "single", 1878)
%!test agree ("neural", "double", 1878)
%!test agree ("reachability", "single", 533)
%!test agree ("reachability", "double", 533)
