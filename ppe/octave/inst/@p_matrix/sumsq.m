## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} sumsq (@dots{})
## Sum of squares of a p_matrix: Octave's own ``sumsq'' on the full matrix.
##
## @example
## sumsq (p_matrix ([1 2; 3 4]))   @result{} 10 20
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = sumsq (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call", "sumsq", varargin{:});
endfunction

%!assert (sumsq (p_matrix ([1 2; 3 4])), [10 20])
