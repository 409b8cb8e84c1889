## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{m} =} max (@var{x}, @var{y})
## @deftypefnx {} {[@dots{}] =} max (@dots{})
## Largest elements.  Of two values, element by element, it is recorded; else it is Octave's own @code{max} on the full matrix.
##
## @example
## full (max (p_matrix ([1 5 3]), 2))   @result{} 2 5 3
## max (p_matrix ([1 5 3]))   @result{} 5
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = max (varargin)
  if (nargin == 2 && nargout < 2)
    varargout{1} = __pm__ ("of two", "max", varargin{:});
  else
    [varargout{1:max (1, nargout)}] = __pm__ ("call", "max", varargin{:});
  endif
endfunction

%!assert (full (max (p_matrix ([1 5 3]), 2)), [2 5 3])
%!assert (max (p_matrix ([1 5 3])), 5)
