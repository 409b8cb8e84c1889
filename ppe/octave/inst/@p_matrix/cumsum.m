## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{y} =} cumsum (@var{x})
## @deftypefnx {} {@var{y} =} cumsum (@var{x}, @var{dim})
## Cumulative sums of the elements of each column, or along dimension @var{dim}; recorded.  With other arguments it is Octave's own
## @code{cumsum}.
##
## @example
## full (cumsum (p_matrix ([1 2; 3 4])))   @result{} 1 2; 4 6
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = cumsum (varargin)
  y = __pm__ ("structural", "cumsum", varargin{:});
endfunction

%!assert (full (cumsum (p_matrix ([1 2; 3 4]))), cumsum ([1 2; 3 4]))
%!assert (full (cumsum (p_matrix ([1 2; 3 4]), 2)), cumsum ([1 2; 3 4], 2))
