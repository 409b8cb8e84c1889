## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} cumsum (@dots{})
## Cumulative sum of a p_matrix: Octave's own ``cumsum'' on the full matrix.
##
## @example
## cumsum (p_matrix ([1 2; 3 4]))   @result{} 1 2; 4 6
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = cumsum (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "cumsum", varargin{:});
endfunction

%!assert (cumsum (p_matrix ([1 2; 3 4])), [1 2; 4 6])
