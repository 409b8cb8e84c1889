## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} inv (@dots{})
## The inverse of a p_matrix: Octave's own ``inv'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (inv (p_matrix ([2 0; 0 4])))   @result{} 0.5 0; 0 0.25
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = inv (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "inv", varargin{:});
endfunction

%!assert (full (inv (p_matrix ([2 0; 0 4]))), [0.5 0; 0 0.25])
%!assert (class (inv (p_matrix (magic (3)))), "p_matrix")
