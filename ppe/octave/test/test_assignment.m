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

## In place: nothing is copied when the matrix has one owner.  A copy is seen in the most memory that the process has had at once:
## a matrix of more than 32 MB always gets memory of its own from the system.
%!function kilobytes = most_memory ()
%!  kilobytes = str2double (regexp (fileread ("/proc/self/status"), 'VmHWM:\s*(\d+)', "tokens"){1}{1});
%!endfunction
%!function forget_most_memory ()
%!  file = fopen ("/proc/self/clear_refs", "w");
%!  fputs (file, "5");
%!  fclose (file);
%!endfunction
%!function kilobytes = grown_by_assignments (shared)
%!  x = p_matrix (ones (2100));
%!  y = x + 1;
%!  assert (y(1), 2);
%!  clear y
%!  x(1) = 0;
%!  forget_most_memory ();
%!  before = most_memory ();
%!  if (shared)
%!    other = x;
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
%! assert (grown_by_assignments (false) < matrix / 4);
%! assert (grown_by_assignments (true) > matrix / 2);

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
