## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} zeros (@dots{})
## Octave's own @code{zeros}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (zeros (100))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = zeros (varargin)
  [varargout{1:max (1, nargout)}] = builtin ("zeros", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! assert (class (zeros (2)), "p_matrix");
%! assert (full (zeros (2, 3)), builtin ("zeros", 2, 3));
%! assert (class (zeros (1, 3)), "double");
%! assert (zeros (2, "int8"), builtin ("zeros", 2, "int8"));
%! assert (size (zeros (2, 0)), [2 0]);
