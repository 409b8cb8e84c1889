## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} expm (@dots{})
## Matrix exponential of a p_matrix: Octave's own ``expm'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (expm (p_matrix (zeros (2))))   @result{} 1 0; 0 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = expm (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "expm", varargin{:});
endfunction

%!assert (full (expm (p_matrix (magic (3) / 10))), expm (magic (3) / 10))
