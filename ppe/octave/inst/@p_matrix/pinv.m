## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} pinv (@dots{})
## The pseudoinverse of a p_matrix: Octave's own ``pinv'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (pinv (p_matrix ([2 0; 0 4])))   @result{} 0.5 0; 0 0.25
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = pinv (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "pinv", varargin{:});
endfunction

%!assert (full (pinv (p_matrix (magic (4)))), pinv (magic (4)))
