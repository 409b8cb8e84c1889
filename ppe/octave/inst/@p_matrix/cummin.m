## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} cummin (@dots{})
## Cumulative minimum of a p_matrix: Octave's own ``cummin'' on the full matrix.
##
## @example
## cummin (p_matrix ([4 1 3]))   @result{} 4 1 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = cummin (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "cummin", varargin{:});
endfunction

%!assert (cummin (p_matrix ([4 1 3])), [4 1 1])
