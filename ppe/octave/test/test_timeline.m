## The timeline: PMATRIX_PROFILE and p_config write it, also when Octave ends by exit or in an error, and it names
## the lines of the script.

%!function [events, text] = timeline (script, environment = "")
%!  file = [tempname(), ".json"];
%!  [status, output] = run_octave (script, ["PMATRIX_PROFILE=" file " " environment]);
%!  text = fileread (file);
%!  delete (file);
%!  ## A line an event, between a first line and a closing one.
%!  events = regexp (text, '\n\{"ph":"[^\n]*\}(?=,?\n)', "match");
%!  assert (! isempty (events), true, output);
%!  assert (text(end-3:end), "\n]}\n");
%!  if (exist ("jsondecode"))
%!    assert (numel (jsondecode (text).traceEvents), numel (events));
%!  endif
%!endfunction
%!function n = count (events, pattern)
%!  n = sum (! cellfun (@isempty, regexp (events, pattern, "once")));
%!endfunction
%!shared script
%! script = ["x = p_matrix (rand (120));\n" ...
%!           "y = x * x + 1;\n" ...
%!           "y(3);\n"];

%!test
%! for ending = {"", "exit (3);\n", "error (\"on purpose\");\n", "z = y * y;\n"}
%!   events = timeline ([script, ending{1}]);
%!   assert (count (events, '"cat":"block operation".*\.m","line":2') > 0, true);
%!   assert (count (events, '"name":"force"'), 1);
%!   assert (count (events, '"ph":"s"'), 1);
%!   assert (count (events, '"ph":"f"'), 1);
%! endfor

## Each thread of the stages and each MEU has a name.
%!test
%! events = timeline (script, "PMATRIX_IMMEDIATE=0 PMATRIX_MEUS=2");
%! for name = {"program", "lower", "schedule", "execute", "MEU \\d"}
%!   assert (count (events, ['"thread_name","args":\{"name":"' name{1} '"']) > 0, true, name{1});
%! endfor
%! assert (count (events, '"name":"queue depth"') > 0);

## Another engine adds to the same file; a forked child leaves it alone.
%!test
%! events = timeline ([script, "p_config (\"engine\", \"reference\");\nz = y + 1;\nz(1);\n"]);
%! assert (count (events, '"process_name"'), 2);
%!test
%! child = "if (fork () == 0)\n  a = p_matrix (rand (100)) * 2;\n  a(1);\n  exit (0);\nendif\nwaitpid (-1);\n";
%! events = timeline ([script, child]);
%! assert (count (events, '"process_name"'), 1);
%! assert (count (events, '"name":"force"'), 1);

## The option at run time, and names that cannot be written to.
%!test
%! file = [tempname(), ".json"];
%! code = sprintf ("p_config (\"profile\", \"%s\");\ncd /\n%s", file, script);
%! [status, output] = run_octave (code);
%! assert (status, 0, output);
%! assert (! isempty (strfind (fileread (file), "block operation")));
%! delete (file);
%!error <p_config: the timeline: /nowhere/a.json: No such file> p_config ("profile", "/nowhere/a.json")
%!assert (p_config ("profile"), "")
