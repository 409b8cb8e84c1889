## Work that is broken off: by Ctrl-C at any time, by errors in callbacks and recursions, and by clearing what is at
## work.  What a variable still holds has the right elements afterwards, and new work goes on.

## Ctrl-C somewhere in recording, forcing, callbacks and recursion.  It may come between two statements, so the last
## product may not be counted yet.
%!test
%! for delay = [0.02, 0.05, 0.1, 0.15, 0.23, 0.31]
%!   code = ["function r = deep (x, n)\n if (n == 0) r = x; else r = deep (x, n - 1) + 0 * x; end\n end\n" ...
%!           "n = 60; a = p_matrix (eye (n)(:, [2:n, 1])); b = a; k = 1; a(1);\n" ...
%!           "shift = @(k) eye (n)(:, mod ((0:n-1) + k, n) + 1);\n" ...
%!           sprintf("system (sprintf (\"(sleep %g; kill -INT %%d) > /dev/null 2>&1 &\", getpid ()));\n", delay) ...
%!           "unwind_protect\n" ...
%!           "  begun = tic ();\n" ...
%!           "  while (toc (begun) < 60)\n" ...
%!           "    b = b * a; k = k + 1;\n" ...
%!           "    c = cellfun (@(x) x(1) + sum (x(:)), {b, a, b'}, \"UniformOutput\", false);\n" ...
%!           "    if (mod (k, 7) == 0) b(1); end\n" ...
%!           "    r = deep (b, 20);\n" ...
%!           "  end\n" ...
%!           "  disp (\"not interrupted\");\n" ...
%!           "unwind_protect_cleanup\n" ...
%!           "  now = full (b);\n" ...
%!           "  printf (\"right %d\\n\", isequal (now, shift (k)) || isequal (now, shift (k + 1)));\n" ...
%!           "  clear b c r; d = a * a; printf (\"again %d\\n\", isequal (full (d), shift (2)));\n" ...
%!           "end_unwind_protect\n"];
%!   [status, output] = run_octave (["1;\n" code]);
%!   assert (isempty (strfind (output, "not interrupted")), true, output);
%!   assert (! isempty (strfind (output, "right 1\n")) && ! isempty (strfind (output, "again 1\n")), true, output);
%! endfor

## Errors inside cellfun, arrayfun and a recursion, with values pending in each frame.
%!function raises (code, identifier)
%!  try
%!    evalin ("caller", [code ";"]);
%!  catch failure
%!    assert (failure.identifier, identifier);
%!    return;
%!  end_try_catch
%!  error ("%s does not fail", code);
%!endfunction
%!function r = failing (x, n)
%!  y = x * x + n;
%!  if (n == 0)
%!    error ("test:deep", "the recursion ends");
%!  endif
%!  r = failing (y, n - 1) + y;
%!endfunction
%!test
%! a = p_matrix ([1 1; 0 1]);
%! b = a + 1;
%! before = p_profile ().operations_pending;
%! for i = 1:50
%!   raises ("failing (b, 30)", "test:deep");
%!   raises ("cellfun (@(x) (x * b) * ones (3), {a, b}, \"UniformOutput\", false)", "Octave:nonconformant-args");
%!   raises ("arrayfun (@(k) full (b * k)(5, 1), 1:3)", "Octave:index-out-of-bounds");
%! endfor
%! assert (cellfun (@(x) full (x)(1, 2), {a, b, a * b}), [1 2 4]);
%! clear ans
%! assert (p_profile ().operations_pending <= before + 1);

## Clearing variables and functions, and unloading the package, while the engine is at work.
%!test
%! work = ["p_config (\"max_operations\", 5); n = 300; a = p_matrix (eye (n)(:, [2:n, 1])); b = a; for i = 1:60, b = b * a; end\n"];
%! check = ["a = p_matrix (magic (4)); printf (\"%d\", isequal (full (a * a), magic (4) ^ 2));\n"];
%! for what = {"__pm__ (\"unload\"); b(1); __pm__ (\"init\")", "clear all", "clear functions", "clear -all", "clear -classes", "clear variables", "clear b", "clear -x a"}
%!   code = [work, what{1}, ";\n", check, what{1}, ";\n", check, work, "exit (5);\n"];
%!   [status, output] = run_octave (code);
%!   assert ({status, output}, {5, "11"}, what{1});
%! endfor

## A function that holds values, cleared while they are computed: persistent and global values too.
%!test
%! code = ["1;\nfunction r = hold_it ()\n persistent x\n if (isempty (x)) x = p_matrix (ones (200)) * 2; end\n x = x * 0.5 + 1; r = x;\n end\n" ...
%!         "global g; p_config (\"max_operations\", 3); g = hold_it (); for i = 1:50, y = hold_it () * g; end\n" ...
%!         "clear -global g; clear hold_it; disp (full (y)(1) > 0); clear y\n"];
%! [status, output] = run_octave (code);
%! assert ({status, output}, {0, "1\n"});
