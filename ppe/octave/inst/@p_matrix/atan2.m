## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} atan2 (@dots{})
## Quadrant-aware arctangent of a p_matrix: Octave's own ``atan2'' on the full matrix.
##
## @example
## atan2 (p_matrix ([0 0]), 1)   @result{} 0 0
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = atan2 (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "atan2", varargin{:});
endfunction

%!assert (atan2 (p_matrix ([0 0]), 1), [0 0])
