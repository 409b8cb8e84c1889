## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} cumprod (@dots{})
## Cumulative product of a p_matrix: Octave's own ``cumprod'' on the full matrix.
##
## @example
## cumprod (p_matrix ([1 2; 3 4]))   @result{} 1 2; 3 8
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = cumprod (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "cumprod", varargin{:});
endfunction

%!assert (cumprod (p_matrix ([1 2; 3 4])), [1 2; 3 8])
