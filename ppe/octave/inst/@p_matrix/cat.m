## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{R} =} cat (@var{dim}, @var{X}, @dots{})
## Joins p_matrix values along rows or columns; along further dimensions the result is Octave's own array.
##
## @example
## full (cat (1, p_matrix ([1 2]), [3 4]))   @result{} 1 2; 3 4
## @end example
## @seealso{p_matrix}
## @end deftypefn

function R = cat (dim, varargin)
  if (isequal (dim, 1))
    R = vertcat (varargin{:});
  elseif (isequal (dim, 2))
    R = horzcat (varargin{:});
  else
    R = __pm__ ("call and wrap", "cat", dim, varargin{:});
  endif
endfunction

%!assert (full (cat (1, p_matrix ([1 2]), [3 4])), [1 2; 3 4])
%!assert (full (cat (2, 5, p_matrix ([1 2]))), [5 1 2])
%!assert (full (cat (3, [], p_matrix ([1 2]))), [1 2])
%!assert (cat (3, p_matrix ([1 2]), [3 4]), cat (3, [1 2], [3 4]))
%!error <dimension mismatch> cat (3, p_matrix ([1 2]), 1)
