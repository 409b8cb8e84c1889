## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{r} =} rem (@var{x}, @var{y})
## Remainder as Octave's own @code{rem} has it; recorded.
##
## @example
## full (rem (p_matrix ([-1 5]), 3))   @result{} -1 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function r = rem (x, y)
  if (nargin != 2)
    print_usage ();
  endif
  r = __pm__ ("of two", "rem", x, y);
endfunction

%!assert (full (rem (p_matrix ([-1 5]), 3)), [-1 2])
%!assert (full (rem (7, p_matrix ([2 4]))), [1 3])
