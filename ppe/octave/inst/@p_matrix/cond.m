## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} cond (@dots{})
## Condition number of a p_matrix: Octave's own ``cond'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## cond (p_matrix (eye (2)))   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = cond (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "cond", varargin{:});
endfunction

%!assert (cond (p_matrix (magic (3))), cond (magic (3)))
