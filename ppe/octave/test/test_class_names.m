## class (x) of a p_matrix passed on to functions that take the name of a class, questions for a class, and
## comparison of classes.

%!function check (y, expected)
%!  assert (class (y), "p_matrix");
%!  assert (full (y), expected);
%!endfunction

%!test
%! x = p_matrix ([1 2; 3 4]);
%! check (zeros (2, class (x)), zeros (2));
%! check (zeros (2, 3, class (x)), zeros (2, 3));
%! check (zeros ([2 0], class (x)), zeros (2, 0));
%! check (zeros (class (x)), 0);
%! check (zeros (size (x), class (x)), zeros (2));
%! check (ones (1, 3, class (x)), ones (1, 3));
%! check (eye (2, class (x)), full (eye (2)));
%! check (eye (2, 3, class (x)), full (eye (2, 3)));
%! for name = {"Inf", "inf", "NaN", "nan", "NA", "e", "pi"}
%!   check (feval (name{1}, 1, 2, class (x)), feval (name{1}, 1, 2));
%! endfor
%! for name = {"eps", "realmax", "realmin", "flintmax"}
%!   check (feval (name{1}, class (x)), feval (name{1}));
%! endfor
%! for name = {"rand", "randn", "rande"}
%!   feval (name{1}, "state", 1);
%!   y = feval (name{1}, 2, 3, class (x));
%!   feval (name{1}, "state", 1);
%!   check (y, feval (name{1}, 2, 3));
%! endfor
%! assert (size (randg (2, 1, 3, class (x))), [1 3]);
%! assert (size (randp (2, 1, 3, class (x))), [1 3]);
%! check (typecast (single ([0 1.875]), class (x)), 1);
%! y = zeros (1, 3, class (x));
%! y(2) = 5;
%! check (y, [0 5 0]);
%! assert (outcome (@intmax, "p_matrix").message, outcome (@intmax, "double").message);

## More than two dimensions make a plain array, as everywhere.
%!assert (zeros (2, 2, 2, class (p_matrix (1))), zeros (2, 2, 2))

%!test
%! x = p_matrix (single ([1 2]));
%! assert (flintmax (x), flintmax ("single"));
%! assert (flintmax (p_matrix (1)), flintmax ("double"));
%! assert (outcome (@intmax, x).message, outcome (@intmax, single (1)).message);
%! check (cast (3, class (x)), 3);
%! check (cast (int8 (3), class (x)), 3);
%! check (cast (true, class (x)), 1);
%! check (cast (x, class (x)), single ([1 2]));
%! check (cast (x > 1, class (x)), [0 1]);
%! check (cast ("a", class (x)), 97);
%! assert (cast (x, "double"), [1 2]);
%! assert (cast (x, "int8"), int8 ([1 2]));
%! assert (cast (3.5, "single"), single (3.5));
%! assert (cast (single (3), "logical"), true);
%! check (feval (class (x), 4), 4);
%!error <conversion to 'nonsense' is not supported> cast (3, "nonsense")
%!error <cast: type conversion from 'cell' is not supported> cast ({}, class (p_matrix (1)))
%!error <Invalid call to cast> cast (1)
%!error <invalid data type|invalid class name> zeros (2, "nonsense")

## "like" knows the class of the elements; Octave has it from 7 on.
%!testif ; compare_versions (OCTAVE_VERSION (), "7", ">=")
%! x = p_matrix (single ([1 2]));
%! check (zeros (2, 3, "like", x), zeros (2, 3, "single"));
%! check (ones (2, "like", x > 1), true (2));
%! check (cast (3, "like", x), single (3));
%! check (cast ([3 0], "like", x > 1), [true false]);
%! assert (zeros (2, "like", 1), zeros (2));
%! assert (zeros (2, "like", single (1)), zeros (2, "single"));

## Sizes may be p_matrix values.
%!assert (zeros (p_matrix (2), 1), zeros (2, 1))
%!assert (zeros (p_matrix ([2 3])), zeros (2, 3))
%!assert (ones (2, p_matrix (1)), ones (2, 1))
%!assert (ones (p_matrix ([2 3]), "single"), ones (2, 3, "single"))
%!assert (class (zeros (p_matrix (2), class (p_matrix (1)))), "p_matrix")

%!test
%! x = p_matrix ([1 2]);
%! assert (isa (x, "p_matrix"), true);
%! assert (isa (x, "double"), true);
%! assert (isa (x, "single"), false);
%! assert (isa (x, "float"), true);
%! assert (isa (x, "numeric"), true);
%! assert (isa (x, "integer"), false);
%! assert (isa (single (1) * x, {"single", "double"; "float", "logical"}), [true false; true false]);
%! assert (isa (x > 1, "logical"), true);
%! assert (isa (x > 1, "numeric"), false);
%! y = x + 1;
%! assert (isa (y, "double"), true);
%! assert (has_result (y), false);
%! assert (isa (3, "double"), true);
%! assert (isa (3, "p_matrix"), false);
%!error <Invalid call to isa> isa (p_matrix (1))

%!assert (bitand (p_matrix ([5 6]), 4), [4 4])
%!assert (bitor (4, p_matrix ([5 6])), [5 6])
%!assert (bitxor (p_matrix ([5 6]), p_matrix (1)), [4 7])
%!assert (bitshift (p_matrix ([5 6]), p_matrix (1)), [10 12])
%!assert (bitand (5, 4), 4)
%!assert (bitand (uint8 (7), p_matrix (3)), uint8 (3))

## Files of Octave's library that go by class (x).
%!test
%! x = p_matrix (single ([1 2 4]));
%! check (gammainc (x, 2), gammainc (single ([1 2 4]), 2));
%! check (gammainc (2, x), gammainc (2, single ([1 2 4])));
%! check (vander (x), vander (single ([1 2 4])));
%! check (gradient (x), gradient (single ([1 2 4])));
%! ## The last bit of Octave's own result depends on the BLAS kernel, and so on the processor.
%! fitted = full (polyfit (x, [1 3 5], 1));
%! assert (class (fitted), "single");
%! assert (fitted, polyfit (single ([1 2 4]), [1 3 5], 1), 8 * eps ("single"));
%! check (swapbytes (x), swapbytes (single ([1 2 4])));
%! assert (im2double (p_matrix (true)), 1);
%! assert (gammainc (1, 2), 1 - 2 * exp (-1), eps);
%! assert (mat2str (x, "class"), "single([1 2 4])");
%! assert (mat2str (p_matrix (pi), p_matrix (3)), "3.14");
%! assert (mat2str (p_matrix ([true false])), "[true false]");
%! before = p_profile ().fallbacks;
%! sinint (x);
%! assert (p_profile ().fallbacks, before + 1);

## assert compares contents, and says what it says of a plain matrix.
%!function r = failing (code, x)
%!  r = struct ("message", "", "identifier", "");
%!  try
%!    eval (code);
%!  catch failure
%!    r.message = failure.message;
%!    r.identifier = failure.identifier;
%!  end_try_catch
%!endfunction
%!test
%! p = p_matrix ([2 4]);
%! assert (p, [2 4]);
%! assert ([2 4], p);
%! assert (p + 0, p_matrix ([2 4]));
%! assert (p, [2 4 + 1e-9], 1e-8);
%! assert (p, [2 4 + 1e-9], -1e-8);
%! assert (p, p_matrix ([2 4.5]), p_matrix (1));
%! assert ({p, 1}, {[2 4], 1});
%! assert (struct ("a", p), struct ("a", [2 4]));
%! assert (p > 1);
%! assert (p > 1, "text");
%! for code = {"assert (x, [2 5])", "assert (x, [2; 4])", "assert (x, single ([2 4]))", "assert ([2 5], x)", "assert (x, [2 5], 0.1)", ...
%!             "assert (x < 3)", "assert (x(1) < 1)", "assert (x > 3, \"not %d\", 7)", "assert (x, \"text\")", "assert (x, {2})", ...
%!             "assert ({x}, {[2 5]})", "assert (2 * x, x)", "assert (x, x, 1, 2)", "assert (x == [2 4], [true false])"}
%!   expected = failing (code{1}, [2 4]);
%!   actual = failing (code{1}, p);
%!   assert (! isempty (expected.message));
%!   assert (actual.message, expected.message);
%!   assert (actual.identifier, expected.identifier);
%! endfor
%! before = p_profile ().fallbacks;
%! assert (p, [2 4]);
%! assert (p_profile ().fallbacks, before);

## A function of the script's own by one of these names is called, with the p_matrix as it is.
%!test
%! code = ["function y = gradient (x), y = class (x); endfunction\nfunction y = cast (x, c), y = class (x); endfunction\n" ...
%!         "disp (gradient (p_matrix ([1 2]))); disp (cast (p_matrix ([1 2]), \"single\")); disp (cast (1, \"single\"));\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! assert (output, "p_matrix\np_matrix\ndouble\n");

## With functions in front of Octave's own.
%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! check (zeros (3, class (p_matrix (1))), [0 0 0; 0 0 0; 0 0 0]);
%! check (rand (2, 3, class (p_matrix (1))) < 2, true (2, 3));
%! check (zeros (1, 2, class (p_matrix (1))), [0 0]);
%! assert (zeros (2, "single"), zeros (2, "single"));
%! clear guard

%!test
%! code = ["x = p_matrix (1);\nclear functions\ndisp (class (zeros (2, class (x)))); disp (class (cast (1, class (x))));\n" ...
%!         "clear all\nx = p_matrix (1); disp (class (eps (class (x)))); disp (class (cast (1, class (x)))); disp (isa (x, \"double\"));\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! assert (output, ["p_matrix\np_matrix\np_matrix\np_matrix\n1\n"]);

%!assert (full (repmat (p_matrix ([1 2]), 2, 1)), [1 2; 1 2])
%!assert (full (repmat (p_matrix ([1 2]), [1 2])), [1 2 1 2])
%!assert (class (full (repmat (p_matrix (true), 2, 1))), "logical")
%!assert (full (accumarray ([1; 2; 1], p_matrix ([1; 2; 3]))), [4; 2])
%!assert (full (accumarray (p_matrix ([1; 2]), p_matrix ([3; 4]), p_matrix ([2, 1]), @min, [], 0)), [3; 4])
%!assert (cond (p_matrix (magic (3))), cond (magic (3)))
%!assert (full (expm (p_matrix (magic (3) / 10))), expm (magic (3) / 10))
%!assert (isdefinite (p_matrix ([2 0; 0 3])), true)
%!assert (full (logm (p_matrix ([4 1; 1 3]))), logm ([4 1; 1 3]))
%!assert (mode (p_matrix ([4 1 4])), 4)
%!assert (full (null (p_matrix (magic (4)))), null (magic (4)))
%!assert (full (orth (p_matrix (magic (4)))), orth (magic (4)))
%!assert (rank (p_matrix (magic (4))), 3)
## A question for a class by handle.
%!test
%! for f = {@mode, @null, @median, @vander, @(x) feval (@cross, x(1:3)(:), [1; 2; 3]), @unique, @rank}
%!   x = single ([2 1; 0 3]);
%!   if (strcmp (func2str (f{1}), "vander"))
%!     x = x(:);
%!   endif
%!   before = p_profile ().fallbacks;
%!   y = f{1} (p_matrix (x));
%!   assert (p_profile ().fallbacks, before + 1);
%!   assert (class (full (y)), class (f{1} (x)));
%! endfor
