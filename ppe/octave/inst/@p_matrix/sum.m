## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} sum (@dots{})
## Sum of a p_matrix: Octave's own ``sum'' on the full matrix.
##
## @example
## sum (p_matrix ([1 2; 3 4]))   @result{} 4 6
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = sum (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "sum", varargin{:});
endfunction

%!assert (sum (p_matrix ([1 2; 3 4])), [4 6])
