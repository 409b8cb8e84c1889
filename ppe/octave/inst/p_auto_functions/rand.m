## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{x} =} rand (@dots{})
## Octave's own @code{rand}, whose larger results are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## class (rand (100))   @result{} p_matrix
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = rand (varargin)
  if (nargout == 0 && any (cellfun (@ischar, varargin)))
    ## Sets the state of the generator, and has no result.
    builtin ("rand", varargin{:});
    return;
  endif
  varargout{1} = builtin ("rand", varargin{:});
  varargout = __pm__ ("auto", varargin, varargout);
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! p_auto ("on", 4);
%! rand ("twister", 3);
%! x = rand (2, 3);
%! assert (class (x), "p_matrix");
%! rand ("twister", 3);
%! assert (full (x), builtin ("rand", 2, 3));
%! assert (class (rand ()), "double");
%! assert (rows (rand ("twister")), 625);
%! assert (class (rand (3, "single")), "single");
