## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} prod (@var{x})
## @deftypefnx {} {@var{y} =} prod (@var{x}, @var{dim})
## Product of the elements of each column, or along dimension @var{dim}; recorded.  With other arguments it is Octave's own
## @code{prod}.
##
## @example
## full (prod (p_matrix ([1 2; 3 4])))   @result{} 3 8
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = prod (varargin)
  y = __pm__ ("structural", "prod", varargin{:});
endfunction

%!assert (full (prod (p_matrix ([1 2; 3 4]))), prod ([1 2; 3 4]))
%!assert (full (prod (p_matrix ([1 2; 3 4]), 2)), prod ([1 2; 3 4], 2))
