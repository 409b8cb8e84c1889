## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} max (@dots{})
## Largest elements of a p_matrix: Octave's own ``max'' on the full matrix.
##
## @example
## max (p_matrix ([1 5 3]))   @result{} 5
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = max (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "max", varargin{:});
endfunction

%!assert (max (p_matrix ([1 5 3])), 5)
