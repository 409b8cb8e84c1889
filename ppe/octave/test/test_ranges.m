## Ranges with p_matrix bounds are Octave's own ranges, as with plain bounds of the class.

%!function check (range, varargin)
%!  expected = outcome (range, varargin{:});
%!  wrapped = cellfun (@p_matrix, varargin, "UniformOutput", false);
%!  pending = cellfun (@(x) p_matrix (x).'.', varargin, "UniformOutput", false);
%!  for bounds = {wrapped, pending, [varargin(1), wrapped(2:end)], [wrapped(1), varargin(2:end)]}
%!    actual = outcome (range, bounds{1}{:});
%!    assert (actual.message, expected.message);
%!    if (isempty (expected.message))
%!      assert (class (actual.value), class (expected.value));
%!      assert (difference (expected.value, actual.value), "");
%!    endif
%!  endfor
%!endfunction

%!test check (@(a, b) a:b, 1, 5)
%!test check (@(a, b) a:b, 5, 1)
%!test check (@(a, b) a:b, -2.5, 2)
%!test check (@(a, b) b:-1:a, 1, 5)
%!test check (@(a, h, b) a:h:b, 0, 0.1, 1)
%!test check (@(a, h, b) a:h:b, 0, 0, 1)
%!test check (@(a, b) colon (a, b), 1, 5)
%!test check (@(a, h, b) colon (a, h, b), 1, 2, 5)
%!test check (@(a, b) a:b, single (1), single (4))
%!test check (@(a, b) a:b, 1, single (4.5))
%!test check (@(a, h, b) a:h:b, single (0), single (0.1), single (1))
%!test check (@(a, b) a:b, NaN, 3)
%!test check (@(a, b) a:b, 1, NaN)
%!test check (@(a, b) a:b, true, 3)
%!test check (@(a, b) a:b, true, true)
%!test check (@(a, b) a:b, 1, Inf)
%!test check (@(a, b) a:b, zeros (0, 1), 3)
%!test check (@(a, b) a:b, 1, [])
%!test check (@(a, b) int8 (a):b, 1, 5)
%!test check (@(a, b) int8 (a):b, 1, 5.5)
%!test check (@(a, b) [a:b; b:-1:a], 1, 3)
%!test check (@(a, b) "a":b, 1, 99)

## With more than one element Octave takes the first, and says so.
%!test <*>
%! warning ("on", "Octave:colon-nonscalar-argument", "local");
%! lastwarn ("", "");
%! text = evalc ("x = 1:p_matrix ([3 9]);");
%! [~, id] = lastwarn ();
%! assert (id, "Octave:colon-nonscalar-argument");
%! assert (x, 1:3);
%! assert (! isempty (strfind (text, "colon arguments should be scalars")));

%!function [n, total] = counted (n)
%!  total = 0;
%!  for i = 1:n
%!    assert (class (i), "double");
%!    total += i;
%!  endfor
%!  for i = n:-1:1
%!    total -= i;
%!  endfor
%!endfunction

%!test
%! p = p_matrix (magic (4));
%! n = sum (sum (p > 8));
%! assert (has_result (n), false);
%! assert (1:n, 1:8);
%! assert (has_result (n), true);
%! [m, total] = counted (sum (sum (p > 8)));
%! assert (full (m), 8);
%! assert (total, 0);
%! count = 0;
%! for i = 1:2:n
%!   count++;
%! endfor
%! assert (count, 4);
%! for i = p_matrix (3):p_matrix (1)
%!   error ("not reached");
%! endfor
%! assert (full (p(1:n)), magic (4)(1:8));
%! assert (full (p(1:sum (p(1, :) > 2), 1)), magic (4)(1:3, 1));
%! x = zeros (1, 8);
%! x(1:n) = n:-1:1;
%! assert (x, 8:-1:1);
%! assert (isargout (1) || numel (0:p_matrix (0.25):1) == 5);
%! assert (full (linspace (0, p_matrix (1), 5)), 0:0.25:1);

## A bound that turns out to be complex: its real part.
%!test
%! warning ("off", "Octave:colon-complex-argument", "local");
%! warning ("off", "Octave:imag-to-real", "local");
%! assert (1:(p_matrix (3) + sqrt (p_matrix (-4))), 1:(3 + sqrt (-4)));
