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

function varargout = min (varargin)
  if (nargin == 2 && nargout < 2)
    varargout{1} = __pm__ ("of two", "min", varargin{:});
  else
    [varargout{1:max (1, nargout)}] = __pm__ ("structural", "min", varargin{:});
  endif
endfunction

%!assert (full (min (p_matrix ([1 5 3]), 2)), [1 2 2])
%!assert (full (min (p_matrix ([1 5 3]))), 1)
%!assert (full (min (p_matrix ([1 5; 3 2]), [], 2)), [1; 2])
%!test
%! [m, k] = min (p_matrix ([4 9 2]));
%! assert ([m k], [2 3]);
