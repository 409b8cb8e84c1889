## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} bitand (@dots{})
## Bitwise and of a p_matrix: Octave's own ``bitand'' on the full matrix.
##
## @example
## bitand (p_matrix ([5 6]), 4)   @result{} 4 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = bitand (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "bitand", varargin{:});
endfunction

%!assert (bitand (p_matrix ([5 6]), 4), [4 4])
