## Subscripted assignment, deletion and growth; each step also runs on Octave's own matrix.

%!function same (steps, start)
%!  if (nargin < 2)
%!    start = magic (4);
%!  endif
%!  x = start;
%!  expected = outcome (@run, x, steps);
%!  actual = outcome (@run, p_matrix (start), steps);
%!  pending = outcome (@run, p_matrix (start) .* 1, steps);
%!  assert (actual.message, expected.message);
%!  assert (actual.identifier, expected.identifier);
%!  if (isempty (expected.message))
%!    assert (difference (expected.value, actual.value), "");
%!    assert (difference (double (expected.value), double (pending.value)), "");
%!  endif
%!endfunction
%!function x = run (x, steps)
%!  eval ([steps ";"]);
%!endfunction

%!test same ("x(2) = 7")
%!test same ("x(2,3) = 7")
%!test same ("x(end) = 7")
%!test same ("x(end,1) = -0")
%!test same ("x(:,2) = 5")
%!test same ("x(:,2) = [1;2;3;4]")
%!test same ("x(2:3,[1 4]) = ones (2)")
%!test same ("x(x > 8) = 0")
%!test same ("x(:) = 1:16")
%!test same ("x(6,6) = 1")
%!test same ("x(end+1,:) = 1")
%!test same ("x(:,2) = []")
%!test same ("x([1 3],:) = []")
%!test same ("x(:) = []")
%!test same ("x(2) += 5")
%!test same ("x(:,1) *= 2")
%!test same ("x += 1; x .*= 2; x -= 3")
%!test same ("x *= x")
%!test same ("x /= 4")
%!test same ("x ^= 2")
%!test same ("x++; ++x; x--; --x")
%!test same ("x(2) = single (7)")
%!test same ("x(2) = true")
%!test same ("x(2) = 3i")
%!test same ("x(2) = int8 (3)")
%!test same ("x(:,:,2) = 1")
%!test same ("x(0) = 1")
%!test same ("x(1.5) = 1")
%!test same ("x(:,2) = [1 2 3]")
%!test same ("x(2,:) = []; x(1,:) = []; x(3) = 9")
%!test same ("x{2} = 1")
%!test same ("x.field = 1")
%!test same ("x(3) = 8", 5)
%!test same ("x(3) = 8", [])
%!test same ("x(3) = 8", true (2))
%!test same ("x(3) = true", true (2))
%!test same ("x(3) = 0.1", single (magic (3)))

## The right side may be a p_matrix, and so may the subscript.
%!test
%! m = magic (4);
%! m(2,:) = p_matrix ([1 2 3 4]);
%! assert (m(2,:), [1 2 3 4]);
%! assert (class (m), "double");
%! x = p_matrix (zeros (2));
%! x(1,:) = p_matrix ([5 6]) + 1;
%! assert (full (x), [6 7; 0 0]);
%! m = 1:5;
%! assert (m(p_matrix ([2 4])), [2 4]);
%! assert (m(p_matrix ([1 0 1 0 1]) == 1), [1 3 5]);

## Copy-on-write: the other variable keeps its value, pending or not.
%!test
%! a = p_matrix ([1 2 3]);
%! b = a;
%! b(2) = 9;
%! assert (full (a), [1 2 3]);
%! assert (full (b), [1 9 3]);
%! c = a + 1;
%! d = c;
%! d(1) = 0;
%! assert (full (c), [2 3 4]);
%! assert (full (d), [0 3 4]);

%!test
%! a = p_matrix ([1 2 3]);
%! b = a;
%! a++;
%! b -= 1;
%! assert (full (a), [2 3 4]);
%! assert (full (b), [0 1 2]);

## A pending operation keeps the operand that it was recorded with.
%!test
%! a = p_matrix ([1 2 3]);
%! later = a * 2;
%! a(1) = 100;
%! assert (full (later), [2 4 6]);
%! assert (full (a), [100 2 3]);

## So does the plain matrix that was wrapped.
%!test
%! m = [1 2 3];
%! a = p_matrix (m);
%! later = a * 2;
%! m(1) = 50;
%! a(2) = 60;
%! assert (full (later), [2 4 6]);
%! assert (m, [50 2 3]);
%! assert (full (a), [1 60 3]);
%! m = ones (1, 3);
%! later = a + m;
%! m(:) = 7;
%! assert (full (later), [2 61 4]);

## A failed assignment changes nothing.
%!test
%! a = p_matrix ([1 2 3]);
%! fail ("a(0) = 1");
%! assert (full (a), [1 2 3]);

## In place: nothing is copied when the matrix has one owner.  A copy is seen in the most memory that the
## process has had at once: a matrix of more than 32 MB always gets memory of its own from the system.
%!function kilobytes = most_memory ()
%!  kilobytes = str2double (regexp (fileread ("/proc/self/status"), 'VmHWM:\s*(\d+)', "tokens"){1}{1});
%!endfunction
%!function forget_most_memory ()
%!  file = fopen ("/proc/self/clear_refs", "w");
%!  fputs (file, "5");
%!  fclose (file);
%!endfunction
%!function kilobytes = grown_by_assignments (shared, column)
%!  x = p_matrix (ones (2100));
%!  y = x + 1;
%!  assert (y(1), 2);
%!  clear y
%!  x(1) = 0;
%!  forget_most_memory ();
%!  before = most_memory ();
%!  if (shared)
%!    other = x;
%!  elseif (column)
%!    other = x(:,5);
%!    later = x(1:2000) * 2;
%!  endif
%!  for i = 1:2000
%!    x(i) = i;
%!  endfor
%!  kilobytes = most_memory () - before;
%!  assert (x([1 2000 2001]), p_matrix ([1 2000 1]));
%!endfunction
%!test
%! if (! isempty (strfind (getenv ("LD_PRELOAD"), "valgrind")))
%!   puts ("  no measurement: the memory of this process is valgrind's\n");
%!   return;
%! endif
%! matrix = 2100^2 * 8 / 1024;
%! assert (grown_by_assignments (false, false) < matrix / 4);
%! assert (grown_by_assignments (false, true) < matrix / 4);
%! assert (grown_by_assignments (true, false) > matrix / 2);

## Nor does a matrix change that lies in a container, or that a function was given.
%!function x = changed (x)
%!  x(2) = 9;
%!endfunction
%!test
%! a = p_matrix ([1 2 3]);
%! s.inner.a = a;
%! c = {a, 1};
%! f = @() a;
%! s.inner.a(2) = 5;
%! c{1}(3) = 6;
%! b = changed (a);
%! t = s;
%! t.inner.a(1:2) = 0;
%! assert (full (a), [1 2 3]);
%! assert (full (f ()), [1 2 3]);
%! assert (full (s.inner.a), [1 5 3]);
%! assert (full (t.inner.a), [0 0 3]);
%! assert (full (c{1}), [1 2 6]);
%! assert (full (b), [1 9 3]);
%! fail ("s.inner.a(0) = 1");
%! fail ("c{1}(1.5) = 1");
%! assert (full (s.inner.a), [1 5 3]);
%! assert (full (c{1}), [1 2 6]);

## What an assignment makes of a matrix is computed with: another size, another class, and back.
%!function y = grown (x)
%!  x(3,3) = 2;
%!  y = x * x + 1;
%!  x(:,2) = [];
%!  y = [y, x];
%!  x(1) = single (0.1);
%!  y = {y, x + 1, size(x), x'};
%!  x(1) = 2i;
%!  y{end+1} = [real(x), x * 2];
%!  x(:,:,2) = 1;
%!  y{end+1} = x + 1;
%!  x(2) = int8 (3);
%!  y{end+1} = x;
%!endfunction
%!assert (cellfun (@full, grown (p_matrix ([1 2; 3 4])), "UniformOutput", false), grown ([1 2; 3 4]))
%!assert (cellfun (@full, grown (p_matrix ([1 2; 3 4]) * 1), "UniformOutput", false), grown ([1 2; 3 4]))

## Elements and parts of a matrix that the engine has computed are copied from there, and nothing else is.
%!function compare_parts (x, expected)
%!  p_wait (x);
%!  assert (x(7), expected(7));
%!  assert (x(3,4), expected(3,4));
%!  assert (x(end), expected(end));
%!  assert (full (x(:,2)), expected(:,2));
%!  assert (full (x(5,:)), expected(5,:));
%!  assert (full (x(2:3,4:-1:2)), expected(2:3,4:-1:2));
%!  assert (full (x(end:-53:1)), expected(end:-53:1));
%!  assert (full (x((45:55)')), expected((45:55)'));
%!  assert (full (x(:,end:-1:end-1)), expected(:,end:-1:end-1));
%!  assert (full (x(3,[])), expected(3,[]));
%!  assert (class (full (x(:,2))), class (expected));
%!  assert (full (x([3 1],2)), expected([3 1],2));
%!endfunction
%!test
%! m = reshape (1:2500, 50, 50);
%! compare_parts (p_matrix (m) * 2, m * 2);
%! compare_parts (p_matrix (single (m)) * 2, single (m) * 2);
%! compare_parts (p_matrix (m) > 1000, m > 1000);
%! compare_parts (sqrt (p_matrix (100 - m)), sqrt (100 - m));
%!test
%! x = p_matrix (rand (100)) + 1;
%! p_wait (x);
%! before = p_profile ().bytes_out;
%! y = x(3) + x(4,5);
%! z = x(:,7);
%! assert (p_profile ().bytes_out - before, (2 + 100) * 8);
%! for i = 1:3000
%!   y = x(i);
%! endfor
%! assert (p_profile ().bytes_out - before <= (10000 + 2500) * 8);
%! assert (full (z), full (x)(:,7));
%!test
%! m = rand (100);
%! for part = {"x(101,1)", "x(0)", "x(1.5)", "x(:,101)", "x(1,2,3)", "x(10001)", "x(2,1:101)"}
%!   x = p_matrix (m) + 1;
%!   p_wait (x);
%!   expected = outcome (@run, m, part{1});
%!   actual = outcome (@run, x, part{1});
%!   assert (actual.message, expected.message);
%!   assert (actual.identifier, expected.identifier);
%! endfor

## A variable that an assignment to a part begins has the class of what is assigned.
%!test
%! for plain = {[true, false], single([2, 1]), [3, 4]}
%!   clear x y z
%!   x(1:2,3:4) = [plain{1}; plain{1}];
%!   y(1:2,3:4) = p_matrix ([plain{1}; plain{1}]);
%!   z(:,2) = p_matrix (2) > 1;
%!   assert (class (full (y)), class (x));
%!   assert (full (y), x);
%!   assert (full (z), [false, true]);
%! endfor

## Text as a subscript has one warning.
%!test
%! p = p_matrix (1:130);
%! warning ("on", "Octave:str-to-num", "local");
%! text = evalc ("q = (-p)(\"a\");");
%! assert (full (q), -97);
%! assert (numel (strfind (text, "implicit conversion")), 1);

## A number that an operation has read, and that is then changed in place, is the changed number for every
## later operation.
%!test
%! for index = {{1}, {2, 3}}
%!   for read = {@(s) s * ones (100), @(s) [1, 2, 3] .* s, @(s) norm (s, Inf), @(s) s - ones (100, 1)}
%!     outcomes = cell (1, 2);
%!     for wrapped = [false, true]
%!       s = 6;
%!       if wrapped
%!         s = p_matrix (s);
%!       endif
%!       s = s - 1;
%!       early = s + 1;
%!       assert (full (early), 6);
%!       late = read{1}(s);
%!       s(index{1}{:}) = 7;
%!       outcomes{wrapped + 1} = {full(s + 1), full(-s), full(s & true), full(s), full(late)};
%!     endfor
%!     assert (outcomes{2}, outcomes{1});
%!   endfor
%! endfor

## Slices of computed matrices, and assignments to them, of every class and size: a part is independent of the
## matrix, and an assignment changes the one variable.
%!test
%! ## Octave warns of a number that becomes an element of a logical matrix.
%! warning ("off", "all", "local");
%! slices = {{":", 3}, {3, ":"}, {2:5, ":"}, {":", 6:-2:2}, {5:-1:2, 3:4}, {7}, {3:2:30}, {(4:6)'}, {":"}, {":", ":"}, {3, 4}, {1, 2:7}};
%! for n = [9, 12, 40, 120]
%!   for of = {@double, @single, @(x) x > 20}
%!     whole = of{1}(mod (magic (n), 41));
%!     for rhs = {@(v) v, @(v) p_matrix (v), @(v) p_matrix (v) + 0, @(v) -(-p_matrix (v)), @(v) 5, @(v) v'}
%!       for index = slices
%!         results = cell (1, 2);
%!         for wrapped = [false, true]
%!           x = whole;
%!           if wrapped
%!             x = p_matrix (x);
%!           endif
%!           before = x(index{1}{:});
%!           shared = x;
%!           try
%!             x(index{1}{:}) = rhs{1}(before(end:-1:1, end:-1:1));
%!             again = x(index{1}{:});
%!             x(index{1}{:}) = rhs{1}(before);
%!           catch err
%!             again = err.message;
%!           end_try_catch
%!           results{wrapped + 1} = {full(before), full(again), full(x), full(shared), full(before + 1)};
%!         endfor
%!         assert (results{2}, results{1});
%!       endfor
%!     endfor
%!   endfor
%! endfor

## Columns exchange their elements, and a pending value keeps the elements that it was stated with.
%!test
%! for n = [6, 100]
%!   m = magic (n);
%!   x = p_matrix (m);
%!   x(2,:) = x(2,:) + 0;
%!   late = x + 1;
%!   first = x(:,1);
%!   x(:,1) = x(:,n);
%!   x(:,n) = first;
%!   assert (full (x), [m(:,n), m(:,2:n-1), m(:,1)]);
%!   assert (full (late), m + 1);
%!   assert (full (first), m(:,1));
%! endfor

## Elements where a mask is true become one number or other elements, with the class that Octave gives, and other
## variables keep theirs.  PREPARE gives a value that no other variable has.
%!function [x, message] = masked (x, mask, value, prepare)
%!  message = "";
%!  x = prepare (x);
%!  try
%!    x(mask) = value;
%!  catch failure
%!    message = failure.message;
%!  end_try_catch
%!endfunction
%!test
%! numbers = reshape (1:420, 20, 21);
%! same = @(x) x;
%! for mask = {mod(numbers, 3) == 0, false(20, 21), true(20, 21), mod(1:420, 3) == 0, true(20, 22)}
%!   count = nnz (mask{1});
%!   masks = {mask{1}, p_matrix(mask{1}), p_matrix(double (mask{1})) > 0.5};
%!   for convert = {@double, @single, @(x) mod (x, 2) == 0}
%!     x = convert{1} (numbers);
%!     for value = {convert{1}(4), convert{1}(1:count), convert{1}(1:count)', 2.5, single(2.5), true, 1:count, zeros(0, 0), 1:3, 2i}
%!       for prepare = {{same, same}, {@(x) p_matrix(full (x)), same}, {@abs, @abs}}
%!         [expected, refused] = masked (x, mask{1}, value{1}, prepare{1}{2});
%!         for given = {value{1}, p_matrix(value{1})}
%!           for by = masks
%!             before = p_matrix (x);
%!             [actual, message] = masked (before, by{1}, given{1}, prepare{1}{1});
%!             assert (isempty (message), isempty (refused));
%!             assert (class (full (actual)), class (expected));
%!             assert (full (actual), expected);
%!             assert (full (before), x);
%!           endfor
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
