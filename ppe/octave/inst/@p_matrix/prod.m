## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} prod (@dots{})
## Product of a p_matrix: Octave's own ``prod'' on the full matrix.
##
## @example
## prod (p_matrix ([1 2; 3 4]))   @result{} 3 8
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = prod (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "prod", varargin{:});
endfunction

%!assert (prod (p_matrix ([1 2; 3 4])), [3 8])
