## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{m} =} min (@var{x}, @var{y})
## @deftypefnx {} {[@dots{}] =} min (@dots{})
## Smallest elements.  Of two values, element by element, it is recorded; else it is Octave's own @code{min} on the full matrix.
##
## @example
## full (min (p_matrix ([1 5 3]), 2))   @result{} 1 2 2
## min (p_matrix ([4 1 3]))   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = min (varargin)
  if (nargin == 2 && nargout < 2)
    varargout{1} = __pm__ ("of two", "min", varargin{:});
  else
    [varargout{1:max (1, nargout)}] = __pm__ ("call", "min", varargin{:});
  endif
endfunction

%!assert (full (min (p_matrix ([1 5 3]), 2)), [1 2 2])
%!assert (min (p_matrix ([4 1 3])), 1)
