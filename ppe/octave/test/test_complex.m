## A matrix that turns out to be complex is one for everything that Octave does with it, and never lost.

## Around the 64 elements of a small operation, and of the engine.
%!test compare_complex ({@sqrt}, [2 3; 8 8; 13 5], {"double"});
%!test compare_complex ({@(x) x .^ 0.5}, [1 1; 5 13], {"single"});

## Each root.
%!test
%! compare_complex ({@log, @log2, @log10, @(x) log1p(8 * x), @(x) asin(8 * x), @(x) acos(8 * x), @acosh, @(x) atanh(4 * x), ...
%!                   @(x) x .^ [0.5 1 2], @(x) (-2) .^ x}, [1 3], {"double"});
%!test compare_complex ({@log, @(x) x .^ [0.5 1 2]}, [25 3], {"double"});

## Computed as soon as it is recorded.
%!test
%! p_config ("synchronous", true);
%! restore = onCleanup (@() p_config ("synchronous", false));
%! compare_complex ({@sqrt}, [2 3; 13 5], {"double"});

## Limits execute what is pending in between; with and without threads, on each engine, and without small
## operations.
%!function in_process (environment, side)
%!  code = sprintf ("addpath (\"%s\", \"%s\");\n", fileparts (which ("test_complex")), fileparts (which ("outcome")));
%!  code = [code, "warning (\"off\", \"all\"); compare_complex ({@sqrt}, ", mat2str(side), ", {\"double\"});"];
%!  [status, text] = run_octave ([code, "disp (\"the same\")\n"], environment);
%!  if (status != 0 || isempty (strfind (text, "the same")))
%!    error ("%s: %s", environment, text);
%!  endif
%!endfunction
%!test in_process ("PMATRIX_MAX_OPERATIONS=2", [13 5])
%!test in_process ("PMATRIX_MAX_OPERATIONS=3 PMATRIX_OVERLAP=0 PMATRIX_SMALL=0", [2 3])
%!test in_process ("PMATRIX_MAX_DEPTH=2 PMATRIX_ENGINE=reference", [3 3])
%!test in_process ("PMATRIX_MAX_BYTES=600 PMATRIX_SMALL=0", [5 4])

## At any depth, in any order: operands without a name, of which something else was computed first.
%!test
%! a = p_matrix (magic (10));
%! r = sqrt (50 - a);
%! q = a + 1;
%! assert (q(1), 93);
%! assert (r(1), sqrt (50 - 92));
%!test
%! for depth = [1 2 5 40]
%!   x = magic (9);
%!   a = p_matrix (x);
%!   chains = expected = cell (1, 4);
%!   for k = 1:4
%!     y = a;
%!     e = x;
%!     for d = 1:depth
%!       y = (y + k) - a / 2;
%!       e = (e + k) - x / 2;
%!     endfor
%!     chains{k} = sqrt (y - 10 * k * depth) * 2;
%!     expected{k} = sqrt (e - 10 * k * depth) * 2;
%!   endfor
%!   clear a y
%!   other = p_matrix (x) * 2;
%!   for k = [3 1 4 2]
%!     assert (other(1), x(1) * 2);
%!     assert (iscomplex (chains{k}), iscomplex (expected{k}));
%!     assert (norm (full (chains{k}) - expected{k}, 1) < 1e-9 * (1 + norm (expected{k}, 1)));
%!   endfor
%! endfor
## The roots of many quadratics.
%!test
%! a = 1:100;
%! b = mod (7 * a, 13);
%! c = mod (3 * a, 17);
%! A = p_matrix (a);  B = p_matrix (b);  C = p_matrix (c);
%! D = sqrt (B.^2 - 4*A.*C);
%! first = (-B + D) ./ (2*A);
%! second = (-B - D) ./ (2*A);
%! clear D A
%! d = sqrt (b.^2 - 4*a.*c);
%! assert (sum (full (B)), sum (b));
%! assert (full (second), (-b - d) ./ (2*a), 4 * eps);
%! assert (full (first), (-b + d) ./ (2*a), 4 * eps);

## Whether a value is complex is not asked where it makes no difference.
%!test
%! for n = [3 20]
%!   x = sqrt (p_matrix (-ones (n)));
%!   y = [x; x];
%!   z = [x, ones(n)];
%!   evalc ("whos");
%!   evalc ("who");
%!   held = {x};
%!   assert (size ([y; y]), [4*n, n]);
%!   __pm__ ("variables");
%!   for v = {x, y, z}
%!     assert (has_result (v{1}), false);
%!   endfor
%!   assert (iscomplex (x) && iscomplex (y) && iscomplex (z));
%!   assert (has_result (x) && has_result (y) && has_result (z));
%! endfor

## Nor is what cannot be complex computed, and Octave's answer is known.
%!test
%! restore = without_immediate ();
%! x = p_matrix (-ones (10)) + 0;
%! roots = sqrt (x);
%! for v = {x * x, sin(x), x .^ 2, x .^ -3, 2 .^ x, abs(roots), roots == x, isnan(roots), real(roots), imag(roots), sumsq(roots), ...
%!          norm(roots, "fro"), any(roots), hypot(roots, x), [x; x], mod(x, 3), max(x), cumsum(x)}
%!   assert (isreal (v{1}), true);
%!   assert (iscomplex (v{1}), false);
%!   assert (has_result (v{1}), false);
%! endfor

## An error of complex operands comes at once.
%!error <not defined for complex numbers> mod (sqrt (p_matrix (-ones (9))), 2);
%!error <not defined for complex numbers> rem (5, log (p_matrix ([-1 1])));
%!error <not defined for complex numbers> atan2 (ones (20), sqrt (p_matrix (-ones (20))) + 1);
%!test
%! restore = without_immediate ();
%! x = mod (sqrt (p_matrix (ones (20))), 2);
%! assert (has_result (x), false);
%! assert (full (x), ones (20));

## x++ adds a complex 1 to complex elements, which makes a positive zero of a negative one.
%!function signs (x)
%!  plain = x;
%!  plain++;
%!  p = p_matrix (x);
%!  p++;
%!  assert (1 ./ imag (full (p)), 1 ./ imag (plain));
%!  plain--;
%!  --p;
%!  assert (1 ./ imag (full (p)), 1 ./ imag (plain));
%!  assert (real (full (p)), real (plain));
%!endfunction
%!test
%! for n = [2 20]
%!   z = conj (complex (magic (n), 0));
%!   z(1) = 1i;
%!   signs (z);
%!   signs (single (z));
%!   signs (complex (1, -0));
%!   signs (cat (3, z, z));
%!   p = conj (acosh (p_matrix (magic (n)) - 2));
%!   p++;
%!   x = conj (acosh (magic (n) - 2));
%!   x++;
%!   assert (1 ./ imag (full (p)), 1 ./ imag (x));
%! endfor

## A complex matrix stays one when it is wrapped.
%!assert (iscomplex (p_matrix (complex ([1 2], 0))))
%!assert (iscomplex (p_matrix (complex (1, 0))))
