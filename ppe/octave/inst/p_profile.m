## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{s} =} p_profile ()
## What the engine has done since Octave started: operations recorded, executed, dropped and pending, operations and edges of
## the lowered graph, traces and what started each, nanoseconds spent in lowering, scheduling and execution, bytes held for
## pending operations, and how often an operator or function of a p_matrix was computed by Octave (@code{fallbacks}).
##
## @example
## @group
## before = p_profile ();
## x = p_matrix (ones (3)) * 2;
## p_profile ().operations_recorded - before.operations_recorded
##      @result{} 1
## @end group
## @end example
## @seealso{p_matrix, p_config}
## @end deftypefn

function s = p_profile ()
  s = __pm__ ("profile");
endfunction

%!test
%! x = p_matrix (eye (2));
%! x = x + 1;
%! before = p_profile ();
%! y = gamma (x);
%! assert (p_profile ().fallbacks - before.fallbacks, 1);
%!test
%! assert (isfield (p_profile (), {"operations_recorded", "traces", "bytes_pinned"}), true (1, 3));
