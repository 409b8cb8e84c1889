## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} min (@dots{})
## Smallest elements of a p_matrix: Octave's own ``min'' on the full matrix.
##
## @example
## min (p_matrix ([4 1 3]))   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = min (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "min", varargin{:});
endfunction

%!assert (min (p_matrix ([4 1 3])), 1)
