## Life of values and of the process.

## Each value is used in the loop that made it, and the rest is dropped.
%!test
%! a = p_matrix (ones (4));
%! for i = 1:2000
%!   b = a + i;
%!   c = b * a;
%!   clear b
%! endfor
%! assert (full (c), 4 * (1 + 2000) * ones (4));

## A million chained operations, recorded and dropped or forced: bounded memory, no deep recursion.
%!function kilobytes = resident ()
%!  text = fileread ("/proc/self/status");
%!  kilobytes = str2double (regexp (text, 'VmRSS:\s*(\d+)', "tokens"){1}{1});
%!endfunction
%!test
%! x = p_matrix (zeros (4));
%! for i = 1:20000
%!   x = x + 1;
%! endfor
%! before = resident ();
%! start = tic ();
%! for i = 1:1000000
%!   x = x + 1;
%! endfor
%! seconds = toc (start);
%! clear x
%! grown = resident () - before;
%! printf ("  1e6 chained operations: %.2f s, %d kB grown\n", seconds, grown);
%! assert (grown < 500000);
%!test
%! x = p_matrix (zeros (4));
%! for i = 1:300000
%!   x = x + 1;
%! endfor
%! assert (full (x), 300000 * ones (4));

## Memory stays flat over many operations in a loop that forces every 1000: in the front end, and in the
## engine.
%!function grown = growth (x, steps)
%!  for i = 1:steps
%!    x = x + 1;
%!    if (mod (i, 1000) == 0)
%!      x(1);
%!    endif
%!    if (i == steps / 10)
%!      before = resident ();
%!    endif
%!  endfor
%!  grown = resident () - before;
%!  assert (full (x(1)), steps);
%!endfunction
%!test
%! grown = growth (p_matrix (zeros (4)), 1e6);
%! printf ("  1e6 operations on 4x4, forced every 1000: %d kB grown\n", grown);
%! assert (grown < 20000);
%!test
%! ## The engine's pool keeps memory for later matrices, up to its limit.
%! grown = growth (p_matrix (zeros (9)), 1e5);
%! printf ("  1e5 operations on 9x9, forced every 1000: %d kB grown\n", grown);
%! assert (grown < 50000);

## Wrapped arrays are given back: 300 of 8 MB each do not add up.
%!test
%! for i = 1:300
%!   x = p_matrix (i * ones (1000));
%!   y = x + 1;
%!   if (mod (i, 10) == 0)
%!     y(1);
%!   endif
%!   if (i == 50)
%!     before = resident ();
%!   endif
%! endfor
%! assert (resident () - before < 400000);

## Function results, recursion, globals and handles.
%!function r = power_of (a, n)
%!  if (n == 1)
%!    r = a;
%!  else
%!    r = power_of (a, n - 1) * a;
%!  endif
%!endfunction
%!test
%! global shared_value
%! shared_value = power_of (p_matrix ([1 1; 0 1]), 100);
%! f = @() shared_value + 1;
%! assert (full (f ()), [2 101; 1 2]);
%! clear -global shared_value

## A process may end with work pending: at the end of a script, by exit, or by an error.
%!test
%! code = "a = p_matrix (rand (200)); b = a; for i = 1:50, b = b * a; end\n";
%! assert (run_octave (code), 0);
%! assert (run_octave ([code "exit (3);"]), 3);
%! [status, output] = run_octave ([code "error (\"stop here\");"]);
%! assert (status, 1);
%! assert (! isempty (strfind (output, "stop here")));

## A fork while the engine is at work.
%!test
%! code = ["p_config (\"max_operations\", 10); a = p_matrix (rand (300)); b = a;\n" ...
%!         "for i = 1:200, b = b * a; end, exit (4);"];
%! [status, output] = run_octave (code);
%! assert (status, 4);
%! assert (isempty (strfind (output, "fatal")));

## A forked child can use what has been computed, records and computes on an engine of its own, and is told
## that what is pending in the parent cannot be computed.
%!test
%! code = ["a = p_matrix (ones (30)); b = a + 1; b(1); c = b + 1;\n" ...
%!         "[pid, msg] = fork ();\n" ...
%!         "if (pid == 0)\n" ...
%!         "  printf (\"child %d\\n\", b(2));\n" ...
%!         "  try, c(1); catch failure, printf (\"force: %s\\n\", failure.identifier); end\n" ...
%!         "  d = [b; b] * a + 2; printf (\"record: %d\\n\", d(60,3)); clear d\n" ...
%!         "  e = p_matrix (magic (100)); f = e * e; printf (\"new: %d\\n\", isequal (f, magic (100)^2));\n" ...
%!         "  clear a b c\n" ...
%!         "  fflush (stdout); exit (0);\n" ...
%!         "else\n" ...
%!         "  waitpid (pid); printf (\"parent %d\\n\", c(1));\n" ...
%!         "end\n"];
%! [status, output] = run_octave (code, "PMATRIX_IMMEDIATE=off");
%! assert (output, "child 2\nforce: pmatrix:fork\nrecord: 62\nnew: 1\nparent 3\n");
%! assert (status, 0);

## What needs no engine goes on in the child.
%!test
%! code = ["a = p_matrix (ones (30)); b = a + 1; b(1); c = p_matrix ([1 2]) + 1;\n" ...
%!         "[pid, msg] = fork ();\n" ...
%!         "if (pid == 0)\n" ...
%!         "  printf (\"child %d\\n\", (c * 2)(2)); fflush (stdout); exit (0);\n" ...
%!         "else\n" ...
%!         "  waitpid (pid); printf (\"parent %d\\n\", c(1));\n" ...
%!         "end\n"];
%! [status, output] = run_octave (code);
%! assert (output, "child 6\nparent 2\n");

## Ctrl-C, as a signal from another process, ends the work and not only the wait.  The prompt is back at once,
## the operations are pending again, the MEUs execute nothing but other work, and the value can be forced
## again.
%!test
%! signalled = tempname ();
%! remove = onCleanup (@() delete (signalled));
%! code = ["n = 1000; a = p_matrix (eye (n)(:, [2:n, 1])); b = a;\n" ...
%!         "for i = 1:80, b = b * a; end\n" ...
%!         sprintf("system (sprintf (\"(sleep 0.4; date +%%%%s.%%%%N > %s; kill -INT %%d) > /dev/null 2>&1 &\", getpid ()));\n", signalled) ...
%!         "unwind_protect\n" ...
%!         "  b(1);\n" ...
%!         "  disp (\"finished\");\n" ...
%!         "unwind_protect_cleanup\n" ...
%!         sprintf("  late = time () - str2double (fileread (\"%s\"));\n", signalled) ...
%!         "  printf (\"back after %d ms\\n\", round (1000 * late));\n" ...
%!         "  printf (\"pending %d %d\\n\", has_result (b), p_info (b).operations);\n" ...
%!         "  clear b; before = p_profile ().operations_executed; c = a + 1; c(1);\n" ...
%!         "  printf (\"other work: %d\\n\", p_profile ().operations_executed - before);\n" ...
%!         "  d = a; for i = 1:3, d = d * a; end\n" ...
%!         "  printf (\"again %d\\n\", isequal (d, eye (n)(:, [5:n, 1:4])));\n" ...
%!         "end_unwind_protect\n"];
%! [status, output] = run_octave (code);
%! assert (isempty (strfind (output, "finished")));
%! late = str2double (regexp (output, 'back after (\d+) ms', "tokens", "once"){1});
%! printf ("  Ctrl-C: back after %d ms\n", late);
%! assert (! isempty (strfind (output, "pending 0 80")));
%! assert (! isempty (strfind (output, "other work: 1\n")));
%! assert (! isempty (strfind (output, "again 1")));

## A process that is told to end while a force runs ends by itself.  Its force, of half a teraflop on one MEU,
## has not ended then: the matrix is saved without elements, and all that was computed before is saved.  The
## signal comes when the process has worked on the force for a fifth of a second of processor time.  With one
## thread of OpenBLAS, Octave's own thread takes the signal, as it does with other BLAS libraries.
%!test
%! for way = {"TERM", "HUP", "TERM"; "", "", "OPENBLAS_NUM_THREADS=1"}
%!   folder = tempname ();
%!   mkdir (folder);
%!   code = ["cd (\"" folder "\"); p_config (\"meus\", 1); n = 1500; a = p_matrix (eye (n)(:, [2:n, 1])); b = a; c = p_matrix ([1 2]) + 1;\n" ...
%!           "for i = 1:80, b = b * a; end\n" ...
%!           "worked = sprintf (\"$(cut -d ' ' -f 14 /proc/%d/stat)\", getpid ());\n" ...
%!           "system (sprintf (\"(start=%s; while [ %s -lt $((start + 20)) ]; do sleep 0.05; done; kill -" way{1} " %d) > /dev/null 2>&1 &\", " ...
%!           "worked, worked, getpid ()));\n" ...
%!           "b(1);\n" ...
%!           "disp (\"finished\");\n"];
%!   [status, output] = run_octave (code, way{2}, 600);
%!   saved = load (fullfile (folder, "octave-workspace"));
%!   delete (fullfile (folder, "octave-workspace"));
%!   rmdir (folder);
%!   assert (isempty (strfind (output, "finished")));
%!   assert (numel (strfind (output, "has not been computed yet is saved without elements")), 1);
%!   assert (size (saved.b), [0 0]);
%!   assert (saved.c, [2 3]);
%!   assert (! any (status == [0 124 137]));
%! endfor

## An error in the middle of an expression, again and again, leaves nothing behind.
%!test
%! a = p_matrix (ones (100));
%! for i = 1:200
%!   try
%!     b = (a + i) * 2 - ones (3);
%!     error ("not reached");
%!   catch failure
%!     assert (failure.identifier, "Octave:nonconformant-args");
%!   end_try_catch
%! endfor
%! assert (full (a * 0 + 1), ones (100));
%! before = p_profile ().operations_pending;
%! clear b
%! assert (p_profile ().operations_pending <= before);

## Two copies of the package on the path: the second has nothing to do.
%!test
%! [status, output] = run_octave ("__pm__ (\"init\"); __pm__ (\"init\"); clear all; __pm__ (\"init\"); disp (full (p_matrix (1) + 1))");
%! assert (output, "2\n");
