## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} rem (@dots{})
## Remainder of a p_matrix: Octave's own ``rem'' on the full matrix.
##
## @example
## rem (p_matrix ([-1 5]), 3)   @result{} -1 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = rem (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "rem", varargin{:});
endfunction

%!assert (rem (p_matrix ([-1 5]), 3), [-1 2])
