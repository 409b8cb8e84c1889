## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} svd (@dots{})
## Singular values of a p_matrix: Octave's own ``svd'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (svd (p_matrix ([3 0; 0 4])))   @result{} 4; 3
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = svd (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "svd", varargin{:});
endfunction

%!assert (full (svd (p_matrix ([3 0; 0 4]))), [4; 3])
