## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} orth (@dots{})
## Orthonormal basis of the range of a p_matrix: Octave's own ``orth'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## size (orth (p_matrix ([1; 1])))   @result{} 2 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = orth (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "orth", varargin{:});
endfunction

%!assert (full (orth (p_matrix (magic (4)))), orth (magic (4)))
