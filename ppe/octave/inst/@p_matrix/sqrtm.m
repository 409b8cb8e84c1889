## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} sqrtm (@dots{})
## Matrix square root of a p_matrix: Octave's own ``sqrtm'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (sqrtm (p_matrix ([4 0; 0 9])))   @result{} 2 0; 0 3
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = sqrtm (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "sqrtm", varargin{:});
endfunction

%!assert (full (sqrtm (p_matrix ([4 0; 0 9]))), [2 0; 0 3])
