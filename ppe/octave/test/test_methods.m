## Octave's built-in functions with a p_matrix: recorded, or computed by Octave.

%!assert (full (mod (p_matrix ([-1 5]), 3)), [2 2])
%!assert (full (mod (7, p_matrix ([2 4]))), [1 3])

%!assert (full (rem (p_matrix ([-1 5]), 3)), [-1 2])
%!assert (full (rem (7, p_matrix ([2 4]))), [1 3])

%!assert (full (atan2 (p_matrix ([0 0]), 1)), [0 0])
%!assert (full (atan2 (1, p_matrix ([0 -0]))), atan2 (1, [0 -0]))

%!assert (full (hypot (p_matrix ([3 6]), [4 8])), [5 10])
%!assert (full (hypot (3, p_matrix (4), 12)), 13)

%!assert (full (max (p_matrix ([1 5 3]), 2)), [2 5 3])
%!assert (full (max (p_matrix ([1 5 3]))), 5)
%!assert (full (max (p_matrix ([1 5; 3 2]), [], 2)), [5; 3])
%!test
%! [m, k] = max (p_matrix ([4 9 2]));
%! assert ([m k], [9 2]);

%!assert (full (min (p_matrix ([1 5 3]), 2)), [1 2 2])
%!assert (full (min (p_matrix ([1 5 3]))), 1)
%!assert (full (min (p_matrix ([1 5; 3 2]), [], 2)), [1; 2])
%!test
%! [m, k] = min (p_matrix ([4 9 2]));
%! assert ([m k], [2 3]);

%!assert (full (sum (p_matrix ([1 2; 3 4]))), sum ([1 2; 3 4]))
%!assert (full (sum (p_matrix ([1 2; 3 4]), 2)), sum ([1 2; 3 4], 2))

%!assert (full (prod (p_matrix ([1 2; 3 4]))), prod ([1 2; 3 4]))
%!assert (full (prod (p_matrix ([1 2; 3 4]), 2)), prod ([1 2; 3 4], 2))

%!assert (full (sumsq (p_matrix ([1 2; 3 4]))), sumsq ([1 2; 3 4]))
%!assert (full (sumsq (p_matrix ([1 2; 3 4]), 2)), sumsq ([1 2; 3 4], 2))

%!assert (full (cumsum (p_matrix ([1 2; 3 4]))), cumsum ([1 2; 3 4]))
%!assert (full (cumsum (p_matrix ([1 2; 3 4]), 2)), cumsum ([1 2; 3 4], 2))

%!assert (full (norm (p_matrix ([3 4]))), 5)
%!assert (full (norm (p_matrix ([2 2; 2 2]), "fro")), 4)
%!assert (full (norm (p_matrix ([2 0; 0 1]), 1)), 2)
%!assert (norm (p_matrix ([2 0; 0 1])), 2)
%!assert (full (dot (p_matrix ([1 2 3]), [4; 5; 6])), 32)
%!assert (full (dot (p_matrix ([1 2; 3 4]), [5 6; 7 8], 2)), [17; 53])
%!error <sizes of X and Y must match> dot (p_matrix ([1 2 3]), [1 2])

%!assert (full (tril (p_matrix ([1 2; 3 4]))), [1 0; 3 4])
%!assert (full (tril (p_matrix ([1 2; 3 4]), -1)), [0 0; 3 0])

%!assert (full (triu (p_matrix ([1 2; 3 4]))), [1 2; 0 4])
%!assert (full (triu (p_matrix ([1 2; 3 4]), 1)), [0 2; 0 0])

%!assert (full (cat (1, p_matrix ([1 2]), [3 4])), [1 2; 3 4])
%!assert (full (cat (2, 5, p_matrix ([1 2]))), [5 1 2])
%!assert (full (cat (3, [], p_matrix ([1 2]))), [1 2])
%!assert (cat (3, p_matrix ([1 2]), [3 4]), cat (3, [1 2], [3 4]))
%!error <dimension mismatch> cat (3, p_matrix ([1 2]), 1)
%!assert (has_result (cat (2, p_matrix ([1 2]), [3 4])), false)

## Called by name as well, where Octave looks for built-in functions alone.
%!assert (cellfun ("max", {p_matrix([1 5]), p_matrix([2 7])}, "UniformOutput", false), {5, 7})
%!assert (full (builtin ("sum", p_matrix ([1 2]))), 3)

## Octave's own calls are what they were, their errors and help texts included.
%!assert (sum ([1 2; 3 4]), [4 6])
%!assert (max (int8 ([1 200])), int8 (127))
%!error <Invalid call to mod> mod (1)
%!error <Invalid call to mod> mod (p_matrix (1))
%!error <Invalid call to sum> sum ()
%!test
%! text = get_help_text ("sum");
%! assert (! isempty (strfind (text, "native")));

## What Octave computes: real matrices stay p_matrix values.
%!assert (class (inv (p_matrix (magic (3)))), "p_matrix")
%!assert (full (inv (p_matrix ([2 0; 0 4]))), [0.5 0; 0 0.25])
%!assert (full (chol (p_matrix ([4 2; 2 2]))), [2 1; 0 1])
%!error <positive definite> chol (p_matrix ([1 2; 2 1]))
%!assert (full (cummax (p_matrix ([1 5 3]))), [1 5 5])
%!assert (full (cummin (p_matrix ([4 1 3]))), [4 1 1])
%!assert (full (cumprod (p_matrix ([1 2; 3 4]))), [1 2; 3 8])
%!assert (det (p_matrix ([1 2; 3 4])), det ([1 2; 3 4]))
%!assert (full (eig (p_matrix ([2 0; 0 3]))), [2; 3])
%!test
%! [V, D] = eig (p_matrix ([2 1; 1 2]));
%! assert (full (V * D * V'), [2 1; 1 2], 4 * eps);
%!assert (iscomplex (eig (p_matrix ([0 1; -1 0]))), true)
%!assert (full (hess (p_matrix (magic (4)))), hess (magic (4)))
%!assert (full (kron (p_matrix ([1 2]), [1; 1])), [1 2; 1 2])
%!assert (full (kron ([1 2], p_matrix ([1; 1]))), [1 2; 1 2])
%!test
%! [L, U, P] = lu (p_matrix ([1 2; 3 4]));
%! assert (class (L), "p_matrix");
%! assert (full (P' * L * U), [1 2; 3 4], eps);
%!assert (nth_element (p_matrix ([4 1 3]), 2), 3)
%!assert (full (pinv (p_matrix (magic (4)))), pinv (magic (4)))
%!test
%! [Q, R] = qr (p_matrix ([1 2; 3 4]));
%! assert (full (Q * R), [1 2; 3 4], 4 * eps);
%!assert (full (schur (p_matrix (magic (4)))), schur (magic (4)))
%!assert (full (sqrtm (p_matrix ([4 0; 0 9]))), [2 0; 0 3])
%!assert (full (svd (p_matrix ([3 0; 0 4]))), [4; 3])

%!test
%! p = p_matrix ([1 2; 3 6]);
%! q = bsxfun (@minus, p, [1 2]);
%! assert (has_result (q), false);
%! assert (full (q), [0 0; 2 4]);
%! assert (full (bsxfun ("max", [2; 4], p)), [2 2; 4 6]);
%! assert (full (bsxfun (@(x, y) x + 2 * y, p, p)), [3 6; 9 18]);
%! assert (class (full (bsxfun (@lt, p, single (3)))), "logical");
%!assert (full (bsxfun (@minus, 4 * eye (2), p_matrix ([1 3]))), [3 -3; -1 1])
%!error <nonconformant|must match|dimensions> bsxfun (@plus, p_matrix (ones (2, 3)), ones (2))
%!error <Invalid call> bsxfun (@plus, p_matrix (1))

## What has no lazy form.
%!assert (full (sum (p_matrix ([1 2]), 3)), [1 2])
%!assert (class (mod (p_matrix ([1 2]), int8 (2))), "int8")
%!assert (sum (p_matrix ([true true]), "native"), true)
