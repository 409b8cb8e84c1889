## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} sumsq (@var{x})
## @deftypefnx {} {@var{y} =} sumsq (@var{x}, @var{dim})
## Sum of the squares of the elements of each column, or along dimension @var{dim}; recorded.  With other arguments it is Octave's own
## @code{sumsq}.
##
## @example
## full (sumsq (p_matrix ([1 2; 3 4])))   @result{} 10 20
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = sumsq (varargin)
  y = __pm__ ("structural", "sumsq", varargin{:});
endfunction

%!assert (full (sumsq (p_matrix ([1 2; 3 4]))), sumsq ([1 2; 3 4]))
%!assert (full (sumsq (p_matrix ([1 2; 3 4]), 2)), sumsq ([1 2; 3 4], 2))
