## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} eye (@dots{})
## Octave's own @code{eye}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (eye (100))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = eye (varargin)
  [varargout{1:max (1, nargout)}] = builtin ("eye", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! assert (class (eye (2)), "p_matrix");
%! assert (full (eye (2, 3)), full (builtin ("eye", 2, 3)));
%! assert (isdiag (eye (1)), true);
%! assert (class (eye (1)), "double");
%! assert (eye (3, "int8"), builtin ("eye", 3, "int8"));
