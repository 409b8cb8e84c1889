## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} linspace (@dots{})
## Octave's own @code{linspace}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (linspace (0, 1, 2000))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = linspace (varargin)
  [varargout{1:max (1, nargout)}] = builtin ("linspace", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! assert (class (linspace (0, 1, 5)), "p_matrix");
%! assert (full (linspace (0, 1, 5)), builtin ("linspace", 0, 1, 5));
%! assert (class (linspace (0, 1, 3)), "double");
%! assert (full (linspace ([1; 2], 3, 4)), builtin ("linspace", [1; 2], 3, 4));
