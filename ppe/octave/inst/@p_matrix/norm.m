## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{y} =} norm (@var{x}, @var{p})
## The Euclidean norm of a vector, or with @qcode{"fro"} of a matrix, is recorded; any other norm is Octave's own.
##
## @example
## full (norm (p_matrix ([3 4])))   @result{} 5
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = norm (varargin)
  y = __pm__ ("structural", "norm", varargin{:});
endfunction

%!assert (full (norm (p_matrix ([3 4]))), 5)
%!assert (full (norm (p_matrix ([2 2; 2 2]), "fro")), 4)
%!assert (norm (p_matrix ([2 0; 0 1]), 1), 2)
