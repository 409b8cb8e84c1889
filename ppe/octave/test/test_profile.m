## p_profile on, off, show, export and plot.

%!function name = script_of (lines)
%!  name = [tempname(), ".m"];
%!  file = fopen (name, "w");
%!  fputs (file, ["1;\n", strjoin(lines, "\n"), "\n"]);
%!  fclose (file);
%!endfunction

## Runs a script of these lines, the first of which is line 2, while p_profile is on; gives the struct of p_profile.
%!function [s, name] = profiled (lines)
%!  name = script_of (lines);
%!  remove = onCleanup (@() delete (name));
%!  p_profile on
%!  stop = onCleanup (@() p_profile ("off"));
%!  source (name);
%!  s = p_profile ();
%!endfunction
%!function entry = of (list, line, operation)
%!  entry = list([list.line] == line & strcmp ({list.operation}, operation));
%!endfunction

## Lines, operations and modes.
%!test
%! before = p_config ();
%! unwind_protect
%!   p_config ("immediate", false);
%!   [s, name] = profiled ({"x = p_matrix (rand (150));", "y = x * x + 1;", "y(3);", "z = p_matrix ([1 2; 3 4]) + 1;", "disp (z);"});
%!   assert (s.is_on);
%!   product = of (s.operations_by, 3, "multiply");
%!   assert ({product.file, product.recorded, product.at_once, product.small}, {name, 1, 0, 0});
%!   assert (product.blocks > 0 && product.blocks_at_once == 0 && product.seconds > 0);
%!   assert (of (s.operations_by, 3, "add").recorded, 1);
%!   small = of (s.operations_by, 5, "add");
%!   assert ([small.small, small.recorded, small.blocks], [1 0 0]);
%!   ## Work of Octave's own thread is counted as well, with or without recording.
%!   p_config ("immediate", true);
%!   s = profiled ({"x = p_matrix (rand (150));", "y = x * x;", "y(3);", "v = p_matrix (ones (9)) + 1;", "w = p_matrix (ones (100)) + 1;"});
%!   product = of (s.operations_by, 3, "multiply");
%!   assert (product.blocks > 0 && product.blocks == product.blocks_at_once, true);
%!   assert (of (s.operations_by, 5, "add").small, 1);
%!   assert (of (s.operations_by, 6, "add").at_once, 1);
%! unwind_protect_cleanup
%!   p_config (rmfield (before, "running"));
%! end_unwind_protect

## What happens while it is off is not noted; on begins anew; another engine goes on.
%!test
%! before = p_config ();
%! unwind_protect
%!   assert (! p_profile ().is_on);
%!   profiled ({"x = p_matrix (rand (150));", "y = x * x;", "y(3);"});
%!   noted = p_profile ().operations_by;
%!   assert (! isempty (noted));
%!   x = p_matrix (rand (150));
%!   y = x * x;
%!   y(3);
%!   assert (p_profile ().operations_by, noted);
%!   s = profiled ({"x = p_matrix (rand (150));", "p_config (\"engine\", \"reference\");", "y = x - 1;", "y(3);"});
%!   assert (of (s.operations_by, 4, "subtract").recorded, 1);
%!   assert (isempty (of (s.operations_by, 3, "multiply")));
%!   p_profile reset
%!   assert (size (p_profile ().operations_by), [0 1]);
%! unwind_protect_cleanup
%!   p_config (rmfield (before, "running"));
%! end_unwind_protect

## The tables.
%!test
%! profiled ({"x = p_matrix (rand (150));", "y = x * x + 1;", "y(3);", "gamma (y);", "for k = 1:20, t = y * k; t(1); endfor"});
%! text = evalc ("p_profile show");
%! assert (! isempty (regexp (text, 'by line +time +recorded +at once +small +blocks\n +line \d of \w+\.m ')), true, text);
%! assert (! isempty (regexp (text, 'by operation .*\n +multiply +[\d.]+ (us|ms|s) ')), true, text);
%! assert (! isempty (regexp (text, 'waiting for values, by cause .*\n +element, condition or operator +\d+ ')), true, text);
%! assert (! isempty (regexp (text, 'computed by Octave \(fallbacks\) +calls\n +gamma +1 +line 5 of ')), true, text);
%! assert (! isempty (regexp (text, 'hints\n  line 6 of \w+\.m waits for a value 20 times')), true, text);
%! assert (max (cellfun (@numel, strsplit (text, "\n"))) <= 110);
%! p_profile reset
%! text = evalc ("p_profile show");
%! assert (! isempty (strfind (text, "nothing has been noted yet")));

## Files: a page, a picture, a timeline; each is whole, and nothing comes from a network.
%!test
%! profiled ({"x = p_matrix (rand (150));", "y = x * x + 1;", "y(3);", "gamma (y);"});
%! base = tempname ();
%! remove = onCleanup (@() cellfun (@delete, glob ([base "*"])));
%! p_profile ("export", [base ".html"]);
%! p_profile ("export", [base ".svg"]);
%! p_profile ("export", [base ".json"]);
%! page = fileread ([base ".html"]);
%! picture = fileread ([base ".svg"]);
%! assert (regexp (page, '^<!DOCTYPE html>.*<svg .*</svg>.*</html>\n$', "once"), 1);
%! assert (! isempty (strfind (page, picture)));
%! assert (isempty (regexp (page, '(src|href)=|url\(|@import')), true);
%! for tag = {"table", "thead", "tr", "td", "th", "h2", "p", "div", "svg", "style", "span"}
%!   opened = numel (regexp (page, ["<" tag{1} "[ >]"]));
%!   assert (numel (strfind (page, ["</" tag{1} ">"])), opened, tag{1});
%! endfor
%! for text = {">multiply<", "line 3 of ", ">gamma<", ">element, condition or operator<"}
%!   assert (! isempty (strfind (page, text{1})), true, text{1});
%! endfor
%! assert (! isempty (strfind (fileread ([base ".json"]), "\"traceEvents\"")));
%! fail ("p_profile (\"export\", \"/nowhere/at/all.html\")", "pmatrix|/nowhere/at/all.html");
%! fail ("p_profile (\"export\", \"/nowhere/at/all.json\")", "/nowhere/at/all.json");
%! fail ("p_profile (\"export\", 5)", "FILE must be the name of a file");
%! ## A page of nothing.
%! p_profile reset
%! p_profile ("export", [base ".html"]);
%! assert (! isempty (strfind (fileread ([base ".html"]), "<p>None.</p>")));
