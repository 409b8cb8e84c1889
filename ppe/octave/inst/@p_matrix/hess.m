## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} hess (@dots{})
## Hessenberg decomposition of a p_matrix: Octave's own ``hess'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (hess (p_matrix ([1 2; 3 4])))   @result{} 1 2; 3 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = hess (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "hess", varargin{:});
endfunction

%!assert (full (hess (p_matrix (magic (4)))), hess (magic (4)))
