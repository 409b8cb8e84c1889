## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} sum (@var{x})
## @deftypefnx {} {@var{y} =} sum (@var{x}, @var{dim})
## Sum of the elements of each column, or along dimension @var{dim}; recorded.  With other arguments it is Octave's own
## @code{sum}.
##
## @example
## full (sum (p_matrix ([1 2; 3 4])))   @result{} 4 6
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = sum (varargin)
  y = __pm__ ("structural", "sum", varargin{:});
endfunction

%!assert (full (sum (p_matrix ([1 2; 3 4]))), sum ([1 2; 3 4]))
%!assert (full (sum (p_matrix ([1 2; 3 4]), 2)), sum ([1 2; 3 4], 2))
