## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## A value that is needed is computed, with what it depends on, and nothing else.

%!test
%! restore = without_immediate ();
%! A = p_matrix (magic (100)); B = A;
%! for k = 1:8, B = B*A/1e6; end
%! c = p_matrix (ones (100)) + 1;
%! before = p_profile ().operations_executed;
%! assert (c(1), 2);
%! assert ({has_result(c), has_result(B)}, {true, false});
%! assert (p_profile ().operations_executed - before, 1);
%! assert (p_info (B).operations, 16);
%! expected = magic (100);
%! for k = 1:8, expected = expected*magic (100)/1e6; end
%! assert (full (B), expected, -1e-10);

## A value that both need is computed once.
%!test
%! restore = without_immediate ();
%! x = p_matrix ((1:200)');
%! both = exp (x / 200); first = both + 1; second = both * 2; clear both
%! before = p_profile ().operations_executed;
%! first(1); second(1);
%! assert (p_profile ().operations_executed - before, 4);
%! assert (full (second), exp ((1:200)' / 200) * 2);

## Ctrl-C is seen while recording waits for room, and nobody takes up afterwards what it has ended.
%!test
%! code = ["p_config (\"max_bytes\", 40e6); n = 1000; a = p_matrix (eye (n)(:, [2:n, 1])); b = a;\n" ...
%!         "system (sprintf (\"(sleep 0.4; kill -INT %d) > /dev/null 2>&1 &\", getpid ()));\n" ...
%!         "unwind_protect\n" ...
%!         "  for i = 1:2000, b = b * a; end\n" ...
%!         "  disp (\"finished\");\n" ...
%!         "unwind_protect_cleanup\n" ...
%!         "  before = p_profile ().operations_executed;\n" ...
%!         "  for i = 1:20, c = p_matrix (ones (30)) + i; c(1); end\n" ...
%!         "  printf (\"other work: %d\\n\", p_profile ().operations_executed - before);\n" ...
%!         "  printf (\"pending %d\\n\", has_result (b));\n" ...
%!         "  clear b; d = a; for i = 1:3, d = d * a; end\n" ...
%!         "  printf (\"again %d\\n\", isequal (d, eye (n)(:, [5:n, 1:4])));\n" ...
%!         "end_unwind_protect\n"];
%! [status, output] = run_octave (code);
%! assert (isempty (strfind (output, "finished")), output);
%! assert (! isempty (strfind (output, "other work: 20\n")), output);
%! assert (! isempty (strfind (output, "pending 0\n")), output);
%! assert (! isempty (strfind (output, "again 1\n")), output);
