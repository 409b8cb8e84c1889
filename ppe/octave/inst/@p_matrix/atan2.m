## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{a} =} atan2 (@var{y}, @var{x})
## Arctangent of @var{y} / @var{x} in the right quadrant; recorded.
##
## @example
## full (atan2 (p_matrix ([0 0]), 1))   @result{} 0 0
## @end example
## @seealso{p_matrix}
## @end deftypefn

function a = atan2 (y, x)
  if (nargin != 2)
    print_usage ();
  endif
  a = __pm__ ("of two", "atan2", y, x);
endfunction

%!assert (full (atan2 (p_matrix ([0 0]), 1)), [0 0])
%!assert (full (atan2 (1, p_matrix ([0 -0]))), atan2 (1, [0 -0]))
