## Functions without a lazy form give Octave's own answer.

%!function same (f)
%!  warning ("off", "all", "local");
%!  for value = {magic(4), [4 1 3; 2 2 0], single([2 1; 0 3]), [true false; true true], 3, [], [1 NaN 2], (1:5)'}
%!    expected = outcome (f, value{1});
%!    actual = outcome (f, p_matrix (value{1}));
%!    ## Where Octave names the type that it cannot take, it names ours.
%!    actual.message = strrep (actual.message, "'p_matrix'", ["'" typeinfo(value{1}) "'"]);
%!    if (! strcmp (expected.message, actual.message))
%!      error ("%s of %s %s: error \"%s\" instead of \"%s\"", func2str (f), class (value{1}), mat2str (value{1}), ...
%!             actual.message, expected.message);
%!    endif
%!    if (isempty (expected.message))
%!      if (isa (actual.value, "p_matrix"))
%!        actual.value = full (actual.value);
%!      endif
%!      if (! isequaln (expected.value, actual.value) || ! strcmp (class (expected.value), class (actual.value)))
%!        error ("%s of %s %s differs", func2str (f), class (value{1}), mat2str (value{1}));
%!      endif
%!    endif
%!  endfor
%!endfunction
%!function tf = isequaln (a, b)
%!  if (isnumeric (a) && isnumeric (b))
%!    tf = isequal (size (a), size (b)) && isequal (isnan (a), isnan (b)) && isequal (a(! isnan (a)), b(! isnan (b)));
%!  elseif (iscell (a) && iscell (b))
%!    tf = isequal (size (a), size (b)) && all (cellfun (@isequaln, a(:), b(:)));
%!  else
%!    tf = isequal (a, b);
%!  endif
%!endfunction

%!test same (@any)
%!test same (@all)
%!test same (@find)
%!test same (@nnz)
%!test same (@sort)
%!test same (@unique)
%!test same (@fliplr)
%!test same (@flipud)
%!test same (@rot90)
%!test same (@triu)
%!test same (@tril)
%!test same (@isnan)
%!test same (@isinf)
%!test same (@isfinite)
%!test same (@floor)
%!test same (@ceil)
%!test same (@fix)
%!test same (@sqrt)
%!test same (@exp)
%!test same (@log)
%!test same (@log2)
%!test same (@log10)
%!test same (@tan)
%!test same (@atan)
%!test same (@sinh)
%!test same (@gamma)
%!test same (@erf)
%!test same (@real)
%!test same (@imag)
%!test same (@conj)
%!test same (@isempty)
%!test same (@numel)
%!test same (@length)
%!test same (@ndims)
%!test same (@rows)
%!test same (@columns)
%!test same (@isscalar)
%!test same (@isvector)
%!test same (@isrow)
%!test same (@iscolumn)
%!test same (@ismatrix)
%!test same (@issquare)
%!test same (@double)
%!test same (@single)
%!test same (@logical)
%!test same (@full)
%!test same (@sum)
%!test same (@prod)
%!test same (@cumsum)
%!test same (@cumprod)
%!test same (@sumsq)
%!test same (@max)
%!test same (@min)
%!test same (@cummax)
%!test same (@cummin)
%!test same (@mean)
%!test same (@median)
%!test same (@std)
%!test same (@var)
%!test same (@mode)
%!test same (@(x) max (x(:)) - min (x(:)))
%!test same (@diff)
%!test same (@norm)
%!test same (@trace)
%!test same (@rank)
%!test same (@det)
%!test same (@inv)
%!test same (@isdefinite)
%!test same (@issymmetric)
%!test same (@num2cell)
%!test same (@(x) mat2cell (x, rows (x), columns (x)))
%!test same (@expm)
%!test same (@null)
%!test same (@svd)
%!test same (@(x) abs (qr (x)))
%!test same (@(x) nthargout (2, 3, @lu, x))
%!test same (@(x) sort (abs (eig (x))))
%!test same (@(x) chol (x))
%!test same (@mat2str)
%!test same (@num2str)
%!test same (@disp)
%!test same (@transpose)
%!test same (@ctranspose)
%!test same (@vec)
%!test same (@(x) dot (x, x))
%!test same (@(x) cross (x, x))
%!test same (@(x) kron (x, x))
%!test same (@(x) cat (1, x, x))
%!test same (@(x) [x, x, x])
%!test same (@(x) [x; x; double(x)])
%!test same (@(x) repmat (x, 2, 3))
%!test same (@(x) reshape (x, [], 1))
%!test same (@(x) permute (x, [2 1]))
%!test same (@(x) circshift (x, 1))
%!test same (@(x) x \ ones (rows (x), 1))
%!test same (@(x) filter ([1 1], 1, double (x)))
%!test same (@(x) conv (double (x), [1 2]))
%!test same (@(x) cellfun (@numel, {x, x}))
%!test same (@(x) arrayfun (@(e) e + 1, x))
%!test same (@(x) bsxfun (@plus, x, x))
%!test same (@(x) accumarray (double (x(:)), 1))
%!test same (@(x) histc (double (x(:)), 0:5))
%!test same (@(x) interp1 (1:3, [4 5 6], x))
%!test same (@(x) isequal (x, x))
%!test same (@(x) ismember (x, [1 2]))
%!test same (@(x) {x}{1})
%!test same (@(x) struct ("a", x).a)
%!test same (@(x) num2hex (double (x)))
%!test same (@(x) nnz (x > 1))
%!test same (@(x) sub2ind ([20 20], x, x))
%!test same (@(x) idivide (int32 (x), int32 (2)))
%!test same (@(x) numel (x(:)))
%!test same (@(x) rem (x, 2))
%!test same (@(x) power (x, 2))
%!test same (@(x) hypot (x, 1))
%!test same (@(x) atan2 (x, 2))
%!test same (@(x) bitand (x, 1))
%!test same (@(x) nth_element (x, 1))
%!test same (@(x) sortrows (x))
%!test same (@(x) isprime (x))
%!test same (@(x) factor (x(1)))
%!test same (@(x) floor (x / 2))
%!test same (@(x) sign (x))
%!test same (@(x) round (x / 2))

## Control flow, containers and calls.
%!test
%! p = p_matrix ([3 1 2]);
%! seen = [];
%! for e = p
%!   seen(end+1) = e;
%! endfor
%! assert (seen, [3 1 2]);
%! if (p)
%!   seen = 1;
%! endif
%! assert (seen, 1);
%! while (p(1) > 3)
%!   error ("not reached");
%! endwhile
%! switch (p_matrix (2))
%!   case 2
%!     seen = 2;
%! endswitch
%! assert (seen, 2);
%! c = {p, p + 1};
%! assert (full (c{2}), [4 2 3]);
%! assert (full (feval (@plus, p, 1)), [4 2 3]);
%! assert (cellfun (@(x) x(1), c), [3 4]);
%! assert (full (p(p_matrix (2)) + 1), 2);
%! assert (ones (2)(p_matrix (1)), 1);
%! assert (zeros (p_matrix (2), 1), zeros (2, 1));
%! assert (isequal (p, [3 1 2]), true);
%! assert (isequal ([3 1 2], p), true);
%! [s, k] = sort (p);
%! assert (full (s), [1 2 3]);
%! assert (full (k), [2 3 1]);
%! [m, k] = max (p);
%! assert ([m k], [3 1]);
%! assert (full (p'), [3; 1; 2]);
%! assert (full (p * p'), 14);
%! assert (full (p' * p), [3;1;2] * [3 1 2]);
%! assert (all (p > 0) && ! any (p > 3));
%! x = linspace (0, 1, p_matrix (3));
%! assert (x, [0 0.5 1]);

## Reductions of few numbers have Octave's bits, in every shape, with NaN, Inf and -0 among them.
%!test
%! reductions = {@sum, @prod, @sumsq, @cumsum, @any, @all, @max, @min};
%! numbers = [0.1, -0, 3, NaN, 7, -Inf, 1e200, 2, -0.3, 1e-200, 5, 5, 0, -8, 1/3, 64];
%! for shape = {[1, 1], [1, 4], [4, 1], [3, 5], [8, 8], [1, 64], [64, 1], [2, 32]}
%!   for shift = 0:15
%!     x = reshape (numbers(mod ((0:prod (shape{1}) - 1) * 7 + shift, 16) + 1), shape{1});
%!     for plain = {x, single(x), x > 1}
%!       p = p_matrix (plain{1});
%!       for f = reductions
%!         expected = f{1}(plain{1});
%!         result = f{1}(p);
%!         assert (class (full (result)), class (expected));
%!         assert (isequaln (full (result), expected) && isequal (1 ./ full (result)(1), 1 ./ expected(1)) == ! isnan (1 ./ expected(1)));
%!       endfor
%!       assert (isequaln (full (sum (p, 2)), sum (plain{1}, 2)) && isequaln (full (cumsum (p, 2)), cumsum (plain{1}, 2)));
%!       if ! islogical (plain{1})
%!         assert (full (norm (p(:))), norm (plain{1}(:)));
%!         assert (full (norm (p, "fro")), norm (plain{1}, "fro"));
%!       endif
%!     endfor
%!   endfor
%! endfor
