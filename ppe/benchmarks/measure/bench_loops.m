## bench_loops.m NAME|all SIZES ROUNDS STARTUP
## Runs programs of the folder loops at several sizes in plain Octave and with p_matrix, which STARTUP loads:
## two processes that take turns.  Prints the medians of so many rounds, their ratio (p_matrix over plain
## Octave), and a table of all ratios; the exit status is 1 when outputs differ.

1;

function worker = start_worker (kind)
  script = fullfile (fileparts (mfilename ("fullpath")), "loop_worker.m");
  [worker.tasks, worker.answers, worker.pid] = popen2 ("octave-cli", {"--no-init-file", "--no-history", script, kind}, true);
  worker.file = [tempname() "." kind];
  worker.kind = kind;
endfunction

## The later process has inherited the earlier one's pipe, so all pipes are closed before a process is waited
## for.
function stop_workers (workers)
  for worker = workers
    fclose (worker.tasks);
  endfor
  for worker = workers
    waitpid (worker.pid);
    fclose (worker.answers);
    if (exist (worker.file, "file"))
      delete (worker.file);
    endif
  endfor
endfunction

function seconds = ask (worker, name, n, repeats)
  ## The space: see loop_worker.m.
  fprintf (worker.tasks, "%s %d %d %s\n ", name, n, repeats, worker.file);
  fflush (worker.tasks);
  answer = fgetl (worker.answers);
  seconds = str2double (answer);
  if (! ischar (answer) || isnan (seconds))
    error ("%s at size %d with %s: %s", name, n, worker.kind, num2str (answer));
  endif
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

function status = bench (names, sizes, rounds, startup)
  plain_worker = start_worker ("plain");
  putenv ("OCTAVE_VERSION_INITFILE", startup);
  workers = [plain_worker, start_worker("p_matrix")];
  stop = onCleanup (@() stop_workers (workers));

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
exit (bench (names, str2double (strsplit (args{2}, ",")), str2double (args{3}), args{4}));
