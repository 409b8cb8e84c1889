## bench.m NAME|all SIZE TYPE ROUNDS THREADS STARTUP CSV [numpy|jax]...
## Runs programs in plain Octave and with p_matrix, which STARTUP loads, and in NumPy or JAX where they are named:
## processes that take turns.  Prints a line for each program with the medians of so many rounds and the spread of
## their ratio, and the geometric mean of the ratios (plain Octave over p_matrix, so above 1 is faster).  CSV is a file
## for each single run, or "".  The exit status is 1 when a check fails.

1;

## The figures of one program: seconds has a row a round and a column a worker, plain and p_matrix first; checked has a
## row of deviation and limit for each; counts is what p_matrix has counted in the first run.
function [seconds, checked, counts] = measure (workers, name, size, type, rounds)
  task = sprintf ("%s %s %s", name, size, type);
  ## The first run finds cold memory; it is checked instead of being timed.
  for k = 1:numel (workers)
    first{k} = ask_worker (workers(k), [task " 1"]);
    checked(k,:) = first{k}(2:3);
  endfor
  counts = first{2}(4:7);
  seconds = zeros (rounds, numel (workers));
  for round = 1:rounds
    for k = 1:numel (workers)
      seconds(round,k) = ask_worker (workers(k), [task " 0"]);
    endfor
  endfor
endfunction

function write_rows (file, workers, about, seconds, checked, counts)
  for k = 1:numel (workers)
    kind = workers(k).kind;
    counted = ",,,";
    if (strcmp (kind, "p_matrix"))
      counted = strjoin (arrayfun (@num2str, counts, "UniformOutput", false), ",");
    endif
    for round = 1:rows (seconds)
      fprintf (file, "%s,%s,%d,%.9g,%.3g,%.3g,%s\n", about, kind, round, seconds(round,k), checked(k,:), counted);
    endfor
  endfor
  fflush (file);
endfunction

function status = run_programs (names, size, type, rounds, threads, startup, csv, others)
  workers = [start_worker("program_worker.m", "plain", startup, threads), ...
             start_worker("program_worker.m", "p_matrix", startup, threads)];
  for other = others
    workers(end+1) = start_worker (fullfile ("..", "competitors", "worker.py"), other{1}, startup, threads);
  endfor
  stop = onCleanup (@() stop_workers (workers));
  file = [];
  if (! isempty (csv))
    [file, message] = fopen (csv, "w");
    if (file < 0)
      error ("bench: %s: %s", csv, message);
    endif
    fputs (file, "program,size,type,threads,system,round,seconds,deviation,limit,operations,block_operations,block_edges,fallbacks\n");
  endif

  print_blas ();
  printf ("%-13s %-6s %-6s %10s %10s %7s %13s %9s %9s %5s %10s %11s %11s %9s", "program", "size", "type", "octave s", "p_matrix s", ...
          "ratio", "spread", "dev. oct.", "dev. p_m.", "check", "operations", "block ops", "block edges", "fallbacks");
  printf (" %10s", cellfun (@(other) [other " s"], others, "UniformOutput", false){:});
  printf ("\n");
  status = 0;
  ratios = [];
  for name = names
    [seconds, checked, counts] = measure (workers, name{1}, size, type, rounds);
    each = seconds(:,1) ./ seconds(:,2);
    middle = median (seconds, 1);
    ratios(end+1) = middle(1) / middle(2);
    ok = all (checked(:,1) <= checked(:,2));
    printf ("%-13s %-6s %-6s %10.4f %10.4f %7.2f %6.2f %6.2f %9.2g %9.2g %5s %10d %11d %11d %9d", name{1}, size, type, middle(1:2), ...
            ratios(end), min (each), max (each), checked(1:2,1), {"wrong", "ok"}{1 + ok}, counts);
    printf (" %10.4f", middle(3:end));
    printf ("\n");
    fflush (stdout);
    if (! isempty (file))
      write_rows (file, workers, sprintf ("%s,%s,%s,%d", name{1}, size, type, threads), seconds, checked, counts);
    endif
    status |= ! ok;
  endfor
  printf ("\n%d of %d ratios below 1, geometric mean %.2f, least %.2f\n", sum (ratios < 1), numel (ratios), ...
          exp (mean (log (ratios))), min (ratios));
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
args = argv ();
if (numel (args) < 7)
  error ("usage: bench NAME|all SIZE TYPE ROUNDS THREADS STARTUP CSV [numpy|jax]...");
endif
names = args(1);
if (strcmp (names, "all"))
  names = program_names ();
elseif (! any (strcmp (names, program_names ())))
  error ("there is no program \"%s\"; the programs are %s", names{1}, strjoin (program_names (), ", "));
endif
exit (run_programs (names, args{2:3}, str2double (args{4}), str2double (args{5}), args{6:7}, args(8:end)(:).'));
