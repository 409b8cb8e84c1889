## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} logm (@dots{})
## Matrix logarithm of a p_matrix: Octave's own ``logm'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (logm (p_matrix (eye (2))))   @result{} 0 0; 0 0
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = logm (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "logm", varargin{:});
endfunction

%!assert (full (logm (p_matrix ([4 1; 1 3]))), logm ([4 1; 1 3]))
