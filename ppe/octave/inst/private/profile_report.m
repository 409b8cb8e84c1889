## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## Prints what has been counted: the struct that p_profile gives.
function profile_report (s)
  since = "the package was loaded";
  if (s.was_reset)
    since = "the last reset";
  endif
  printf ("p_matrix since %s\n", since);
  line ("operations", "%s recorded, %s executed%s, %s pending", grouped (s.operations_recorded), grouped (s.operations_executed),
        unless_zero (s.small_operations, " (%s of them small)"), grouped (s.operations_pending));
  if (s.traces > 0)
    limits = s.flushes_operations + s.flushes_depth + s.flushes_bytes;
    line ("engine", "began %s, %s; %s", times (s.traces), unless_zero (limits, "%s because of limits", "never because of a limit"),
          plural (s.block_operations, "block operation"));
  endif
  line ("forced", "%s", times (s.forces));
  places (s.forced_by, "cause");
  line ("fallbacks", "%s that Octave has computed", plural (s.fallbacks, "call"));
  places (s.fallbacks_by, "name");
  line ("time", "waiting %s; lowering %s, scheduling %s, executing %s", human_time (s.wait_seconds), human_time (s.lower_seconds),
        human_time (s.schedule_seconds), human_time (s.execute_seconds));
  line ("memory", "%s pending, %s at most; %s given to the engine, %s fetched", human_bytes (s.bytes_pinned), human_bytes (s.bytes_peak),
        human_bytes (s.bytes_in), human_bytes (s.bytes_out));
endfunction

function line (heading, varargin)
  printf ("  %-11s %s\n", heading, sprintf (varargin{:}));
endfunction

## The most frequent few of a list.
function places (list, field)
  shown = 5;
  for i = 1:min (shown, numel (list))
    where = place_text (list(i));
    cost = "";
    if (isfield (list, "seconds"))
      cost = human_time (list(i).seconds);
    endif
    text = sprintf ("  %11s %9s  %-32s %9s  %s", "", grouped (list(i).count), list(i).(field), cost, where);
    printf ("%s\n", regexprep (text, '\s+$', ""));
  endfor
  if (numel (list) > shown)
    rest = sum ([list(shown+1:end).count]);
    printf ("  %11s %9s  in %s\n", "", grouped (rest), plural (numel (list) - shown, "other place"));
  endif
endfunction

function text = times (n)
  text = plural (n, "time");
endfunction

function text = plural (n, noun)
  text = sprintf ("%s %s%s", grouped (n), noun, either (n == 1, "", "s"));
endfunction

function text = either (condition, yes, no)
  if (condition)
    text = yes;
  else
    text = no;
  endif
endfunction

function text = unless_zero (n, template, none = "")
  text = either (n == 0, none, sprintf (template, grouped (n)));
endfunction
