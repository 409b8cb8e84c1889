## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} nth_element (@dots{})
## N-th smallest element of a p_matrix: Octave's own ``nth_element'' on the full matrix.
##
## @example
## nth_element (p_matrix ([4 1 3]), 2)   @result{} 3
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = nth_element (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "nth_element", varargin{:});
endfunction

%!assert (nth_element (p_matrix ([4 1 3]), 2), 3)
