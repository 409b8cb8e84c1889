## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{R} =} repmat (@var{X}, @dots{})
## Copies of a p_matrix: Octave's own ``repmat'' on the full matrix.
##
## @example
## full (repmat (p_matrix ([1 2]), 2, 1))   @result{} 1 2; 1 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function R = repmat (varargin)
  R = __pm__ ("call and wrap", "repmat", varargin{:});
endfunction

%!assert (full (repmat (p_matrix ([1 2]), 2, 1)), [1 2; 1 2])
%!assert (class (full (repmat (p_matrix (true), 2, 1))), "logical")
