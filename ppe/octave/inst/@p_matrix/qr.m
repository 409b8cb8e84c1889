## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} qr (@dots{})
## QR decomposition of a p_matrix: Octave's own ``qr'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## [Q, R] = qr (p_matrix ([1 2; 3 4]));
## norm (full (Q * R) - [1 2; 3 4]) < 1e-14   @result{} 1
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = qr (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "qr", varargin{:});
endfunction

%!test
%! [Q, R] = qr (p_matrix ([1 2; 3 4]));
%! assert (full (Q * R), [1 2; 3 4], 4 * eps);
