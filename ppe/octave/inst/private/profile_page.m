## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## The page of p_profile: the tables of its struct, and the picture of the timeline.
function page = profile_page (s, picture)
  [by_line, by_operation] = profile_tables (s.operations_by);
  waiting = sprintf ("%s; lowering %s, scheduling %s, executing %s", human_time (s.wait_seconds), human_time (s.lower_seconds),
                     human_time (s.schedule_seconds), human_time (s.execute_seconds));
  summary = {"Operations", sprintf("%s recorded, %s executed, %s of them small", grouped (s.operations_recorded), ...
                                   grouped (s.operations_executed), grouped (s.small_operations));
             "Block operations", grouped(s.block_operations);
             "Waiting", sprintf("%s, %s", counted (s.forces, "time"), waiting);
             "Fallbacks", [counted(s.fallbacks, "call") " that Octave has computed"];
             "Memory", sprintf("%s at most; %s given to the engine, %s fetched", human_bytes (s.bytes_peak), human_bytes (s.bytes_in), ...
                               human_bytes (s.bytes_out))};
  page = [head(), "<h1>What p_matrix did</h1>\n", table({"", ""}, summary, false), "<h2>Timeline</h2>\n", ...
          "<p>A row a thread and a processor. Bars within bars are parts of them; point at a bar to read what it is.</p>\n", ...
          "<div class=\"wide\">", picture, "</div>\n", ...
          "<h2>By line of the script</h2>\n", operations("Line", by_line, @place_text), ...
          "<h2>By operation</h2>\n", operations("Operation", by_operation, @(entry) entry.operation), ...
          "<p>Time is that of all processors together. Operations that are computed together share it equally. Operations at once\n", ...
          "were computed when they were stated, instead of being recorded; small ones take about a microsecond at most, and no time is\n", ...
          "noted for them. A block operation counts for each operation that it computes.</p>\n", ...
          "<h2>Waiting for values, by cause</h2>\n", causes({"Cause", "Times", "Time", "Line"}, s.forced_by, "cause"), ...
          "<h2>Computed by Octave (fallbacks)</h2>\n", causes({"Function or operator", "Calls", "Line"}, s.fallbacks_by, "name"), ...
          "</body>\n</html>\n"];
endfunction

function text = head ()
  text = ["<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", ...
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>p_profile</title>\n<style>\n", ...
          ":root { color-scheme: light dark; }\n", ...
          "body { font: 15px/1.45 sans-serif; max-width: 70rem; margin: 1.5rem auto; padding: 0 1rem; color: #222; background: #fff; }\n", ...
          "h2 { margin-top: 2rem; font-size: 1.15rem; }\n", ...
          "table { border-collapse: collapse; }\nth, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }\n", ...
          "thead th { border-bottom: 1px solid #999; }\ntd.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }\n", ...
          "td.number, td:first-child { white-space: nowrap; }\n", ...
          ".bar { display: inline-block; height: .6rem; background: #1b6ca8; }\n.wide { overflow-x: auto; }\n", ...
          ".pm-timeline { width: 100%; min-width: 40rem; }\n", ...
          "@media screen and (prefers-color-scheme: dark) {\n  body { color: #ddd; background: #181a1b; }\n  .bar { background: #5aa9e6; }\n}\n", ...
          "@media print {\n  body { margin: 0; max-width: none; font-size: 10pt; }\n  h2 { break-after: avoid; }\n", ...
          "  tr, svg { break-inside: avoid; }\n  .bar, rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }\n}\n", ...
          "</style>\n</head>\n<body>\n"];
endfunction

function text = operations (heading, list, name)
  rows = cell (numel (list), 7);
  longest = max ([list.seconds, realmin]);
  for i = 1:numel (list)
    entry = list(i);
    title = name (entry);
    if (isempty (title))
      title = "unknown";
    endif
    bar = sprintf ("<span class=\"bar\" style=\"width:%.1frem\"></span>", 8 * entry.seconds / longest);
    seconds = "";
    if (entry.seconds > 0)
      seconds = human_time (entry.seconds);
    endif
    rows(i,:) = {escaped(title), seconds, bar, grouped(entry.recorded), grouped(entry.at_once), ...
                 grouped(entry.small), grouped(entry.blocks)};
  endfor
  text = table ({heading, "#Time", "", "#Recorded", "#At once", "#Small", "#Block operations"}, rows, true);
endfunction

function text = causes (headings, list, field)
  rows = cell (numel (list), numel (headings));
  for i = 1:numel (list)
    row = {escaped(list(i).(field)), grouped(list(i).count)};
    if (isfield (list, "seconds"))
      row{end+1} = human_time (list(i).seconds);
    endif
    rows(i,:) = [row, {escaped(place_text (list(i)))}];
  endfor
  headings(2:end-1) = strcat ("#", headings(2:end-1));
  text = table (headings, rows, true);
endfunction

function text = counted (n, noun)
  plural = "s";
  if (n == 1)
    plural = "";
  endif
  text = [grouped(n) " " noun plural];
endfunction

## A table.  Columns whose heading begins with # hold numbers.
function text = table (headings, rows, with_headings)
  if (isempty (rows))
    text = "<p>None.</p>\n";
    return;
  endif
  classes = cell (size (headings));
  for k = 1:numel (headings)
    classes{k} = "";
    if (strncmp (headings{k}, "#", 1))
      classes{k} = " class=\"number\"";
      headings{k}(1) = "";
    endif
  endfor
  text = "<table>\n";
  if (with_headings)
    text = [text, "<thead><tr>"];
    for k = 1:numel (headings)
      text = [text, sprintf("<th%s>%s</th>", classes{k}, headings{k})];
    endfor
    text = [text, "</tr></thead>\n"];
  endif
  for i = 1:size (rows, 1)
    text = [text, "<tr>"];
    for k = 1:size (rows, 2)
      text = [text, "<td", classes{k}, ">", rows{i,k}, "</td>"];
    endfor
    text = [text, "</tr>\n"];
  endfor
  text = [text, "</table>\n"];
endfunction

function text = escaped (text)
  text = strrep (strrep (strrep (text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
endfunction
