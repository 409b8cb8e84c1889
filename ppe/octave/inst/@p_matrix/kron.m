## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {[@dots{}] =} kron (@dots{})
## Kronecker product of p_matrix values: Octave's own ``kron'' on the full matrix.  Real matrices among the results are p_matrix values.
##
## @example
## full (kron (p_matrix ([1 2]), [1; 1]))   @result{} 1 2; 1 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function varargout = kron (varargin)
  [varargout{1:max (1, nargout)}] = __pm__ ("call and wrap", "kron", varargin{:});
endfunction

%!assert (full (kron (p_matrix ([1 2]), [1; 1])), [1 2; 1 2])
%!assert (full (kron ([1 2], p_matrix ([1; 1]))), [1 2; 1 2])
