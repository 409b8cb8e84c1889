## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## [by_line, by_operation] = profile_tables (list)
## The totals of each operation in each line, added up by line and by operation.  Both are struct arrays with the
## fields of the list, the longest first.  What took no time that was noted follows, the most frequent first.
function [by_line, by_operation] = profile_tables (list)
  places = cell (1, numel (list));
  for i = 1:numel (list)
    places{i} = sprintf ("%s\n%d", list(i).file, list(i).line);
  endfor
  by_line = added (list, places);
  by_operation = added (list, {list.operation});
endfunction

function sums = added (list, keys)
  sums = list([]);
  [~, first, group] = unique (keys, "first");
  sums = list(first)(:);
  for field = {"recorded", "at_once", "small", "blocks", "blocks_at_once", "seconds"}
    values = accumarray (group(:), [list.(field{1})](:), [numel(first), 1]);
    for i = 1:numel (first)
      sums(i).(field{1}) = values(i);
    endfor
  endfor
  if (! isempty (sums))
    [~, order] = sortrows ([[sums.seconds]; [sums.recorded] + [sums.at_once] + [sums.small]]', [-1 -2]);
    sums = sums(order);
  endif
endfunction
