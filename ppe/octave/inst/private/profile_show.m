## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## Prints the tables of the struct that p_profile gives.
function profile_show (s)
  if (isempty (s.operations_by))
    puts ("p_profile on notes operations with their lines and times; nothing has been noted yet\n");
  else
    [by_line, by_operation] = profile_tables (s.operations_by);
    operations ("by line", by_line, @place_text);
    operations ("by operation", by_operation, @(entry) entry.operation);
  endif
  printf ("\n%-38s %9s %9s\n", "waiting for values, by cause", "times", "seconds");
  causes (s.forced_by, "cause");
  limits = s.flushes_operations + s.flushes_depth + s.flushes_bytes;
  if (limits > 0)
    printf ("  %-36s %9s\n", "limits of p_config (nothing waits)", grouped (limits));
  endif
  printf ("\n%-38s %9s\n", "computed by Octave (fallbacks)", "calls");
  causes (s.fallbacks_by, "name");
  hints (s);
endfunction

## Lines where the program waits or leaves p_matrix again and again.
function hints (s)
  often = 10;
  texts = {};
  for entry = s.forced_by([s.forced_by.count] >= often).'
    if (entry.line > 0)
      texts{end+1} = sprintf ("%s waits for a value %s times; values that are asked for after the loop wait once", place_text (entry),
                              grouped (entry.count));
    endif
  endfor
  for entry = s.fallbacks_by([s.fallbacks_by.count] >= often).'
    if (entry.line > 0)
      texts{end+1} = sprintf ("%s lets Octave compute %s %s times, and computes its operands at once", place_text (entry), ...
                              entry.name, grouped (entry.count));
    endif
  endfor
  if (! isempty (texts))
    printf ("\nhints\n");
    printf ("  %s\n", texts{:});
  endif
endfunction

function operations (heading, list, name)
  printf ("\n%-38s %9s %9s %9s %9s %9s\n", heading, "time", "recorded", "at once", "small", "blocks");
  for entry = list.'
    title = name (entry);
    if (isempty (title))
      title = "(unknown)";
    endif
    seconds = "";
    if (entry.seconds > 0)
      seconds = human_time (entry.seconds);
    endif
    printf ("  %-36s %9s %9s %9s %9s %9s\n", title, seconds, grouped (entry.recorded), grouped (entry.at_once),
            grouped (entry.small), grouped (entry.blocks));
  endfor
endfunction

function causes (list, field)
  if (isempty (list))
    puts ("  none\n");
  endif
  for entry = list.'
    cost = "";
    if (isfield (entry, "seconds"))
      cost = human_time (entry.seconds);
    endif
    text = sprintf ("  %-36s %9s %9s  %s", entry.(field), grouped (entry.count), cost, place_text (entry));
    printf ("%s\n", regexprep (text, '\s+$', ""));
  endfor
endfunction
