## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} chol (@dots{})
## Cholesky factor of a p_matrix: Octave's own ``chol'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (chol (p_matrix ([4 2; 2 2])))   @result{} 2 1; 0 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = chol (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "chol", varargin{:});
endfunction

%!assert (full (chol (p_matrix ([4 2; 2 2]))), [2 1; 0 1])
%!error <positive definite> chol (p_matrix ([1 2; 2 1]))
