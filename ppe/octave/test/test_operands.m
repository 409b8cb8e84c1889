## A p_matrix beside diagonal, permutation, N-d, integer, sparse, char, complex and logical matrices: Octave's
## result, in Octave's type.

## Which elements are negative; a NaN has no sign.
%!function negative = signs (x)
%!  x = full (real (full (x)));
%!  negative = full (signbit (x)) & ! isnan (x);
%!endfunction

%!function check (f, varargin)
%!  expected = outcome (f, @(x) x, varargin{:});
%!  actual = outcome (f, @p_matrix, varargin{:});
%!  assert (actual.message, expected.message);
%!  assert (actual.identifier, expected.identifier);
%!  if (isempty (expected.message))
%!    text = difference (expected.value, actual.value);
%!    if (! isempty (text))
%!      error ("%s: %s", func2str (f), text);
%!    endif
%!    assert (signs (actual.value), signs (expected.value));
%!    if (isdiag (expected.value) && ! issparse (expected.value) && ! isscalar (expected.value))
%!      if (isempty (strfind (typeinfo (expected.value), "diagonal")) == ! isempty (strfind (typeinfo (actual.value), "diagonal")))
%!        error ("%s: %s instead of %s", func2str (f), typeinfo (actual.value), typeinfo (expected.value));
%!      endif
%!    endif
%!  endif
%!endfunction

## diag (v) of a vector is Octave's diagonal matrix.
%!test
%! v = [2 3 0];
%! w = [1; -1; 4];
%! A = [1 NaN 2; 5 6 -0; Inf 1 0];
%! for f = {@(P, v, w, A) diag(P (v)) * A, @(P, v, w, A) diag(P (v)) * P(A), @(P, v, w, A) P(A) * diag(P (v)), @(P, v, w, A) A * diag(P (v)), ...
%!          @(P, v, w, A) inv(diag (P (v))), @(P, v, w, A) diag(P (v)) \ A, @(P, v, w, A) diag(P (v)) \ P(A), @(P, v, w, A) P(A) / diag(P (v)), ...
%!          @(P, v, w, A) diag(sum (P (A))) - A, @(P, v, w, A) diag(sum (P (A))) - P(A), @(P, v, w, A) P(A) - diag(P (v)), ...
%!          @(P, v, w, A) diag(P (v)) + P(A), @(P, v, w, A) diag(P (v))', @(P, v, w, A) diag(P (w)).', @(P, v, w, A) diag(P (v)) * 2, ...
%!          @(P, v, w, A) P(2) * diag(v), @(P, v, w, A) diag(P (v)) / P(4), @(P, v, w, A) diag(P (v))(2,2), @(P, v, w, A) diag(P (v))(1,2), ...
%!          @(P, v, w, A) diag(P (v))(:,2), @(P, v, w, A) full(diag (P (v))), @(P, v, w, A) diag(P (v)) * diag(P (w)), ...
%!          @(P, v, w, A) diag(P (v)) + diag(w), @(P, v, w, A) -diag(P (v)), @(P, v, w, A) det(diag (P (w))), @(P, v, w, A) issquare(diag (P (v))), ...
%!          @(P, v, w, A) isdiag(diag (P (v))), @(P, v, w, A) diag(P (w)) ^ 2, @(P, v, w, A) pinv(diag (P (v))), @(P, v, w, A) diag(P (v), 3, 4), ...
%!          @(P, v, w, A) diag(P (v), 4, 3) * P(A), @(P, v, w, A) diag(P (v), 1), @(P, v, w, A) diag(P (w), -2), @(P, v, w, A) diag(P (5)), ...
%!          @(P, v, w, A) diag(P (v)) .* P(A), @(P, v, w, A) diag(P (v)) == P(A), @(P, v, w, A) diag(P (v)) * P(w), @(P, v, w, A) P(v) * diag(P (w)), ...
%!          @(P, v, w, A) diag(P (single (v))) * P(single (A)), @(P, v, w, A) diag(P (single (v))) * P(A), @(P, v, w, A) diag(P (v > 0)), ...
%!          @(P, v, w, A) diag(diag (P (v))), @(P, v, w, A) eye(3) * P(A), @(P, v, w, A) P(A) * eye(3), @(P, v, w, A) eye(3) + P(A), ...
%!          @(P, v, w, A) eye(3) * P(2), @(P, v, w, A) [diag(P (v)), P(A)], @(P, v, w, A) [P(A); diag(P (v))], @(P, v, w, A) diag(P (v)) * P(ones (2)), ...
%!          @(P, v, w, A) diag(sqrt (P (-v))) * A, @(P, v, w, A) sum(diag (P (v))), @(P, v, w, A) trace(diag (P (v)))}
%!   check (f{1}, v, w, A);
%! endfor
%!assert (full (diag (p_matrix ([2 3])) * [1 NaN; 5 6]), [2 NaN; 15 18])
%!assert (full (inv (diag (p_matrix ([2 1 4])))), diag ([.5 1 .25])(1:3,:))

## Products with it are recorded, as the scaling of rows or columns that they are.
%!test
%! d = diag (p_matrix ([2 3]));
%! p = p_matrix ([1 2; 3 4]) + 0;
%! assert (has_result (d * p), false);
%! assert (has_result (p * d), false);
%! assert (has_result (eye (2) * p), false);
%! assert (full (p * d), [2 6; 6 12]);

## Sums and differences have Octave's bits beside the diagonal and on it, in every pair of classes.
%!test
%! A = [0 -0 1 NaN; -0 0 -0 2; Inf -Inf -0 0; -0 1 0 -0];
%! for v = {[1; 1; 1; 1], [0; -0; 3; 0], [NaN; Inf; -0; -Inf], [.1; .2; .3; .4]}
%!   for f = {@(P, d, A) d + P(A), @(P, d, A) P(A) + d, @(P, d, A) d - P(A), @(P, d, A) P(A) - d, @(P, d, A) sqrt(P (-A)) + d, ...
%!            @(P, d, A) d - sqrt (P (-A)), @(P, d, A) d + P(A(1,:)), @(P, d, A) P(A(:,1)) - d, @(P, d, A) d - P(A(2)), ...
%!            @(P, d, A) d(:,1:3) - P(A(:,1:3)), @(P, d, A) d + P(zeros (0, 4)), @(P, d, A) diag(P (d(1))) + P(A)}
%!     d = diag (v{1});
%!     for operands = {{d, A}, {single(d), A}, {d, single(A)}, {single(d), single(A)}, {d, A > 0}, {single(d), A > 0}, ...
%!                     {diag(v{1}, 4, 3), A(:,1:3)}, {diag(v{1}(1:3), 3, 4), A(1:3,:)}}
%!       check (f{1}, operands{1}{:});
%!     endfor
%!   endfor
%! endfor

## They are recorded.
%!test
%! p = p_matrix (magic (3)) + 0;
%! single_p = p_matrix (single (magic (3))) + 0;
%! before = p_profile ().fallbacks;
%! sums = {eye(3) + p, p + eye(3), eye(3) - p, p - eye(3), eye(3) - single_p, eye(3) - (p > 2)};
%! assert (p_profile ().fallbacks, before);
%! assert (cellfun (@(x) has_result (x), sums), false (1, 6));
%! assert (full (sums{3}), eye (3) - magic (3));

## Permutations.
%!test
%! A = [1 NaN 2; 5 6 -0; Inf 1 0];
%! B = magic (3);
%! for f = {@(P, A, B) nthargout(3, 3, @lu, P (B)) * A, @(P, A, B) nthargout(3, 3, @lu, P (B)) * P(A), @(P, A, B) P(A) * nthargout(3, 3, @lu, P (B)), ...
%!          @(P, A, B) P(A) * nthargout(3, 3, @lu, P (B))', @(P, A, B) nthargout(3, 3, @lu, P (B))' * P(A), @(P, A, B) nthargout(3, 3, @lu, P (B)) \ P(A), ...
%!          @(P, A, B) eye(3)([2 3 1],:) * P(A), @(P, A, B) P(A) * eye(3)(:,[2 3 1]), @(P, A, B) det(nthargout (3, 3, @lu, P (B))), ...
%!          @(P, A, B) full(nthargout (3, 3, @lu, P (B))), @(P, A, B) nthargout(3, 3, @lu, P (B)) + P(A), @(P, A, B) P(A)(nthargout (3, 3, @lu, P (B)) * [1;2;3],:), ...
%!          @(P, A, B) nthargout(2, 3, @svd, P (B)) * P(A)}
%!   check (f{1}, A, B);
%! endfor
%! [~, ~, p] = lu (p_matrix (B));
%! assert (typeinfo (p), "permutation matrix");

## Every operator with operands of other types.
%!test
%! others = {int8([1 100; -3 4]), uint8(5), [1+2i 3; 4 5i], 2i, sparse([1 0; 0 2]), "ab", 'c', ones(2, 2, 2), true(2), single([1 2; 3 4]), 1:2, ...
%!           {1}, struct(), @sin, int32(ones (2, 2, 2)), "", {}};
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! warning ("off", "all");
%! for a = {[1 2; 3 4.5], 7, single([1 2; 3 4]), [true false; true true], [1 2]}
%!   for operator = {"+", "-", "*", "/", "\\", "^", ".*", "./", ".\\", ".^", "==", "!=", "<", ">=", "&", "|"}
%!     left = eval (["@(P, a, b) P(a) " operator{1} " b"]);
%!     right = eval (["@(P, a, b) b " operator{1} " P(a)"]);
%!     for b = others
%!       for f = {left, right}
%!         expected = outcome (f{1}, @(x) x, a{1}, b{1});
%!         actual = outcome (f{1}, @p_matrix, a{1}, b{1});
%!         if (! strcmp (actual.message, expected.message) || ! strcmp (actual.identifier, expected.identifier))
%!           error ("%s of %s and %s: \"%s\" instead of \"%s\"", func2str (f{1}), class (a{1}), class (b{1}), actual.message, expected.message);
%!         endif
%!         if (isempty (expected.message))
%!           text = difference (expected.value, actual.value, 2);
%!           if (! isempty (text) || issparse (actual.value) != issparse (expected.value))
%!             error ("%s of %s and %s: %s", func2str (f{1}), class (a{1}), class (b{1}), text);
%!           endif
%!         endif
%!       endfor
%!     endfor
%!   endfor
%! endfor
