## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{m} =} min (@var{x})
## @deftypefnx {} {@var{m} =} min (@var{x}, [], @var{dim})
## @deftypefnx {} {@var{m} =} min (@var{x}, @var{y})
## @deftypefnx {} {[@dots{}] =} min (@dots{})
## Smallest elements: of each column, along dimension @var{dim}, or of two values, element by element; recorded.  When the indices
## are asked for as well it is Octave's own @code{min} on the full matrix.
##
## @example
## full (min (p_matrix ([1 5 3]), 2))   @result{} 1 2 2
## full (min (p_matrix ([1 5 3])))   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

## Named arguments: gathering them would cost as much as recording.
function [m, k] = min (x, y, varargin)
  if (nargin == 2 && nargout < 2)
    m = __pm__ ("of two", "min", x, y);
    return;
  endif
  if (nargin == 1)
    arguments = {x};
  else
    arguments = {x, y, varargin{:}};
  endif
  if (nargout < 2)
    m = __pm__ ("structural", "min", arguments{:});
  else
    [m, k] = __pm__ ("structural", "min", arguments{:});
  endif
endfunction

%!assert (full (min (p_matrix ([1 5 3]), 2)), [1 2 2])
%!assert (full (min (p_matrix ([1 5 3]))), 1)
%!assert (full (min (p_matrix ([1 5; 3 2]), [], 2)), [1; 2])
%!test
%! [m, k] = min (p_matrix ([4 9 2]));
%! assert ([m k], [2 3]);
