## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{C} =} bsxfun (@var{f}, @var{A}, @var{B})
## @var{f} of each pair of elements, where a row or column stands for as many as the other operand has.  The operators and
## functions that do this by themselves, such as @code{@@minus} and @code{@@max}, are recorded; others are Octave's own
## @code{bsxfun} on the full matrices.
##
## @example
## full (bsxfun (@@minus, p_matrix ([1 2; 3 6]), [1 2]))   @result{} 0 0; 2 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function C = bsxfun (f, A, B)
  persistent broadcasting = {"plus", "minus", "times", "rdivide", "power", "max", "min", "rem", "mod", "atan2", "hypot", ...
                             "eq", "ne", "lt", "le", "gt", "ge", "and", "or"};
  if (nargin != 3)
    print_usage ();
  endif
  name = f;
  if (is_function_handle (f))
    name = func2str (f);
  endif
  if (any (strcmp (name, broadcasting)) && ndims (A) == 2 && ndims (B) == 2
      && all (size (A) == size (B) | size (A) == 1 | size (B) == 1) && ! issparse (A) && ! issparse (B))
    ## The operators of a diagonal matrix do not broadcast.
    C = feval (name, without_structure (A), without_structure (B));
  else
    C = __pm__ ("call and wrap", "bsxfun", f, A, B);
  endif
endfunction

function x = without_structure (x)
  if (! isa (x, "p_matrix"))
    x = full (x);
  endif
endfunction

%!test
%! p = p_matrix ([1 2; 3 6]);
%! q = bsxfun (@minus, p, [1 2]);
%! assert (has_result (q), false);
%! assert (full (q), [0 0; 2 4]);
%! assert (full (bsxfun ("max", [2; 4], p)), [2 2; 4 6]);
%! assert (full (bsxfun (@(x, y) x + 2 * y, p, p)), [3 6; 9 18]);
%! assert (class (full (bsxfun (@lt, p, single (3)))), "logical");
%!assert (full (bsxfun (@minus, 4 * eye (2), p_matrix ([1 3]))), [3 -3; -1 1])
%!error <nonconformant|must match> bsxfun (@plus, p_matrix (ones (2, 3)), ones (2))
%!error <Invalid call> bsxfun (@plus, p_matrix (1))
