## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{P} =} p_matrix (@var{X})
## A matrix whose operations are recorded and computed in parallel when a result is needed.
##
## @var{X} is a full array of class double, single or logical.  It is not copied.  The operators
## @code{+ - * .* ./ .^}, comparisons, logic and the element-wise functions of a p_matrix are recorded;
## displaying a value, taking an element, @code{if}, or converting with @code{double}, @code{single} or
## @code{full} computes what is needed.  Every other operator or function gives Octave's own result.
##
## Also recorded are @code{mod}, @code{rem}, @code{max}, @code{min}, @code{sum}, @code{prod},
## @code{sumsq}, @code{cumsum}, @code{any}, @code{all}, @code{mean}, @code{dot}, @code{norm}, @code{tril},
## @code{triu}, @code{diag}, @code{reshape} and @code{repmat}, transposes, slices and concatenation.  They
## mean what Octave's own functions of these names mean.  Where a script defines a function of such a name
## itself, this function is called, as for a plain matrix.
##
## @example
## @group
## A = p_matrix ([10 20 30; 40 50 70; 70 80 90]);
## B = A + 5;       # recorded
## disp (B(5))      # computed now
##      @result{} 55
## @end group
## @group
## s = sum (max (A, 45));   # recorded
## full (s)
##      @result{} 160 175 205
## @end group
## @end example
##
## A value is computed by displaying it, by taking one of its elements, by @code{if} and @code{while}, by
## @code{double}, @code{full} and other conversions, by saving, by @code{p_wait}, by every function that is
## not recorded, and by the limits of @code{p_config} (operations, depth, bytes).  @code{size}, @code{class},
## @code{numel}, @code{isempty} and assigning to another variable compute nothing.  The value and what it
## depends on are computed; everything else that is recorded stays pending.  A limit computes all that is
## recorded.  @code{p_profile} shows which lines have computed.  Ctrl-C ends a computation, and nothing is
## lost: operations that were given up stay pending until they are needed.
##
## Limits: @code{class (P)} is "p_matrix" whatever the class of the elements, which @code{p_info} tells;
## operations on fewer than some thousand elements are no faster than Octave's own; what Octave computes
## itself is not parallel.
## @code{methods ("p_matrix")} lists the functions that know about p_matrix values.
## @seealso{has_result, p_wait, p_info, p_config, p_profile, p_auto}
## @end deftypefn

function P = p_matrix (X)
  if (nargin != 1)
    print_usage ();
  endif
  P = __pm__ ("convert", X);
endfunction

%!demo
%! A = p_matrix (rand (300));
%! B = A;
%! for k = 1:5
%!   B = B * A / 100;      # recorded
%! endfor
%! printf ("recorded: %d operations pending\n", p_info (B).operations)
%! printf ("computed: %g\n", B(1, 1))
%! disp (has_result (B))

%!test
%! A = p_matrix ([10 20 30; 40 50 70; 70 80 90]);
%! B = A + 5;
%! C = B;
%! assert (has_result (B), false);
%! assert (C(5), 55);
%! assert (has_result (B), true);
%!test
%! x = p_matrix (single ([1 2]));
%! assert (class (x), "p_matrix");
%! assert (class (full (x)), "single");
%! assert (class (full (x == 1)), "logical");
%!test
%! A = p_matrix ([10 20 30; 40 50 70; 70 80 90]);
%! s = sum (max (A, 45));
%! assert (has_result (s), false);
%! assert (full (s), sum (max (full (A), 45)));
%!assert (class (p_matrix ([1i, 2])), "p_matrix")
%!assert (full (p_matrix ([1i, 2])), [1i, 2])
%!assert (size (p_matrix (ones (2, 3, 2))), [2 3 2])
%!error <full array of class double, single or logical, not a int8 scalar> p_matrix (int8 (1))
%!error <Invalid call> p_matrix ()
%!test
%! f = @p_matrix;
%! assert (class (f (3)), "p_matrix");
%! assert (cellfun (@(x) class (p_matrix (x)), {1, true, single(2), p_matrix(1)}, "UniformOutput", false), repmat ({"p_matrix"}, 1, 4));
%! assert (full (p_matrix (1:3)), 1:3);
%! assert (full (p_matrix (eye (2))), full (eye (2)));
%!error <a full array of class double, single or logical, not a sparse matrix> p_matrix (sparse (1))
%!error <Invalid call|too many inputs> p_matrix (1, 2)
