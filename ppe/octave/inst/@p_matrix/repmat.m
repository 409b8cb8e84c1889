## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{y} =} repmat (@var{x}, @var{m}, @var{n})
## A matrix of @var{m} by @var{n} copies; recorded.
##
## @example
## full (repmat (p_matrix ([1 2]), 2, 1))   @result{} 1 2; 1 2
## @end example
## @seealso{p_matrix}
## @end deftypefn

function y = repmat (varargin)
  y = __pm__ ("repmat", varargin{:});
endfunction

%!assert (full (repmat (p_matrix ([1 2]), 2, 1)), [1 2; 1 2])
%!assert (full (repmat (p_matrix ([1 2]), [1 2])), [1 2 1 2])
%!assert (class (full (repmat (p_matrix (true), 2, 1))), "logical")
