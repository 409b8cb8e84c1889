## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} mode (@dots{})
## Most frequent element of a p_matrix: Octave's own ``mode'' on the full matrix.
##
## @example
## mode (p_matrix ([4 1 4]))   @result{} 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = mode (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "mode", varargin{:});
endfunction

%!assert (mode (p_matrix ([4 1 4])), 4)
