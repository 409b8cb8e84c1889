## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} schur (@dots{})
## Schur decomposition of a p_matrix: Octave's own ``schur'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (schur (p_matrix ([1 2; 0 4])))   @result{} 1 2; 0 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = schur (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "schur", varargin{:});
endfunction

%!assert (full (schur (p_matrix (magic (4)))), schur (magic (4)))
