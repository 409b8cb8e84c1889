## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{m} =} mod (@var{x}, @var{y})
## Modulo as Octave's own @code{mod} has it; recorded.
##
## @example
## full (mod (p_matrix ([-1 5]), 3))   @result{} 2 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function m = mod (x, y)
  if (nargin != 2)
    print_usage ();
  endif
  m = __pm__ ("of two", "mod", x, y);
endfunction

%!assert (full (mod (p_matrix ([-1 5]), 3)), [2 2])
%!assert (full (mod (7, p_matrix ([2 4]))), [1 3])
