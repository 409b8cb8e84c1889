## Small operations, those of a microsecond at most: bits, classes and shapes of the engine's results around each
## limit, and when they are computed.

## Class, shape and a hash of the bits of a result.
%!function text = bits (x)
%!  text = sprintf ("%s %s %dx%d %s", class (full (x)), {"plain", "lazy"}{1 + isa (x, "p_matrix")}, size (x), ...
%!                  hash ("md5", char (typecast (double (full (x))(:)', "uint8"))));
%!endfunction

%!function text = outcome_of (f, varargin)
%!  try
%!    text = bits (f (varargin{:}));
%!  catch failure
%!    text = failure.message;
%!  end_try_catch
%!endfunction

## Element-wise operations on two operands, and on one.
%!function outcomes = elementwise (n, seed)
%!  x = mod ((1:n)' * 0.7310585786300049 * seed, 1) - 0.3;
%!  y = mod ((1:n)' * 0.3819660112501051 * seed, 1) - 0.6;
%!  sides = {p_matrix(x), p_matrix(single (y)), p_matrix(x > 0), p_matrix(y(1)), p_matrix(single (x(1))), p_matrix(y(1) > 0), y, 0.25, single(3), true};
%!  outcomes = {};
%!  for f = {@plus, @minus, @times, @rdivide, @ldivide, @lt, @ge, @ne, @eq, @and, @or, @max, @min, @atan2, @mod, @hypot}
%!    for a = sides(1:6)
%!      for b = sides
%!        outcomes{end+1} = outcome_of (f{1}, a{1}, b{1});
%!        outcomes{end+1} = outcome_of (f{1}, b{1}, a{1});
%!      endfor
%!    endfor
%!  endfor
%!  for f = {@abs, @uminus, @not, @exp, @sin, @tanh, @sqrt, @round, @sign, @isnan, @transpose, @(z) z(:), @(z) z(end:-1:1), @(z) z(2:2:end), ...
%!           @(z) sum (z), @(z) sumsq (z), @(z) cumsum (z), @(z) prod (z), @(z) max (z), @(z) min (z), @(z) any (z), @(z) all (z), ...
%!           @(z) norm (z), @(z) [z; z], @(z) [z, z], @(z) reshape (z, 1, [])}
%!    for a = sides(1:6)
%!      outcomes{end+1} = outcome_of (f{1}, abs (a{1}));
%!    endfor
%!  endfor
%!endfunction

%!function outcomes = products (m, k, n)
%!  x = mod ((1:m)' * (1:k) * 0.7310585786300049, 1) - 0.3;
%!  y = mod ((1:k)' * (1:n) * 0.3819660112501051, 1) - 0.6;
%!  outcomes = {};
%!  for convert = {@double, @single}
%!    a = p_matrix (convert{1} (x));
%!    b = p_matrix (convert{1} (y));
%!    [s, t] = deal (p_matrix (convert{1} (x')), p_matrix (convert{1} (y')));
%!    for product = {a * b, s' * b, a * t', s' * t', s.' * y, x * t', a * y, x * b, a .* x(1,:), a - x(:,1), sum(a, 1), sum(a, 2), max(a, [], 2), a(:,end)}
%!      outcomes{end+1} = bits (product{1});
%!    endfor
%!  endfor
%!endfunction

%!function check (f, varargin)
%!  before = p_config ();
%!  unwind_protect
%!    actual = f (varargin{:});
%!    for setting = {{"small", false}, {"immediate", false}}
%!      p_config (setting{1}{:});
%!      expected = f (varargin{:});
%!      for i = 1:numel (expected)
%!        if (! strcmp (actual{i}, expected{i}))
%!          error ("outcome %d of %s (%s) is %.80s instead of %.80s", i, func2str (f), disp (varargin), actual{i}, expected{i});
%!        endif
%!      endfor
%!      p_config (rmfield (before, "running"));
%!    endfor
%!  unwind_protect_cleanup
%!    p_config (rmfield (before, "running"));
%!  end_unwind_protect
%!endfunction

%!test
%! for n = [1, 2, 63, 64, 65, 66, 127, 255, 256, 257, 520]
%!   check (@elementwise, n, n + 1);
%! endfor

## Cheap operations are small up to 8,192 elements.
%!test
%! for n = [4095:4097, 8191:8193]
%!   check (@elementwise, n, 3);
%! endfor

%!test
%! for sides = {[1 64 1], [1 65 1], [1 700 1], [1 1000 1], [1 2304 1], [1 2306 1], [1 6000 1], [8 8 1], [20 20 1], [21 21 1], [45 45 1], [46 46 1], [12 12 12], [20 20 20], ...
%!              [40 1 40], [45 1 46], [1 40 40], [64 32 1], [3 600 2], [65 65 1], [150 150 1], [90 91 2], [256 256 1], [257 256 1], [50 50 50], [60 60 60], [300 1 300]}
%!   check (@products, num2cell (sides{1}){:});
%! endfor

## Few elements are computed when they are needed; more elements when the operation is stated, unless the result
## is complex; and never before they are needed where the user wants no immediate execution.
%!test
%! few = p_matrix (ones (8)) + 1;
%! assert (has_result (few), false);
%! many = p_matrix (ones (9)) + 1;
%! assert (has_result (many));
%! root = sqrt (p_matrix (-ones (9)));
%! assert (has_result (root), false);
%! assert (full (root), sqrt (-ones (9)));
%! restore = without_immediate ();
%! many = p_matrix (ones (9)) + 1;
%! assert (has_result (many), false);

## What is small does not go through the engine, and a long product does.
%!test
%! v = p_matrix (ones (300, 1));
%! before = p_profile ();
%! w = v + v;
%! s = v' * w;
%! u = v / 2;
%! after = p_profile ();
%! assert (after.small_operations - before.small_operations, 3);
%! long = p_matrix (ones (1, 6000)) * p_matrix (ones (6000, 1));
%! assert (full (long), 6000);
%! assert (p_profile ().small_operations, after.small_operations);

## A product with a transposed matrix is one small operation, whatever its second factor is, and as lazy as any.
%!test
%! x = reshape (1:600, 20, 30);
%! p = p_matrix (x);
%! before = p_profile ();
%! products = {p' * p, p * p', p' * x, x * p', single(p)' * p, p.' * x, (x > 0)' * p};
%! after = p_profile ();
%! assert (after.small_operations - before.small_operations, 7);
%! assert (after.operations_recorded - before.operations_recorded, 7);
%! expected = {x' * x, x * x', x' * x, x * x', single(x)' * x, x' * x, (x > 0)' * x};
%! for i = 1:numel (products)
%!   assert (has_result (products{i}));
%!   assert (full (products{i}), expected{i});
%! endfor
%! few = p_matrix (magic (4));
%! product = few' * few;
%! assert (has_result (product), false);
%! few(1) = 100;
%! assert (full (product), magic (4)' * magic (4));

## A matrix that is small is changed without a copy for the engine or for another variable to see the change.
%!test
%! x = p_matrix (reshape (1:4225, 65, 65));
%! y = x + 1;
%! z = y;
%! product = y * ones (65, 1);
%! y(2,3) = -1;
%! y(:,1) = 0;
%! assert (full (z), reshape (2:4226, 65, 65));
%! assert (full (y), [zeros(65, 1), [z(:,2), [z(1,3); -1; z(3:65,3)], z(:,4:65)]]);
%! assert (full (product), sum (full (z), 2));

## Parts of a matrix that the engine has computed are copied from there.
%!test
%! x = p_matrix (reshape (1:10000, 100, 100)) + 1;
%! x(1);
%! assert (full (x(:,7) + x(7,:)'), reshape (1:10000, 100, 100)(:,7) + reshape (1:10000, 100, 100)(7,:)' + 2);

## An assignment to an element changes no result that was computed from the elements before.
%!test
%! x = p_matrix (ones (100, 1));
%! y = x + 1;
%! z = x(:);
%! x(3) = 5;
%! assert (full (y), 2 * ones (100, 1));
%! assert (full (z), ones (100, 1));
%! assert (full (x)(3), 5);

## A plain number on either side of a number that is a p_matrix, and truth values that are negated, give what
## plain Octave gives; the negation of NaN is refused.
%!test
%! numbers = {3, -0.5, 0, Inf, NaN, single(2.5), true, false};
%! functions = {@(x, y) x + y, @(x, y) x - y, @(x, y) x * y, @(x, y) x / y, @(x, y) x .\ y, @(x, y) x .^ y, @(x, y) x < y, ...
%!              @(x, y) ! (x >= y), @(x, y) ! (x == y)};
%! for f = functions
%!   for x = numbers
%!     for y = numbers
%!       expected = f{1}(x{1}, y{1});
%!       for actual = {f{1}(p_matrix (x{1}), y{1}), f{1}(x{1}, p_matrix (y{1}))}
%!         assert (isa (actual{1}, "p_matrix"));
%!         assert (class (full (actual{1})), class (expected));
%!         assert (full (actual{1}), expected);
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! for n = [1, 2, 17, 64, 65]
%!   truth = mod (1:n, 3) == 0;
%!   assert (full (! p_matrix (truth)), ! truth);
%!   assert (full (! (p_matrix (1:n) > 2)), ! ((1:n) > 2));
%! endfor
%! assert (full (! p_matrix (-0)), true);
%!error <invalid|NaN|nan> ! p_matrix (NaN)
