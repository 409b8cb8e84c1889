## Complex arrays and arrays of more than two dimensions are p_matrix values with Octave's results.

%!function x = array (type, varargin)
%!  x = reshape (mod (3 * (1:prod ([varargin{:}])), 7) - 3, varargin{:});
%!  if (strcmp (type, "complex"))
%!    x = x + 1i * flip (x);
%!  else
%!    x = cast (x, type);
%!  endif
%!endfunction

%!function same (f, varargin)
%!  expected = outcome (f, varargin{:});
%!  actual = outcome (f, cellfun (@p_matrix, varargin, "UniformOutput", false){:});
%!  if (! isequal (expected.message, actual.message))
%!    error ("%s: error '%s' instead of '%s'", func2str (f), actual.message, expected.message);
%!  endif
%!  text = difference (expected.value, actual.value, 2);
%!  if (! isempty (text))
%!    error ("%s: %s", func2str (f), text);
%!  endif
%!  ## An array stays a p_matrix, but for diagonal matrices and functions of Octave that choose by the class
%!  ## of the elements.
%!  if (isfloat (expected.value) && numel (expected.value) > 1 && isempty (regexp (typeinfo (expected.value), 'diagonal')) ...
%!      && isempty (regexp (func2str (f), '\<(cumprod|cummax|find|size|num2cell|arrayfun|median|diff|fft|double|single|1i \*) ')))
%!    assert (class (actual.value), "p_matrix");
%!  endif
%!endfunction

%!function functions = of_one ()
%!  functions = {@(x) x, @(x) size (x), @(x) ndims (x), @(x) numel (x), @(x) columns (x), @(x) size (x, 3), @(x) isempty (x), ...
%!    @(x) isreal (x), @(x) iscomplex (x), @(x) ismatrix (x), @(x) isvector (x), @(x) issquare (x), @(x) isnumeric (x), ...
%!    @(x) islogical (x), @(x) isfloat (x), @(x) isscalar (x), @(x) x + 1, @(x) 2 - x, @(x) x .* x, @(x) x ./ 2, @(x) 2 .^ x, @(x) x .^ 2, ...
%!    @(x) x * 2, @(x) x / 2, @(x) -x, @(x) +x, @(x) ! x, @(x) x == 1, @(x) x != x, @(x) x < 2, @(x) x & true, @(x) x | x, ...
%!    @(x) x', @(x) x.', @(x) x * x, @(x) x + single (1), @(x) x + [1 2; 3 4], @(x) abs (x), @(x) sign (x), @(x) round (x), @(x) floor (x), ...
%!    @(x) sqrt (x), @(x) exp (x), @(x) log (x), @(x) sin (x), @(x) isnan (x), @(x) isfinite (x), @(x) real (x), @(x) imag (x), ...
%!    @(x) conj (x), @(x) arg (x), @(x) mod (x, 2), @(x) rem (x, 2), @(x) atan2 (x, 1), @(x) hypot (x, 2), @(x) max (x), @(x) max (x, 1), ...
%!    @(x) min (x, [], 3), @(x) sum (x), @(x) sum (x, 2), @(x) sum (x, 3), @(x) prod (x, 3), @(x) sumsq (x, 3), @(x) cumsum (x, 3), ...
%!    @(x) cumprod (x), @(x) mean (x, 3), @(x) mean (x), @(x) any (x), @(x) any (x, 3), @(x) all (x, 3), @(x) median (x, 3), @(x) norm (x), ...
%!    @(x) norm (x(:)), @(x) dot (x, x), @(x) dot (x, x, 3), @(x) diag (x), @(x) tril (x), @(x) triu (x), @(x) reshape (x, [], 2), ...
%!    @(x) reshape (x, 2, []), @(x) reshape (x, 2, 1, []), @(x) permute (x, [2 1 3]), @(x) permute (x, [3 1 2]), @(x) squeeze (x), ...
%!    @(x) squeeze (x(1,:,:)), @(x) squeeze (sum (x, 1)), @(x) cat (3, x, x), @(x) cat (1, x, x), @(x) [x, x], @(x) [x; x], ...
%!    @(x) [x, 1i * x], @(x) horzcat (x, x, x), @(x) repmat (x, 2, 2), @(x) repmat (x, [1 1 2]), @(x) x(:), @(x) x(1), @(x) x(end), ...
%!    @(x) x(:,1), @(x) x(1,:), @(x) x(:,:,1), @(x) x(:,:,end), @(x) x(2,1,1), @(x) x(:,:), @(x) x(x > 0), @(x) x([1 2; 3 4]), ...
%!    @(x) x(0), @(x) x(1e6), @(x) x(1,1,100), @(x) x(1.5), @(x) sort (x), @(x) sort (x, 3), @(x) find (x), @(x) diff (x), ...
%!    @(x) diff (x, 1, 3), @(x) fft (x), @(x) fft (x, [], 3), @(x) flip (x, 3), @(x) circshift (x, 1, 3), @(x) rot90 (x), @(x) nnz (x), ...
%!    @(x) double (x), @(x) single (x), @(x) logical (x), @(x) int8 (real (x)), @(x) num2cell (x), @(x) arrayfun (@(e) e + 1, x), ...
%!    @(x) cellfun (@(e) e + 1, {x}, "UniformOutput", false), @(x) cellfun (@numel, {x}), @(x) cellfun ("ndims", {x}), ...
%!    @(x) isequal (x, x), @(x) bsxfun (@plus, x, 1), @(x) accumarray ([1; 2], x(1:2)(:)), @(x) sprintf ("%g ", real (x)), ...
%!    @(x) evalc ("x"), @(x) evalc ("disp (x)"), @(x) num2str (x(:,:,1)), @(x) vec (x), @(x) zeros (size (x)), @(x) ones (2, "like", x), ...
%!    @(x) isrow (x), @(x) inv (x), @(x) det (x), @(x) x \ x, @(x) x / x, @(x) x ^ 2, @(x) kron (x, [1 2]), @(x) interp1 (x(:), 1.5), ...
%!    @(x) cummax (x), @(x) isa (x, "double"), @(x) nthargout (1:2, @max, x), @(x) nthargout (1:3, @size, x), @(x) typecast (x(:), "uint8"), ...
%!    @(x) changed (x, "x(2) = 1i;"), @(x) changed (x, "x(:,:,2) = 1;"), @(x) changed (x, "x(:,:,end+1) = 2;"), @(x) changed (x, "x(1) = [];"), ...
%!    @(x) changed (x, "x(:,1,:) = [];"), @(x) changed (x, "x(:,:,1) = [];"), @(x) changed (x, "x(end) = 7;"), @(x) changed (x, "x(:) = 0;"), ...
%!    @(x) changed (x, "x(3,4,5) = 1;"), @(x) changed (x, "x++;"), @(x) changed (x, "x--;"), @(x) changed (x, "x += 1;"), ...
%!    @(x) changed (x, "x(1,1) += 2i;"), @(x) changed (x, "x .*= x;"), @(x) changed (x, "x(x == 1) = 5;"), @(x) changed (x, "y = x; y(1) = 9;"), ...
%!    @(x) changed (x, "x(100000) = int8 (1);"), @(x) changed (x, "x(1,2,3,4) = 1;"), @(x) changed (x, "s.a = x; s.a(2) = 3i; x = s.a;"), ...
%!    @(x) changed (x, "c = {x}; c{1}(1) = 2; x = c{1};"), @(x) changed (x, "x(0) = 1;"), @(x) changed (x, "x(:,:,7)(1) = 1;")};
%!endfunction
%!function x = changed (x, code)
%!  eval (code);
%!endfunction

%!test
%! warning ("off", "all", "local");
%! for type = {"double", "single", "logical", "complex"}
%!   for shape = {{2, 3, 4}, {2, 2, 2}, {1, 1, 5}, {3, 1, 2}, {0, 2, 3}, {9, 9, 2}}
%!     for f = of_one ()
%!       same (f{1}, array (type{1}, shape{1}{:}));
%!     endfor
%!   endfor
%! endfor
%!test
%! warning ("off", "all", "local");
%! for shape = {{1, 1}, {2, 2}, {1, 5}, {4, 1}, {0, 3}, {9, 9}}
%!   for f = of_one ()
%!     same (f{1}, array ("complex", shape{1}{:}));
%!     same (f{1}, single (array ("complex", shape{1}{:})));
%!   endfor
%! endfor

## With two operands, either of them held.
%!test
%! functions = {@plus, @minus, @times, @rdivide, @power, @eq, @ne, @lt, @ge, @and, @or, @mtimes, @max, @min, @hypot, @mod, @atan2, ...
%!              @(x, y) [x, y], @(x, y) [x; y], @(x, y) cat (3, x, y), @(x, y) dot (x, y)};
%! operands = {array("double", 2, 3, 2), array("double", 2, 3), array("complex", 2, 3), array("single", 2, 3, 2), array("double", 1, 3), 2, 1i, ...
%!             array("logical", 2, 3), array("complex", 2, 3, 2), array("double", 1, 1, 2)};
%! for f = functions
%!   for x = operands
%!     for y = operands
%!       same (f{1}, x{1}, y{1});
%!     endfor
%!   endfor
%! endfor
%!test
%! for x = {array("double", 2, 3, 2), array("complex", 2, 3), array("logical", 2, 3)}
%!   for y = {array("double", 2, 3), array("complex", 2, 3), 2i, array("single", 2, 3), ones(3, 2)}
%!     same (@changed_by, x{1}, y{1});
%!   endfor
%! endfor
%!function x = changed_by (x, y)
%!  x(:,:,2) = y;
%!endfunction

## A matrix becomes one by assignment, and is none any more.
%!test
%! x = p_matrix ([1 2 3]);
%! x(2) = 1i;
%! assert (iscomplex (x) && isa (x, "p_matrix"));
%! x(2) = 5;
%! assert (isreal (x));
%! y = x * 2;
%! assert (has_result (y), false);
%! assert (full (y), [2 10 6]);
%! x(:,:,2) = 1;
%! assert (size (x), [1 3 2]);
%! assert (size (p_info (x).size), [1 3]);
%! x(:,:,1) = [];
%! y = x + 1;
%! assert (has_result (y), false);
%! assert (full (y), [2 2 2]);

## Saved and loaded.
%!test
%! x = p_matrix (array ("double", 2, 3, 2));
%! y = p_matrix (array ("complex", 2, 3));
%! for format = {"-text", "-binary", "-hdf5"}
%!   name = tempname ();
%!   save (format{1}, name, "x", "y");
%!   s = load (name);
%!   delete (name);
%!   assert (full (s.x), full (x));
%!   assert (full (s.y), full (y));
%! endfor

## Operations on them count as Octave's.
%!test
%! x = p_matrix (array ("complex", 2, 3));
%! before = p_profile ().fallbacks;
%! y = x + 1;
%! y = abs (x);
%! y = sum (x);
%! assert (p_profile ().fallbacks, before + 3);

## A power with broadcast operands is complex where Octave says so of the whole matrix.
%!test
%! bases = {[-1 2], [-1; 2], [-8 4; 2 3], [1 2; 3 4], -2, [-2 NaN], [-Inf; 3]};
%! exponents = {[2 0.5], [2; 0.5], [2 0.5; 2 0.5], [2 NaN; 2 1], [1 2; 3 4], 0.5, NaN, [NaN 2], [2; NaN], [3e9 2], [Inf; 2], [2 Inf; 2 3], [3e9 2; 3 1]};
%! for type = {"double", "single"}
%!   for a = bases
%!     for b = exponents
%!       x = cast (a{1}, type{1});
%!       for n = [1 20]
%!         big = @(m) repmat (m, 1 + (n - 1) * (rows (m) == 2), 1 + (n - 1) * (columns (m) == 2));
%!         expected = big (x) .^ big (b{1});
%!         for lazy = {@(x) p_matrix (x), @(x) p_matrix (x) + 0}
%!           for actual = {lazy{1}(big (x)) .^ big(b{1}), big(x) .^ lazy{1}(big (b{1})), lazy{1}(big (x)) .^ lazy{1}(big (b{1}))}
%!             text = difference (expected, actual{1}, 2);
%!             if (! isempty (text))
%!               error ("%s .^ %s, %d times: %s", mat2str (x), mat2str (b{1}), n, text);
%!             endif
%!           endfor
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! assert (has_result (p_matrix ([1 2; 3 4]) .^ [2 3]), false);
%! assert (has_result (p_matrix ([1; 2] + 0) .^ [2 0.5]), false);

## The values of a map.
%!test
%! m = containers.Map ({"a", "b"}, {p_matrix(3), p_matrix(4)});
%! assert (m.ValueType, "double");
%! assert (full (m("b")), 4);
%! m("c") = p_matrix (5);
%! assert (m.Count, uint64 (3));
%! assert (containers.Map ("a", sqrt (p_matrix (-1))).ValueType, "double");
%! assert (containers.Map ("a", p_matrix (single (2))).ValueType, "single");
%! assert (containers.Map ("a", p_matrix ([1 2])).ValueType, "any");
%! assert (containers.Map (p_matrix (3), "x")(3), "x");
%! assert (containers.Map ({p_matrix(3), p_matrix(4)}, {"x", "y"})(4), "y");
%! assert (cellfun ("class", {p_matrix(1)}, "UniformOutput", false), {"p_matrix"});
