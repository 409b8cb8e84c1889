## bench_loops.m NAME|all SIZES ROUNDS STARTUP
## Runs programs of the folder loops at several sizes in plain Octave and with p_matrix, which STARTUP loads:
## two processes that take turns.  Prints the medians of so many rounds, their ratio (p_matrix over plain
## Octave), and a table of all ratios; the exit status is 1 when outputs differ.

1;

function seconds = ask (worker, name, n, repeats)
  seconds = ask_worker (worker, sprintf ("%s %d %d %s", name, n, repeats, worker.file));
endfunction

## The seconds of one run in plain Octave and with p_matrix, and how far apart the outputs are.
function [plain, lazy, difference] = compare (workers, name, n, rounds)
  ## The first run finds cold memory; it tells how often a short program is repeated.
  repeats = 1;
  for worker = workers
    first = ask (worker, name, n, 1);
    repeats = max (repeats, ceil (0.01 / first));
  endfor
  seconds = zeros (rounds, 2);
  difference = 0;
  for round = 1:rounds
    for k = 1:2
      seconds(round,k) = ask (workers(k), name, n, repeats);
    endfor
    expected = load (workers(1).file);
    actual = load (workers(2).file);
    difference = max (difference, loop_difference (expected.outputs, actual.outputs));
  endfor
  plain = median (seconds(:,1));
  lazy = median (seconds(:,2));
endfunction

function print_ratios (names, sizes, ratios)
  printf ("\n%-20s", "ratio");
  printf (" %7d", sizes);
  printf ("\n");
  for i = 1:numel (names)
    printf ("%-20s", names{i});
    printf (" %7.2f", ratios(i,:));
    printf ("\n");
  endfor
  [worst, at] = max (ratios(:));
  [i, j] = ind2sub (size (ratios), at);
  printf ("\n%d of %d ratios above 1.1, geometric mean %.2f, worst %.2f (%s at size %d)\n", sum (ratios(:) > 1.1), numel (ratios), ...
          exp (mean (log (ratios(:)))), worst, names{i}, sizes(j));
endfunction

function status = run_loops (names, sizes, rounds, startup)
  workers = [start_worker("loop_worker.m", "plain", startup), start_worker("loop_worker.m", "p_matrix", startup)];
  stop = onCleanup (@() stop_workers (workers));

  print_blas ();
  printf ("%-20s %6s %12s %12s %7s %11s\n", "program", "size", "plain us", "p_matrix us", "ratio", "difference");
  ratios = zeros (numel (names), numel (sizes));
  status = 0;
  for i = 1:numel (names)
    for j = 1:numel (sizes)
      [plain, lazy, difference] = compare (workers, names{i}, sizes(j), rounds);
      ratios(i,j) = lazy / plain;
      wrong = ! (difference < 1e-8);
      printf ("%-20s %6d %12.0f %12.0f %7.2f %11.2g%s\n", names{i}, sizes(j), plain * 1e6, lazy * 1e6, ratios(i,j), difference, ...
              {"", "  WRONG"}{1 + wrong});
      fflush (stdout);
      status |= wrong;
    endfor
  endfor
  print_ratios (names, sizes, ratios);
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "loops"));
args = argv ();
if (numel (args) != 4)
  error ("usage: bench_loops NAME|all SIZES ROUNDS STARTUP");
endif
names = args(1);
if (strcmp (names, "all"))
  names = loop_names ();
endif
exit (run_loops (names, str2double (strsplit (args{2}, ",")), str2double (args{3}), args{4}));
