## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} cummax (@dots{})
## Cumulative maximum of a p_matrix: Octave's own ``cummax'' on the full matrix.
##
## @example
## cummax (p_matrix ([1 5 3]))   @result{} 1 5 5
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = cummax (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "cummax", varargin{:});
endfunction

%!assert (cummax (p_matrix ([1 5 3])), [1 5 5])
