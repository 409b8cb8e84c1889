## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {} p_wait (@var{X}, @dots{})
## Computes each p_matrix @var{X} that is pending and returns when all have been computed.  Unlike @code{full}
## it does not fetch the elements, so it is the way to measure how long a computation takes.
##
## @example
## @group
## z = p_matrix (ones (2)) + 1;
## p_wait (z);
## has_result (z)   @result{} 1
## @end group
## @end example
##
## Values that are not a p_matrix are passed over.
## @seealso{has_result, p_matrix}
## @end deftypefn

function p_wait (varargin)
  __pm__ ("wait", varargin{:});
endfunction

%!demo
%! A = p_matrix (rand (300));
%! B = A * A;
%! tic; p_wait (B); seconds = toc;
%! printf ("%g operations a second\n", 2 * 300^3 / seconds)

%!test
%! z = p_matrix (ones (2)) + 1;
%! p_wait (z, 3);
%! assert (has_result (z), true);
%!test p_wait ();
