## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} p_config ()
## @deftypefnx {} {@var{s} =} p_config (@var{name}, @var{value}, @dots{})
## Shows or chooses how p_matrix computes.  Options are chosen before the first operation of a p_matrix.
##
## @table @asis
## @item engine
## "host" (threads of this machine), "reference" (one operation after another), or "null" (schedules only)
## @item meus
## number of matrix execution units
## @item scheduler
## "heuristic" or "round-robin"
## @item overlap
## whether recording, lowering, scheduling and execution overlap
## @item model
## file with the time model; "" for the built-in one
## @item max_operations, max_depth, max_bytes
## a trace is executed when it has this many operations, a chain of this many dependent ones, or holds this many bytes
## @end table
##
## The environment variables PMATRIX_ENGINE, PMATRIX_MEUS, PMATRIX_SCHEDULER, PMATRIX_OVERLAP, PMATRIX_MODEL,
## PMATRIX_MAX_OPERATIONS, PMATRIX_MAX_DEPTH and PMATRIX_MAX_BYTES set the same.  The field @code{running} of the result tells
## whether the engine has been started.
##
## @example
## @group
## p_config ("engine", "host", "meus", 4);
## p_config ().meus   @result{} 4
## @end group
## @end example
## @seealso{p_matrix, p_profile}
## @end deftypefn

function s = p_config (varargin)
  if (mod (nargin, 2) != 0)
    print_usage ();
  endif
  for i = 1:2:nargin
    __pm__ ("configure", varargin{i}, varargin{i+1});
  endfor
  s = __pm__ ("config");
endfunction

%!test
%! s = p_config ();
%! assert (s.meus >= 1);
%!error <Invalid call> p_config ("meus")
