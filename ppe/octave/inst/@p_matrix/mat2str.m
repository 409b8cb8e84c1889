## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{s} =} mat2str (@var{x}, @var{n}, "class")
## Text of the elements: Octave's own @code{mat2str} of the full matrix.  With "class" it names the class of the elements.
##
## @example
## mat2str (p_matrix (single ([1 2])), "class")   @result{} single([1 2])
## @end example
## @seealso{p_matrix}
## @end deftypefn

function s = mat2str (varargin)
  s = __pm__ ("call", "mat2str", varargin{:});
endfunction

%!assert (mat2str (p_matrix ([1 2; 3 4.5])), "[1 2;3 4.5]")
%!assert (mat2str (p_matrix (pi), p_matrix (3)), "3.14")
%!assert (mat2str (p_matrix (single ([1 2])), "class"), "single([1 2])")
%!assert (mat2str (p_matrix ([true false])), "[true false]")
