## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} p_config ()
## @deftypefnx {} {@var{value} =} p_config (@var{name})
## @deftypefnx {} {@var{s} =} p_config (@var{name}, @var{value}, @dots{})
## @deftypefnx {} {@var{s} =} p_config (@var{s})
## Shows or chooses how p_matrix computes.  A call shows all options as a structure or the value of one
## option.  It sets several options by name and value, or all options as an earlier call has shown them.  When
## a name or a value is wrong, no option is changed.
##
## The following options may be changed at any time.  Operations that were recorded before stay with the
## earlier engine, which computes them when they are needed.  Operations that are recorded afterwards go to
## the new engine.
##
## @table @asis
## @item engine
## "host" (threads of this machine), "cell" (the SPEs of a Cell processor), "sim" (a simulated Cell),
## "reference" (one operation after another), or "null" (schedules only; it computes no values)
## @item meus
## number of matrix execution units, 1 to 4096
## @item scheduler
## "heuristic" (the earliest operation first), "round-robin", "hlfet" (the operation with the longest way to the
## end first), "online" (a pool of operations that are ready), or "portfolio" (the best of several schedules, by
## predicted time)
## @item overlap
## whether recording, lowering, scheduling and execution overlap
## @item immediate
## whether Octave's own thread does little work at once, where handing the work over to other threads would
## take longer, and computes short operations on known matrices as soon as they are stated; on by default
## @item common
## whether an operation that is stated again on equal operands, before it has been executed, is computed once;
## on by default
## @item model
## file with the time model; "" for the built-in one
## @item profile
## file for a timeline of what the engine does, which @url{https://ui.perfetto.dev} and chrome://tracing open; ""
## for none.  It is written when Octave ends or another engine is chosen
## @item max_operations, max_depth, max_bytes
## a trace is executed when it has this many operations, has a chain of this many dependent operations, or
## holds this many bytes
## @item ranks
## processes, on this machine or on several, that hold matrices together and execute what is much work; 1 for none, the
## default.  They are started with @command{mpirun} and need StarPU (@command{scripts/setup ranks})
## @item hostfile
## file with the machines on which ranks run, as @command{mpirun} takes it, this machine first; "" for this machine alone
## @item ranks_work_ms
## ranks execute what takes one core of this machine so many milliseconds; 50 by default
## @item ranks_memory
## bytes of matrices that each rank holds in memory, at most.  What is more lies on a disk, where @env{TMPDIR} says, or in
## @file{/tmp}.  With a limit even one rank is a process of its own; 2^52, the default, is no limit
## @item shard
## rows and columns of the part of a matrix that one rank owns, at most; a multiple of 16, and 512 by default
## @end table
##
## The following options are switches, true or false, "on" or "off", 1 or 0, as are @code{overlap},
## @code{immediate} and @code{common}:
##
## @table @asis
## @item small
## whether small operations, those of about a microsecond, stay out of the engine, which is far quicker; on by
## default
## @item progress
## whether a force that takes longer than two seconds shows on a terminal how far it is; on by default
## @item synchronous
## whether each operation is computed before the next line runs, so that an error stands where it arises; off
## by default
## @item warnings
## whether each operator or function that Octave computes is named in a warning (identifier
## @code{pmatrix:fallback}); off by default
## @end table
##
## The environment variables PMATRIX_ENGINE, PMATRIX_MEUS, PMATRIX_SCHEDULER, PMATRIX_OVERLAP,
## PMATRIX_IMMEDIATE, PMATRIX_COMMON, PMATRIX_MODEL, PMATRIX_PROFILE, PMATRIX_MAX_OPERATIONS, PMATRIX_MAX_DEPTH,
## PMATRIX_MAX_BYTES, PMATRIX_RANKS, PMATRIX_HOSTFILE, PMATRIX_RANKS_WORK_MS,
## PMATRIX_RANKS_MEMORY, PMATRIX_SHARD, PMATRIX_SMALL, PMATRIX_SYNCHRONOUS, PMATRIX_WARNINGS and PMATRIX_PROGRESS set these
## options at the start.  The field @code{running} of the result tells whether the engine has been
## started.
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
  if (nargin == 1 && ischar (varargin{1}))
    s = __pm__ ("config");
    if (! isfield (s, varargin{1}))
      error ("pmatrix:argument", "p_config: there is no option named '%s'", varargin{1});
    endif
    s = s.(varargin{1});
    return;
  endif
  if (nargin == 1 && isstruct (varargin{1}) && isscalar (varargin{1}))
    ## Whether an engine runs is no option.
    before = varargin{1};
    if (isfield (before, "running"))
      before = rmfield (before, "running");
    endif
    varargin = [fieldnames(before), struct2cell(before)]'(:)';
  endif
  if (mod (numel (varargin), 2) != 0)
    print_usage ();
  endif
  if (! isempty (varargin))
    __pm__ ("configure", varargin{:});
  endif
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
%! before = p_config ();
%! unwind_protect
%!   p_config ("immediate", false);
%!   assert (p_config ("synchronous", "on").synchronous, true);
%!   assert (has_result (p_matrix (ones (20)) + 1), true);
%!   assert (has_result (p_matrix (1) + 1), true);
%!   p_config ("synchronous", false);
%!   assert (has_result (p_matrix (ones (20)) + 1), false);
%! unwind_protect_cleanup
%!   p_config ("synchronous", before.synchronous, "immediate", before.immediate);
%! end_unwind_protect
%!test
%! before = p_config ().progress;
%! assert (p_config ("progress", false).progress, false);
%! assert (p_config ("progress", before).progress, before);
%!test
%! before = p_config ();
%! unwind_protect
%!   p_config ("immediate", false);
%!   x = p_matrix (ones (20));
%!   for common = [true, false]
%!     assert (p_config ("common", common).common, common);
%!     recorded = p_profile ().operations_recorded;
%!     y = {x + 1, x + 1};
%!     assert (p_profile ().operations_recorded - recorded, 2 - common);
%!     assert ({full(y{1}), full(y{2})}, {2 * ones(20), 2 * ones(20)});
%!   endfor
%! unwind_protect_cleanup
%!   p_config ("common", before.common, "immediate", before.immediate);
%! end_unwind_protect
%!test
%! s = p_config ("warnings", true);
%! assert (s.warnings, true);
%! assert (p_config ("warnings", "off").warnings, false);
%!test
%! before = p_config ();
%! unwind_protect
%!   s = p_config ("meus", 3, "max_depth", 100, "small", false);
%!   assert ({s.meus, s.max_depth, s.small}, {3, 100, false});
%!   assert (p_config ("meus"), 3);
%!   assert (p_config ("engine"), before.engine);
%!   fail ('p_config ("meus", 5, "max_depth", 0)', "max_depth is '0'");
%!   assert (p_config ("meus"), 3);
%! unwind_protect_cleanup
%!   after = p_config (before);
%! end_unwind_protect
%! assert (rmfield (after, "running"), rmfield (before, "running"));
%!test
%! before = p_config ();
%! unwind_protect
%!   s = p_config ("ranks", 4, "shard", 64, "ranks_work_ms", 2.5, "hostfile", "machines", "ranks_memory", 1e9);
%!   assert ({s.ranks, s.shard, s.ranks_work_ms, s.hostfile, s.ranks_memory}, {4, 64, 2.5, "machines", 1e9});
%! unwind_protect_cleanup
%!   p_config (before);
%! end_unwind_protect
%!error <p_config: a shard of 100 rows: they are a multiple of 16> p_config ("ranks", 2, "shard", 100)
%!error <p_config: ranks_memory is '0': it must be a whole number from 1 to> p_config ("ranks_memory", 0)
%!error <p_config: ranks need an engine that computes in real time \(host, cell, sim\): 'reference' is none> p_config ("engine", "reference", "ranks", 2)
%!error <p_config: ranks is '0': it must be a whole number from 1 to 4096> p_config ("ranks", 0)
%!error <Invalid call> p_config ("meus", 1, "small")
%!error <Invalid call> p_config (5)
%!error <p_config: NAME must be a string> p_config (1, 2)
%!error <p_config: there is no option named 'speed'> p_config ("speed", 2)
%!error <p_config: there is no option named 'speed'> p_config ("speed")
%!error <p_config: meus is '0': it must be a whole number from 1 to 4096> p_config ("meus", 0)
%!error <p_config: meus is '4097': it must be a whole number from 1 to 4096> p_config ("meus", 4097)
%!error <p_config: meus is '1x2 double': it must be a whole number> p_config ("meus", [1 2])
%!error <p_config: meus is '1.5': it must be a whole number> p_config ("meus", 1.5)
%!error <p_config: meus is '-1': it must be a whole number> p_config ("meus", -1)
%!error <p_config: meus is '(NaN|nan)': it must be a whole number> p_config ("meus", NaN)
%!error <p_config: meus is '0x0 cell': it must be a whole number> p_config ("meus", {})
%!error <p_config: max_bytes is '0': it must be a whole number from 1 to 4503599627370496> p_config ("max_bytes", 0)
%!error <p_config: max_bytes is '1e.20': it must be a whole number> p_config ("max_bytes", 1e20)
%!error <p_config: overlap is 'maybe': it must be true or false, on or off, 1 or 0> p_config ("overlap", "maybe")
%!error <p_config: small is '2': it must be true or false> p_config ("small", 2)
%!error <p_config: engine is '5': it must be one of host, cell, sim, reference, null> p_config ("engine", 5)
%!error <p_config: scheduler is 'none': it must be one of heuristic, round-robin, hlfet, online, portfolio> p_config ("scheduler", "none")
%!error <p_config: /dev/urandom: it is no regular file> p_config ("model", "/dev/urandom")
%!error <p_config: /nowhere: No such file> p_config ("model", "/nowhere")
