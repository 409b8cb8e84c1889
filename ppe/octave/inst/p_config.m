## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} p_config ()
## @deftypefnx {} {@var{s} =} p_config (@var{name}, @var{value}, @dots{})
## Shows or chooses how p_matrix computes.  Options of the engine are chosen before the first operation that the engine records.
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
## These may be changed at any time, with true or false, or "on" or "off":
##
## @table @asis
## @item small
## whether operations on at most 64 elements stay out of the engine, which is far quicker; on by default
## @item progress
## whether a force that takes longer than two seconds shows on a terminal how far it is; on by default
## @item synchronous
## whether each operation is computed before the next line runs, so that an error stands where it arises; off by default
## @item warnings
## whether each operator or function that Octave computes is named in a warning (identifier @code{pmatrix:fallback}); off by default
## @end table
##
## The environment variables PMATRIX_ENGINE, PMATRIX_MEUS, PMATRIX_SCHEDULER, PMATRIX_OVERLAP, PMATRIX_MODEL,
## PMATRIX_MAX_OPERATIONS, PMATRIX_MAX_DEPTH, PMATRIX_MAX_BYTES, PMATRIX_SMALL, PMATRIX_SYNCHRONOUS, PMATRIX_WARNINGS and
## PMATRIX_PROGRESS set the same
## (switches as 0 or 1).  The field @code{running} of the result tells whether the engine has been started.
##
## @example
## @group
## p_config ("engine", "host", "meus", 4);
## p_config ().meus   @result{} 4
## @end group
## @end example
## @seealso{p_matrix, p_profile, p_info}
## @end deftypefn

function s = p_config (varargin)
  if (mod (nargin, 2) != 0)
    print_usage ();
  endif
  if (! iscellstr (varargin(1:2:end)))
    error ("pmatrix:argument", "p_config: NAME must be a string");
  endif
  for i = 1:2:nargin
    __pm__ ("configure", varargin{i}, varargin{i+1});
  endfor
  s = __pm__ ("config");
endfunction

%!demo
%! s = p_config ();
%! printf ("engine %s with %d MEUs\n", s.engine, s.meus)
%! p_config ("warnings", true);
%! x = gamma (p_matrix ([1 2 3]));      # Octave computes this, and says so
%! p_config ("warnings", false);

%!test
%! s = p_config ();
%! assert (s.meus >= 1);
%!test
%! before = p_config ().synchronous;
%! unwind_protect
%!   assert (p_config ("synchronous", "on").synchronous, true);
%!   assert (has_result (p_matrix (ones (20)) + 1), true);
%!   assert (has_result (p_matrix (1) + 1), true);
%!   p_config ("synchronous", false);
%!   assert (has_result (p_matrix (ones (20)) + 1), false);
%! unwind_protect_cleanup
%!   p_config ("synchronous", before);
%! end_unwind_protect
%!test
%! before = p_config ().progress;
%! assert (p_config ("progress", false).progress, false);
%! assert (p_config ("progress", before).progress, before);
%!test
%! s = p_config ("warnings", true);
%! assert (s.warnings, true);
%! assert (p_config ("warnings", "off").warnings, false);
%!error <Invalid call> p_config ("meus")
%!error <NAME must be a string> p_config (1, 2)
%!error <there is no option named 'speed'> p_config ("speed", 2)
%!error <meus must be a whole number from 1 to 4096> p_config ("meus", 0)
%!error <meus must be a whole number> p_config ("meus", 1.5)
%!error <meus must be a number> p_config ("meus", {})
%!error <overlap must be true or false> p_config ("overlap", "maybe")
%!error <small must be true or false> p_config ("small", 2)
%!error <engine must be a string> p_config ("engine", 5)
