## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} lu (@dots{})
## LU decomposition of a p_matrix: Octave's own ``lu'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## [L, U, P] = lu (p_matrix ([1 2; 3 4]));
## full (P' * L * U)   @result{} 1 2; 3 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = lu (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "lu", varargin{:});
endfunction

%!test
%! [L, U, P] = lu (p_matrix ([1 2; 3 4]));
%! assert (class (L), "p_matrix");
%! assert (full (P' * L * U), [1 2; 3 4], eps);
