## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{P} =} ones (@dots{}, "like", @var{X})
## @deftypefnx {} {@var{P} =} ones (@var{X}, @dots{})
## With "like" and a p_matrix @var{X}: a p_matrix of the class of its elements.  Otherwise @var{X} is a size, and the
## result is that of Octave's own @code{ones}.
##
## @example
## class (ones (2, "like", p_matrix (1)))   @result{} p_matrix
## @end example
## @seealso{p_matrix}
## @end deftypefn

function P = ones (varargin)
  P = __pm__ ("create", "ones", varargin{:});
endfunction

%!test
%! x = ones (2, 3, "like", p_matrix (single (1)));
%! assert (class (x), "p_matrix");
%! assert (full (x), ones (2, 3, "single"));
%!assert (ones (p_matrix (2), 1), ones (2, 1))
%!assert (ones (p_matrix ([2 3])), ones (2, 3))
