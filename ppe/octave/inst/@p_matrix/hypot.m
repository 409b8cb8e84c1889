## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{h} =} hypot (@var{x}, @var{y})
## @deftypefnx {} {@var{h} =} hypot (@var{x}, @var{y}, @var{z}, @dots{})
## Length of the hypotenuse; recorded.
##
## @example
## full (hypot (p_matrix ([3 6]), [4 8]))   @result{} 5 10
## @end example
## @seealso{p_matrix}
## @end deftypefn

function h = hypot (varargin)
  if (nargin < 2)
    print_usage ();
  endif
  h = varargin{1};
  for i = 2:nargin
    h = __pm__ ("of two", "hypot", h, varargin{i});
  endfor
endfunction

%!assert (full (hypot (p_matrix ([3 6]), [4 8])), [5 10])
%!assert (full (hypot (3, p_matrix (4), 12)), 13)
