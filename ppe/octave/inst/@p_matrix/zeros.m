## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{P} =} zeros (@dots{}, "like", @var{X})
## @deftypefnx {} {@var{P} =} zeros (@var{X}, @dots{})
## With "like" and a p_matrix @var{X}: a p_matrix of the class of its elements.  Otherwise @var{X} is a size, and the
## result is that of Octave's own @code{zeros}.
##
## @example
## class (zeros (2, "like", p_matrix (1)))   @result{} p_matrix
## @end example
## @seealso{p_matrix}
## @end deftypefn

function P = zeros (varargin)
  P = __pm__ ("create", "zeros", varargin{:});
endfunction

%!test
%! x = zeros (2, 3, "like", p_matrix (single (1)));
%! assert (class (x), "p_matrix");
%! assert (full (x), zeros (2, 3, "single"));
%!assert (zeros (p_matrix (2), 1), zeros (2, 1))
%!assert (zeros (p_matrix ([2 3])), zeros (2, 3))
