## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} null (@dots{})
## Orthonormal basis of the null space of a p_matrix: Octave's own ``null'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## size (null (p_matrix ([1 1])))   @result{} 2 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = null (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "null", varargin{:});
endfunction

%!assert (full (null (p_matrix (magic (4)))), null (magic (4)))
