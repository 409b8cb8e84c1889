## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{y} =} tril (@var{x}, @var{k})
## What lies on diagonal @var{k} (by default the main one) and below it; recorded.
##
## @example
## full (tril (p_matrix ([1 2; 3 4])))   @result{} 1 0; 3 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = tril (varargin)
  y = __pm__ ("structural", "tril", varargin{:});
endfunction

%!assert (full (tril (p_matrix ([1 2; 3 4]))), [1 0; 3 4])
%!assert (full (tril (p_matrix ([1 2; 3 4]), -1)), [0 0; 3 0])
