## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} hypot (@dots{})
## Length of the hypotenuse of a p_matrix: Octave's own ``hypot'' on the full matrix.
##
## @example
## hypot (p_matrix ([3 6]), [4 8])   @result{} 5 10
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = hypot (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "hypot", varargin{:});
endfunction

%!assert (hypot (p_matrix ([3 6]), [4 8]), [5 10])
