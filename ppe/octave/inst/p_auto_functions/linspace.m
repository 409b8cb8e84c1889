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
