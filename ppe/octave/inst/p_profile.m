## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {} p_profile
## @deftypefnx {} {@var{s} =} p_profile ()
## @deftypefnx {} {} p_profile reset
## @deftypefnx {} {} p_profile on
## @deftypefnx {} {} p_profile off
## @deftypefnx {} {} p_profile show
## @deftypefnx {} {} p_profile plot
## @deftypefnx {} {} p_profile export @var{file}
## What p_matrix values have done since the package was loaded, or since @code{p_profile reset}: a report, or
## a struct when the call has an output.
##
## @code{p_profile on} begins anew, and from then on notes each operation with its line and its time, until
## @code{p_profile off}.  @code{p_profile show} prints tables: by line of the script, by operation, by cause of
## waiting, and what Octave computed itself.  @code{p_profile plot} draws the first two of them.
##
## @code{p_profile export @var{file}} writes the tables and a picture of what each thread and each MEU did, and
## when.  A name that ends with .html gives one page that needs no network, and .svg gives the picture alone.
## Any other name gives a timeline that @url{https://ui.perfetto.dev} and chrome://tracing open.
##
## Times of operations are those of all processors together, so they may be more than the time that has passed.
## Operations that are computed together share their time equally.  Small operations, those of about a
## microsecond, are counted without their time.
##
## @example
## @group
## p_profile reset
## A = p_matrix (rand (300));
## B = A * A + 1;
## B(1);
## fft (B);
## p_profile
##      @print{} operations   2 recorded, 2 executed, 0 pending
##      @print{} forced       1 time
##      @print{}                       1  element, condition or operator
##      @print{} fallbacks    1 call that Octave has computed
##      @print{}                       1  fft
##      @print{} ...
## @end group
## @end example
##
## In a script the places have file and line.  The fields of the struct:
##
## @table @code
## @item operations_recorded, operations_executed, operations_dropped
## operations; a result that nobody needs is dropped
## @item operations_pending
## what is recorded and not computed at this moment
## @item small_operations
## executed operations on at most 64 elements, which stay out of the engine
## @item traces, block_operations, block_edges
## how often the engine began, the block operations that it computed, and the dependences among them
## @item flushes_forced, flushes_operations, flushes_depth, flushes_bytes
## why the engine began: a result was needed, or a limit of @code{p_config} was reached
## @item forces, forced_by
## how often the program waited; for each @code{cause}, a built-in function or what else needed elements:
## @code{file}, @code{line}, @code{count} and @code{seconds}, the most frequent first
## @item fallbacks, fallbacks_by
## what Octave computed on full matrices; for each @code{name}: @code{file}, @code{line} and @code{count}
## @item lower_seconds, schedule_seconds, execute_seconds
## time that the stages took, which overlap with each other and with the program
## @item wait_seconds
## time that the program waited for the stages
## @item bytes_in, bytes_out
## arrays that the engine got, and results that were fetched from the engine
## @item bytes_pinned, bytes_peak
## held for what is pending at this moment; the most that results and temporary blocks took at once
## @item operations_by
## what was noted while @code{p_profile on} was in effect, for each @code{operation} of each @code{line} of a
## @code{file}: how often it was @code{recorded}, computed @code{at_once} instead, or @code{small} (at most 64 elements);
## its block operations (@code{blocks}), and how many of them Octave's thread and its helpers computed
## (@code{blocks_at_once}); @code{seconds} of all processors
## @item is_on
## whether @code{p_profile on} is in effect
## @item was_reset
## whether the counters have been reset
## @end table
##
## The counts go on when another engine is chosen.  They do not include what an earlier engine computes
## afterwards.
## @seealso{p_matrix, p_config, p_info}
## @end deftypefn

function s = p_profile (action, file)
  if (nargin == 0 && nargout > 0)
    s = __pm__ ("profile");
    return;
  elseif (nargin == 0)
    profile_report (__pm__ ("profile"));
    return;
  endif
  actions = {"on", "off", "show", "plot", "reset", "export"};
  if (! (ischar (action) && any (strcmp (action, actions))))
    error ("pmatrix:argument", "p_profile: ACTION must be \"on\", \"off\", \"show\", \"plot\", \"reset\" or \"export\"");
  endif
  if (strcmp (action, "export") != (nargin == 2))
    error ("pmatrix:argument", "p_profile: \"export\" needs the name of a file, and no other action has one");
  endif
  switch (action)
    case "on"
      __pm__ ("reset profile");
      __pm__ ("profile", true);
    case "off"
      __pm__ ("profile", false);
    case "show"
      profile_show (__pm__ ("profile"));
    case "plot"
      profile_plot (__pm__ ("profile"));
    case "reset"
      __pm__ ("reset profile");
    case "export"
      profile_export (__pm__ ("profile"), file);
  endswitch
endfunction

%!demo
%! p_profile reset
%! A = p_matrix (rand (200));
%! B = A * A + 1;
%! disp (B(1, 1) > 0)
%! p_profile

%!test
%! x = p_matrix (eye (2));
%! x = x + 1;
%! before = p_profile ();
%! y = gamma (x);
%! assert (p_profile ().fallbacks - before.fallbacks, 1);

%!test
%! before = p_config ("immediate");
%! p_config ("immediate", false);
%! unwind_protect
%!   p_profile reset
%!   s = p_profile ();
%!   assert (s.was_reset);
%!   assert ([s.operations_recorded, s.operations_executed, s.forces, s.fallbacks, s.traces, s.bytes_in, s.bytes_out], zeros (1, 7));
%!   assert ([s.wait_seconds, s.lower_seconds, s.schedule_seconds, s.execute_seconds], zeros (1, 4));
%!   assert (size (s.forced_by), [0 1]);
%!   assert (size (s.fallbacks_by), [0 1]);
%!   x = p_matrix (rand (40));
%!   for k = 1:3
%!     y = x * k + 1;
%!     y(2);
%!   endfor
%!   z = full (y - x);
%!   for k = 1:2
%!     gamma (x);
%!   endfor
%!   cosint (x);
%!   s = p_profile ();
%!   assert (s.operations_recorded, 7);
%!   assert (s.operations_executed, 7);
%!   assert (s.forces, 4);
%!   assert ([s.forced_by.count], [3 1]);
%!   assert ({s.forced_by.cause}, {"element, condition or operator", "full"});
%!   assert (isfield (s.forced_by, {"file", "line", "seconds"}), true (1, 3));
%!   assert (s.wait_seconds > 0 && abs (s.wait_seconds - sum ([s.forced_by.seconds])) < 1e-9);
%!   assert (s.fallbacks, 3);
%!   assert (sum ([s.fallbacks_by.count]), 3);
%!   assert (s.fallbacks_by(1).count, 2);
%!   assert (strcmp (s.fallbacks_by(2).name, "cosint"));
%!   assert (s.bytes_in, 40 * 40 * 8);
%!   assert (s.bytes_out >= 40 * 40 * 8);
%!   assert (s.bytes_peak >= 40 * 40 * 8);
%! unwind_protect_cleanup
%!   p_config ("immediate", before);
%! end_unwind_protect

## The places are lines of the script, also where Octave's library needs the elements.
%!test
%! before = p_config ("immediate");
%! p_config ("immediate", false);
%! unwind_protect
%!   name = [tempname(), ".m"];
%!   remove = onCleanup (@() delete (name));
%!   file = fopen (name, "w");
%!   fputs (file, "1;\nx = p_matrix (magic (20)) + 1;\nx(3);\nmedian (x + 1);\ncosint (x / 1000);\n");
%!   fclose (file);
%!   p_profile reset
%!   source (name);
%!   s = p_profile ();
%!   assert ([s.forced_by.line] >= 3 & [s.forced_by.line] <= 5);
%!   assert (all (strcmp ({s.forced_by.file}, name)));
%!   assert (any ([s.forced_by.line] == 3));
%!   assert (any ([s.forced_by.line] == 4));
%!   last = strcmp ({s.fallbacks_by.name}, "cosint");
%!   assert (s.fallbacks_by(last).line, 5);
%!   assert (s.fallbacks_by(last).file, name);
%! unwind_protect_cleanup
%!   p_config ("immediate", before);
%! end_unwind_protect

## The report.
%!test
%! before = p_config ("immediate");
%! p_config ("immediate", false);
%! unwind_protect
%!   p_profile reset
%!   text = evalc ("p_profile");
%!   assert (regexp (text, "^p_matrix since the last reset\n  operations  0 recorded, 0 executed, 0 pending", "once"), 1);
%!   assert (! isempty (strfind (text, "  forced      0 times\n  fallbacks   0 calls that Octave has computed\n  time        waiting 0 s;")));
%!   x = p_matrix (ones (40));
%!   x = x + 1;
%!   x(3);
%!   gamma (x);
%!   text = evalc ("p_profile");
%!   assert (! isempty (strfind (text, "  operations  1 recorded, 1 executed, 0 pending\n  engine      began 1 time, never because of a limit; ")));
%!   assert (! isempty (regexp (text, "\n  forced      1 time\n +1  element, condition or operator  +[0-9.]+ (us|ms|s)")));
%!   assert (! isempty (regexp (text, "\n  fallbacks   1 call that Octave has computed\n +1  gamma")));
%!   assert (! isempty (strfind (text, "12.8 kB given to the engine")));
%!   assert (max (cellfun (@numel, strsplit (text, "\n"))) <= 110);
%! unwind_protect_cleanup
%!   p_config ("immediate", before);
%! end_unwind_protect

%!error <ACTION must be "on", "off", "show", "plot", "reset" or "export"> p_profile again
%!error <ACTION must be "on"> p_profile (3)
%!error <"export" needs the name of a file> p_profile export
%!error <no other action has one> p_profile ("show", "a.html")
