## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{A} =} accumarray (@dots{})
## Sums of groups of elements of a p_matrix: Octave's own ``accumarray'' on the full matrix.
##
## @example
## full (accumarray ([1; 2; 1], p_matrix ([1; 2; 3])))   @result{} 4; 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function A = accumarray (varargin)
  A = __pm__ ("call and wrap", "accumarray", varargin{:});
endfunction

%!assert (full (accumarray ([1; 2; 1], p_matrix ([1; 2; 3]))), [4; 2])
%!assert (full (accumarray (p_matrix ([1; 2]), p_matrix ([3; 4]), p_matrix ([2, 1]), @min, [], 0)), [3; 4])
