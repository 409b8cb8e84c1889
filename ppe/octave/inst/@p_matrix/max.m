## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{m} =} max (@var{x})
## @deftypefnx {} {@var{m} =} max (@var{x}, [], @var{dim})
## @deftypefnx {} {@var{m} =} max (@var{x}, @var{y})
## @deftypefnx {} {[@dots{}] =} max (@dots{})
## Largest elements: of each column, along dimension @var{dim}, or of two values, element by element; recorded.  When the indices
## are asked for as well it is Octave's own @code{max} on the full matrix.
##
## @example
## full (max (p_matrix ([1 5 3]), 2))   @result{} 2 5 3
## full (max (p_matrix ([1 5 3])))   @result{} 5
## @end example
## @seealso{p_matrix}
## @end deftypefn

## Named arguments: gathering them would cost as much as recording.
function [m, k] = max (x, y, varargin)
  if (nargin == 2 && nargout < 2)
    m = __pm__ ("of two", "max", x, y);
    return;
  endif
  if (nargin == 1)
    arguments = {x};
  else
    arguments = {x, y, varargin{:}};
  endif
  if (nargout < 2)
    m = __pm__ ("structural", "max", arguments{:});
  else
    [m, k] = __pm__ ("structural", "max", arguments{:});
  endif
endfunction

%!assert (full (max (p_matrix ([1 5 3]), 2)), [2 5 3])
%!assert (full (max (p_matrix ([1 5 3]))), 5)
%!assert (full (max (p_matrix ([1 5; 3 2]), [], 2)), [5; 3])
%!test
%! [m, k] = max (p_matrix ([4 9 2]));
%! assert ([m k], [9 2]);
