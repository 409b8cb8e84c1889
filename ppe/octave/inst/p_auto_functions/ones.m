## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} ones (@dots{})
## Octave's own @code{ones}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (ones (100))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = ones (varargin)
  [varargout{1:max (1, nargout)}] = builtin ("ones", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! assert (class (ones (2)), "p_matrix");
%! assert (full (ones (2, 3)), builtin ("ones", 2, 3));
%! assert (class (ones (1, 3)), "double");
%! assert (ones (2, "single"), builtin ("ones", 2, "single"));
