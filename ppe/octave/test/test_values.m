## Values with which lazy systems have gone wrong.  Each expression runs with P = p_matrix and with P the
## identity.

%!function agree (expression)
%!  P = @(x) x;
%!  expected = eval (expression);
%!  P = @p_matrix;
%!  actual = eval (expression);
%!  text = difference (expected, actual);
%!  if (! isempty (text))
%!    error ("%s: %s", expression, text);
%!  endif
%!endfunction

%!test agree ("P ([Inf;NaN]) * P ([0 0])")
%!test agree ("P (zeros (2)) * [Inf 1;1 1]")
%!test agree ("mod (P ([-1 -4 0 4]), P ([1 2 -3 -2]))")
%!test agree ("mod (P (-0), 0)")
%!test agree ("mod (0, P (-3))")
%!test agree ("mod (P (-135), 360)")
%!test agree ("mod (P ([5 -5]), 0)")
%!test agree ("mod (P ([NaN Inf -Inf]), 0)")
%!test agree ("mod (P (0.3), 0.1)")
%!test agree ("mod (P (single ([0.3 -0.3 7.5])), single (0.1))")
%!test agree ("round (P (0.49999999999999994))")
%!test agree ("round (P (-0.49999999999999994))")
%!test agree ("round (P (single (0.49999997)))")
%!test agree ("round (P (4503599627370497))")
%!test agree ("round (P ([0.5 -0.5 2.5 -2.5]))")
%!test agree ("sign (P ([NaN -0 0 -Inf 5e-324]))")
%!test agree ("P ([-5 -7 -3]) .^ [2 2 3]")
%!test agree ("10 .^ P (-3:3)")
%!test agree ("P ([-8 4]) .^ [1/3 0.5]")
%!test agree ("(P ([-8 4]) .^ [1/3 0.5]) + 1")
%!test agree ("cos ((2 * (P ([-8 4]) .^ [1/3 0.5])) .* [1 2])")
%!test agree ("abs (P ([-8 4]) .^ 0.5)")
%!test agree ("(P (single ([-8 4])) .^ 0.5) - P ([1 2])")
%!test agree ("P ([NaN 0 Inf]) == [NaN -0 Inf]")
%!test agree ("P (single (0.1)) == 0.1")
%!test agree ("P (0.1) == single (0.1)")
%!test agree ("P (single (1)) + 1")
%!test agree ("P (single (16777216)) + P (1)")
%!test agree ("P ([100 2]) + int8 (100)")
%!test agree ("P ([NaN Inf 1]) * 0")
%!test agree ("P (0.1:0.1:1) .* pi - (0.1:0.1:1) .* pi")
%!test agree ("P ([0 Inf 2]) ./ [0 Inf 2]")
%!test agree ("P (zeros (3,0)) * zeros (0,2)")
%!test agree ("P (zeros (0,3)) == zeros (0,3)")
%!test agree ("P ([]) + 1")
%!test agree ("P (5) * P (ones (1,3))")
%!test agree ("P ([1;2]) * [3 4]")
%!test agree ("-P ([0 -0 NaN Inf 1])")
%!test agree ("-P ([true false])")
%!test agree ("-P (single ([0 -0]))")
%!test agree ("P (true (2)) * P (true (2))")
%!test agree ("abs (P ([true false]))")
%!test agree ("P (eye (3)) * P (magic (3)) / 3")
%!test agree ("eye (2) * P ([NaN 1; 1 1])")
%!test agree ("P ([NaN 1; 1 1]) * eye (2)")

%!function x = doubled (P, n)
%!  x = P (ones (3));
%!  for i = 1:n
%!    x = x + x;
%!  endfor
%!endfunction
%!test assert (full (doubled (@p_matrix, 100)), 2^100 * ones (3));

%!test
%! a = p_matrix (magic (4));
%! assert (full (a * a), magic (4)^2);
%! assert (full (a .* a), magic (4).^2);
%! assert (full (a - a), zeros (4));

## What fills the pad of a block must not reach a product
%!test
%! for n = [1 2 3 5 67 68 69 95 96 97 136 137]
%!   whole = mod (reshape (1:n*n, n, n), 7);
%!   for P = {p_matrix(whole), single(0) + p_matrix(whole)}
%!     p = P{1};
%!     o = full (p == p) * full (p == p);
%!     assert (full ((p == p) * (p == p)), double (o));
%!     assert (double ((p + 1) * (p + 1)), (whole + 1) * (whole + 1));
%!     assert (double ((p .^ 0) * (p .^ 0)), n * ones (n));
%!     assert (double ((p ./ p .* 0 != 1) * p), (whole ./ whole .* 0 != 1) * whole);
%!   endfor
%! endfor
%! c = cos (p_matrix (ones (5)));
%! assert (full (c * c), 1.4596329086321445 * ones (5), -4 * eps);

## A logical number is a real scalar.
%!test agree ("jsonencode (P (true))")
%!test agree ("jsonencode (P ([true false]))")
%!test agree ("jsonencode ({P(3) > 2, P(2.5)})")
