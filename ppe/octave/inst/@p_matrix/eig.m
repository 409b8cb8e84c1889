## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} eig (@dots{})
## Eigenvalues and eigenvectors of a p_matrix: Octave's own ``eig'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (eig (p_matrix ([2 0; 0 3])))   @result{} 2; 3
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = eig (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "eig", varargin{:});
endfunction

%!assert (full (eig (p_matrix ([2 0; 0 3]))), [2; 3])
%!test
%! [V, D] = eig (p_matrix ([2 1; 1 2]));
%! assert (full (V * D * V'), [2 1; 1 2], 4 * eps);
%!assert (iscomplex (eig (p_matrix ([0 1; -1 0]))), true)
