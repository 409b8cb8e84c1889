## Errors carry Octave's identifiers and texts and are raised at the line that records the operation.

%!error <operator \*: nonconformant arguments \(op1 is 2x3, op2 is 2x3\)> p_matrix (ones (2, 3)) * ones (2, 3);
%!error id=Octave:nonconformant-args p_matrix (ones (2, 3)) * ones (2, 3);
%!error id=Octave:nonconformant-args ones (2, 3) * p_matrix (ones (2, 3));
%!error <operator \+: nonconformant arguments \(op1 is 2x3, op2 is 3x2\)> p_matrix (ones (2, 3)) + ones (3, 2);
%!error <product: nonconformant arguments \(op1 is 2x3, op2 is 3x2\)> p_matrix (ones (2, 3)) .* ones (3, 2);
%!error <quotient: nonconformant arguments \(op1 is 2x3, op2 is 3x2\)> ones (2, 3) ./ p_matrix (ones (3, 2));
%!error <operator .\^: nonconformant arguments \(op1 is 2x3, op2 is 3x2\)> p_matrix (ones (2, 3)) .^ p_matrix (ones (3, 2));
%!error <mod: nonconformant arguments \(op1 is 2x3, op2 is 3x2\)> mod (p_matrix (ones (2, 3)), ones (3, 2));
%!error id=Octave:nonconformant-args p_matrix (ones (2, 3)) == ones (3, 2);
%!error id=Octave:index-out-of-bounds p_matrix ([1 2 3])(4);
%!error id=Octave:invalid-index p_matrix ([1 2 3])(0);
%!error id=Octave:invalid-index p_matrix ([1 2 3])(1.5);

%!error id=Octave:invalid-input-type p_matrix (int32 (5));
%!error id=Octave:invalid-input-type p_matrix ("text");
%!error id=Octave:invalid-input-type p_matrix (sparse (1));
%!error id=Octave:invalid-input-type p_matrix ({1});
%!error id=Octave:invalid-input-type p_matrix (struct ());
%!error id=Octave:invalid-fun-call p_matrix ();
%!error id=Octave:invalid-fun-call mod (p_matrix (1));

## An error in the middle of an expression leaves everything usable.
%!test
%! a = p_matrix (ones (2));
%! for i = 1:100
%!   try
%!     (a + 1) * (a .* 2) * ones (3);
%!   catch failure
%!     assert (failure.identifier, "Octave:nonconformant-args");
%!   end_try_catch
%! endfor
%! assert (full (a + 1), 2 * ones (2));

## The text that Octave gives for its own matrices, whatever the version.
%!function same_error (f)
%!  expected = outcome (f, @(x) x);
%!  actual = outcome (f, @p_matrix);
%!  assert (isempty (expected.message), false);
%!  assert (actual.message, expected.message);
%!  assert (actual.identifier, expected.identifier);
%!endfunction
%!test same_error (@(P) P (ones (2, 3)) - ones (3, 2))
%!test same_error (@(P) P (single (ones (2, 3))) * ones (2, 3))
%!test same_error (@(P) P (ones (2, 3)) != true (3, 2))
%!test same_error (@(P) P (ones (2, 3)) / P (ones (2)))
%!test same_error (@(P) P (ones (2, 3)) ^ 2)
%!test same_error (@(P) P (ones (2, 3)) < ones (3, 2))
%!test same_error (@(P) [P(ones (2, 3)); ones(2)])
%!test same_error (@(P) ! P (NaN))
%!test same_error (@(P) mod (P (true), true))
%!test same_error (@(P) P (1) + {1})
%!test same_error (@(P) P (1) + struct ())
%!test same_error (@(P) P ([1 2]){1})
%!test same_error (@(P) P ([1 2]).a)

## A result that is too large fails when it is needed, with Octave's error; what does not read it is computed.
%!function failure = failure_of (f)
%!  failure = [];
%!  try
%!    f ();
%!  catch failure
%!  end_try_catch
%!endfunction
%!test
%! p = p_matrix ((1:1e6)');
%! expected = failure_of (@() ones (1e6, 1) * ones (1, 1e6));
%! y = p * p';
%! z = -y + 1;
%! q = p * 2;
%! assert (q(3), 6);
%! for value = {y, z, y}
%!   failure = failure_of (@() full (value{1}));
%!   assert ({failure.identifier, failure.message}, {expected.identifier, expected.message});
%! endfor
%! clear y value
%! assert (full (q(2:3) + p(1)), [5; 7]);
%! failure = failure_of (@() z(1));
%! assert (failure.identifier, expected.identifier);
%! clear z
%! assert (full (sum (q)), 1e6 * (1e6 + 1));
%!test
%! failure = failure_of (@() repmat (p_matrix (ones (1e3, 1)), 1e10, 1));
%! assert (failure.message, failure_of (@() repmat (ones (1e3, 1), 1e10, 1)).message);

## Options.
%!test
%! [status, output] = run_octave ("p_config (\"meus\", 0)");
%! assert (status != 0);
%! assert (! isempty (strfind (output, "meus is '0': it must be a whole number from 1 to 4096")));
%!test
%! [status, output] = run_octave ("p_config (\"engine\", \"steam\"); x = p_matrix (1) + 1; disp (\"recorded\")");
%! assert (status != 0);
%! assert (! isempty (strfind (output, "engine")));
%! assert (isempty (strfind (output, "recorded")));
%!test
## Another engine may be chosen at any time: what is pending stays with the earlier engine, and can be an
## operand of the new engine.
%! code = ["a = p_matrix (magic (20)); z = a * 2; z(1); x = a + 1; y = sqrt (50 - a);\n" ...
%!         "p_config (\"engine\", \"reference\", \"meus\", 3); disp (p_config ().running);\n" ...
%!         "assert ({has_result(x), has_result(z)}, {false, true}); u = x * z + a; v = y + x; assert (has_result (u), false);\n" ...
%!         "p_config (\"engine\", \"host\"); w = u - x; b = magic (20);\n" ...
%!         "assert (full (w), (b + 1) * (b * 2) + b - (b + 1)); assert (full (v), sqrt (50 - b) + b + 1, eps);\n" ...
%!         "assert (full (x), b + 1); clear x y z u v w; assert (full (a), b); disp (\"good\")"];
%! [status, output] = run_octave (code, "PMATRIX_MEUS=2 PMATRIX_IMMEDIATE=off");
%! assert (status, 0, output);
%! assert (output, "0\ngood\n");
%!test
%! [status, output] = run_octave ("p_config (\"colour\", \"red\")");
%! assert (! isempty (strfind (output, "there is no option named 'colour'")));

## Bad options are refused where they are set, or named when they come from the environment.
%!function text = failing (code, environment)
%!  [status, text] = run_octave (code, environment);
%!  assert (status != 0);
%!endfunction
%!test
%! assert (! isempty (strfind (failing ("p_config (\"engine\", \"abacus\")", ""), "engine is 'abacus'")));
%! assert (! isempty (strfind (failing ("p_config (\"scheduler\", \"none\")", ""), "none")));
%! assert (! isempty (strfind (failing ("p_config (\"model\", \"/nowhere\")", ""), "/nowhere")));
%! assert (! isempty (strfind (failing ("p_config ()", "PMATRIX_MEUS=two"), "PMATRIX_MEUS is 'two': it must be a whole number from 1 to 4096")));
%! assert (! isempty (strfind (failing ("p_matrix (ones (9)) + 1", "PMATRIX_MEUS=100000"), "PMATRIX_MEUS is '100000'")));
%! assert (! isempty (strfind (failing ("p_config ()", "PMATRIX_SMALL=yes"), "the environment variable PMATRIX_SMALL is 'yes': it must be true or false")));
%! assert (! isempty (strfind (failing ("p_matrix (ones (9)) + 1", "PMATRIX_ENGINE=abacus"), "PMATRIX_ENGINE is 'abacus'")));
