## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} randn (@dots{})
## Octave's own @code{randn}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (randn (100))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = randn (varargin)
  if (nargout == 0 && any (cellfun (@ischar, varargin)))
    ## Sets the state of the generator, and has no result.
    builtin ("randn", varargin{:});
    return;
  endif
  varargout{1} = builtin ("randn", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! randn ("twister", 3);
%! x = randn (2, 3);
%! assert (class (x), "p_matrix");
%! randn ("twister", 3);
%! assert (full (x), builtin ("randn", 2, 3));
%! assert (class (randn ()), "double");
