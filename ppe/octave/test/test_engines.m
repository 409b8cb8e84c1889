## Every engine, scheduler, number of MEUs and overlap gives equal bits: each setting runs random programs
## against plain Octave and prints a product of rounded numbers, which must be equal everywhere.

%!function text = bits_of (environment)
%!  here = fileparts (which ("test_chains"));
%!  code = [sprintf("addpath (\"%s\", \"%s\");\n", here, fullfile (here, "differential")) ...
%!          "for seed = 1:6, test_chains (seed, 60); end\n" ...
%!          "state = mod ((1:150)' * (1:150) * 0.7310585786300049, 1) - 0.5;\n" ...
%!          "a = p_matrix (state); b = p_matrix (single (state)); c = a; d = b;\n" ...
%!          "for i = 1:5, c = c * a + sin (c); d = d * b + cos (d); end\n" ...
%!          "disp (hash (\"md5\", [num2hex(double (c))(:)', num2hex(single (d))(:)']))\n"];
%!  ## Everything goes to the engine, whatever its size.
%!  [status, text] = run_octave (code, ["PMATRIX_SMALL=0 " environment]);
%!  if (status != 0)
%!    error ("%s: %s", environment, text);
%!  endif
%!endfunction

%!test
%! expected = bits_of ("PMATRIX_ENGINE=host PMATRIX_MEUS=2");
%! assert (numel (expected), 33);
%! settings = 0;
%! for meus = {"1", "3", "8"}
%!   for scheduler = {"heuristic", "round-robin", "hlfet", "online", "portfolio"}
%!     for overlap = {"0", "1"}
%!       environment = sprintf ("PMATRIX_ENGINE=host PMATRIX_MEUS=%s PMATRIX_SCHEDULER=%s PMATRIX_OVERLAP=%s", meus{1}, ...
%!                              scheduler{1}, overlap{1});
%!       assert (bits_of (environment), expected, environment);
%!       settings += 1;
%!     endfor
%!   endfor
%! endfor
%! printf ("  equal bits with %d settings of the host engine\n", settings);

## The reference engine adds in another order; sums of whole numbers are exact in any order.
%!test bits_of ("PMATRIX_ENGINE=reference");

## Operations on a few elements have equal bits in the front end and in the engine.
%!function text = small_bits (environment)
%!  code = ["state = mod ((1:8)' * (1:8) * 0.7310585786300049, 1) - 0.5; text = \"\";\n" ...
%!          "for n = 1:8, for s = {state(1:n,1:n), single(state(1:n,1:n))}\n" ...
%!          "  a = p_matrix (s{1}); b = a .* 3 + 1; c = a(:,1) * b(1,:);\n" ...
%!          "  d = sin (a * b - c) ./ (cos (b) + 2) + abs (b) .^ a; e = mod (d, 0.3) .* (b == b(1)) - round (d * 9);\n" ...
%!          "  f = (d * single (2)) - a(1,:) .* c; text = [text, num2hex(double ([d, e, f]))'(:)'];\n" ...
%!          "end, end\n" ...
%!          "disp (hash (\"md5\", text)); printf (\"%d\", p_profile ().small_operations > 0);"];
%!  [status, text] = run_octave (code, environment);
%!  assert (status, 0);
%!endfunction
%!test
%! small = small_bits ("PMATRIX_SMALL=1");
%! engine = small_bits ("PMATRIX_SMALL=0");
%! assert (small(1:32), engine(1:32));
%! assert ([small(end) engine(end)], "10");

## Limits that fire all the time change nothing.
%!test
%! expected = bits_of ("PMATRIX_ENGINE=host");
%! assert (bits_of ("PMATRIX_MAX_OPERATIONS=1"), expected);
%! assert (bits_of ("PMATRIX_MAX_DEPTH=2"), expected);
%! assert (bits_of ("PMATRIX_MAX_BYTES=1"), expected);

## Options reach the engine.
%!test
%! [~, output] = run_octave ("s = p_config (); printf (\"%s %d %d\", s.engine, s.meus, s.running)", ...
%!                           "PMATRIX_ENGINE=reference PMATRIX_MEUS=3");
%! assert (output, "reference 3 0");
%! [~, output] = run_octave ("p_config (\"max_operations\", 7, \"small\", false, \"immediate\", false); x = p_matrix (1); for i = 1:70, x = x + 1; end, x(1); printf (\"%d\", p_profile ().flushes_operations)");
%! assert (str2double (output) >= 9);

## p_config chooses the simulated Cell, on which doubles have the bits of the host engine and of plain Octave.
%!function [status, text] = doubles_with (engine)
%!  code = [sprintf("p_config (\"engine\", \"%s\"); p_config (\"meus\", 2); p_config (\"small\", \"off\");\n", engine) ...
%!          "text = \"\";\n" ...
%!          "for n = [1, 2, 3, 7, 70]\n" ...
%!          "  state = mod ((1:n)' * (1:n) * 0.7310585786300049, 1) + 0.25; whole = round (state * 16);\n" ...
%!          "  p = p_matrix (state); q = p_matrix (whole);\n" ...
%!          "  r = full (q * q' + 3); assert (r, whole * whole' + 3);\n" ...
%!          "  s = full (mod (p - q, 3) ./ p + sqrt (p) .* (p > 0.5)); assert (s, mod (state - whole, 3) ./ state + sqrt (state) .* (state > 0.5));\n" ...
%!          "  t = full (p * p + sin (p) - cos (p') .* abs (p - 0.5)); u = full ([sum(q), max(p(:))]);\n" ...
%!          "  assert (u, [sum(whole), max(state(:))]);\n" ...
%!          "  text = [text, num2hex([r(:); s(:); t(:); u(:)])'(:)'];\n" ...
%!          "end\n" ...
%!          "c = p_profile (); printf (\"%s %d %s\", p_config ().engine, c.block_operations > 0, hash (\"md5\", text));"];
%!  [status, text] = run_octave (code);
%!endfunction
%!test
%! [status, simulated] = doubles_with ("sim");
%! if (status != 0 && ! isempty (strfind (simulated, "no MEU image")) && ! strcmp (getenv ("REQUIRE_ALL"), "1"))
%!   puts (simulated);
%!   return;
%! endif
%! assert (status, 0, simulated);
%! [status, hosted] = doubles_with ("host");
%! assert (status, 0, hosted);
%! assert (simulated(1:6), "sim 1 ");
%! assert (hosted(1:7), "host 1 ");
%! assert (simulated(7:end), hosted(8:end));

## On a machine that is no Cell the engine cell says so, and what to use instead.  Another engine can still be
## chosen.
%!test
%! if (strncmp (computer (), "powerpc", 7))
%!   return;
%! endif
%! [status, text] = run_octave (["p_config (\"engine\", \"cell\", \"small\", false); x = p_matrix ([1 2; 3 4]);\n" ...
%!                               "try, y = full (x + 1); catch e, printf (\"%s: %s\\n\", e.identifier, e.message); end\n" ...
%!                               "p_config (\"engine\", \"host\"); disp (full (p_matrix ([1 2; 3 4]) + 1))"]);
%! assert (status, 0, text);
%! assert (! isempty (regexp (text, "^pmatrix:execution: p_matrix: cell engine: .*little-endian.*'sim'")), text);
%! assert (! isempty (regexp (text, "2\\s+3\\s+4\\s+5\\s*$")), text);

## The counts go on when an engine is chosen again.
%!test
%! code = ["p_config (\"small\", false, \"immediate\", false); x = p_matrix (ones (9)); x = x + 1; x(1);\n" ...
%!         "p_config (\"engine\", \"reference\"); s = p_profile (); y = p_matrix (ones (9)) * 2 + 1; y(1); t = p_profile ();\n" ...
%!         "p_profile (\"reset\"); p_config (\"engine\", \"host\"); u = p_profile ();\n" ...
%!         "z = p_matrix (ones (9)) * 2; z(1); v = p_profile ();\n" ...
%!         "for c = {s, t, u, v} printf (\"%d %d %d;\", c{1}.operations_recorded, c{1}.operations_executed, c{1}.traces); end"];
%! [~, output] = run_octave (code);
%! assert (output, "1 1 1;3 3 2;0 0 0;1 1 1;");
