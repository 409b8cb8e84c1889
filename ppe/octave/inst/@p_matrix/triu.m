## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{y} =} triu (@var{x}, @var{k})
## What lies on diagonal @var{k} (by default the main one) and above it; recorded.
##
## @example
## full (triu (p_matrix ([1 2; 3 4])))   @result{} 1 2; 0 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = triu (varargin)
  y = __pm__ ("structural", "triu", varargin{:});
endfunction

%!assert (full (triu (p_matrix ([1 2; 3 4]))), [1 2; 0 4])
%!assert (full (triu (p_matrix ([1 2; 3 4]), 1)), [0 2; 0 0])
