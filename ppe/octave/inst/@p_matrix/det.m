## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} det (@dots{})
## The determinant of a p_matrix: Octave's own ``det'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## det (p_matrix ([1 2; 3 4]))   @result{} -2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = det (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "det", varargin{:});
endfunction

%!assert (det (p_matrix ([1 2; 3 4])), det ([1 2; 3 4]))
