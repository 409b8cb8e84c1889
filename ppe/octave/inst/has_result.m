## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{tf} =} has_result (@var{X})
## True when the elements of @var{X} have been computed, false while they are pending.  Asking does not
## compute them.
##
## @example
## @group
## z = p_matrix ([1 2; 3 4]) + 1;
## has_result (z)   @result{} 0
## z(1);
## has_result (z)   @result{} 1
## @end group
## @end example
##
## A value that is not a p_matrix always has its result.
## @seealso{p_matrix}
## @end deftypefn

function tf = has_result (X)
  if (nargin != 1)
    print_usage ();
  endif
  tf = __pm__ ("has_result", X);
endfunction

%!demo
%! z = p_matrix ([1 2; 3 4]) + 1;
%! disp (has_result (z))
%! z(1);
%! disp (has_result (z))

%!test
%! z = p_matrix ([1 2; 3 4]) + 1;
%! assert (has_result (z), false);
%! z(1);
%! assert (has_result (z), true);
%!assert (has_result (3), true)
%!assert (has_result (p_matrix (3)), true)
%!error <Invalid call> has_result ()
