## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} rank (@dots{})
## Rank of a p_matrix: Octave's own ``rank'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## rank (p_matrix (magic (4)))   @result{} 3
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = rank (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "rank", varargin{:});
endfunction

%!assert (rank (p_matrix (magic (4))), 3)
