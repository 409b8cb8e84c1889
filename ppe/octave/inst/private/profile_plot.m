## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## Draws what lines and operations have taken, from the struct that p_profile gives.
function profile_plot (s)
  if (isempty (s.operations_by))
    error ("pmatrix:profile", "p_profile: nothing has been noted; p_profile on begins to note operations");
  endif
  [by_line, by_operation] = profile_tables (s.operations_by);
  figure ();
  ## Names of lines need more room on their left than subplot would leave.
  bars ([0.27, 0.12, 0.22, 0.78], "by line", by_line, @place_text);
  bars ([0.7, 0.12, 0.26, 0.78], "by operation", by_operation, @(entry) entry.operation);
endfunction

## The longest few, the longest at the top; position is where the axes are in the figure.
function bars (position, heading, list, name)
  shown = 12;
  ## What took no time that was noted has no bar to show.
  timed = [list.seconds] > 0;
  if (any (timed))
    list = list(timed);
  endif
  list = list(min (end, shown):-1:1);
  names = arrayfun (name, list, "UniformOutput", false);
  names(cellfun (@isempty, names)) = {"unknown"};
  axes ("position", position);
  barh (1000 * [list.seconds]);
  set (gca (), "ytick", 1:numel (names), "yticklabel", names, "ticklabelinterpreter", "none");
  ylim ([0.4, numel(names) + 0.6]);
  xlabel ("ms of all processors");
  title (heading);
endfunction
