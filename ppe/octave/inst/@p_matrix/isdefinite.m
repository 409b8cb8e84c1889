## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} isdefinite (@dots{})
## Whether the matrix is positive definite of a p_matrix: Octave's own ``isdefinite'' on the full matrix.
##
## @example
## isdefinite (p_matrix ([2 0; 0 3]))   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = isdefinite (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "isdefinite", varargin{:});
endfunction

%!assert (isdefinite (p_matrix ([2 0; 0 3])), true)
