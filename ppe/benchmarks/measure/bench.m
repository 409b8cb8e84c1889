## bench.m NAME|all SIZE TYPE ROUNDS THREADS STARTUP
## Runs programs in plain Octave and with p_matrix, which STARTUP loads: two processes that take turns.  Prints
## a line for each program with the medians of so many rounds and the spread of their ratio, and the geometric
## mean of the ratios (plain Octave over p_matrix, so above 1 is faster).  The exit status is 1 when a check
## fails.

1;

## The figures of one program: seconds is ROUNDS x 2, plain and p_matrix; checked has a row of deviation and
## limit for each; counts is what p_matrix has counted in the first run.
function [seconds, checked, counts] = measure (workers, name, size, type, rounds)
  task = sprintf ("%s %s %s", name, size, type);
  ## The first run finds cold memory; it is checked instead of being timed.
  first = {ask_worker(workers(1), [task " 1"]), ask_worker(workers(2), [task " 1"])};
  checked = [first{1}(2:3); first{2}(2:3)];
  counts = first{2}(4:7);
  seconds = zeros (rounds, 2);
  for round = 1:rounds
    for k = 1:2
      seconds(round,k) = ask_worker (workers(k), [task " 0"]);
    endfor
  endfor
endfunction

function status = run_programs (names, size, type, rounds, threads, startup)
  workers = [start_worker("program_worker.m", "plain", startup, threads), ...
             start_worker("program_worker.m", "p_matrix", startup, threads)];
  stop = onCleanup (@() stop_workers (workers));

  print_blas ();
  printf ("%-13s %-6s %-6s %10s %10s %7s %13s %9s %9s %5s %10s %11s %11s %9s\n", "program", "size", "type", "octave s", "p_matrix s", ...
          "ratio", "spread", "dev. oct.", "dev. p_m.", "check", "operations", "block ops", "block edges", "fallbacks");
  status = 0;
  ratios = [];
  for name = names
    [seconds, checked, counts] = measure (workers, name{1}, size, type, rounds);
    each = seconds(:,1) ./ seconds(:,2);
    middle = median (seconds, 1);
    ratios(end+1) = middle(1) / middle(2);
    ok = all (checked(:,1) <= checked(:,2));
    printf ("%-13s %-6s %-6s %10.4f %10.4f %7.2f %6.2f %6.2f %9.2g %9.2g %5s %10d %11d %11d %9d\n", name{1}, size, type, middle, ...
            ratios(end), min (each), max (each), checked(:,1), {"wrong", "ok"}{1 + ok}, counts);
    fflush (stdout);
    status |= ! ok;
  endfor
  printf ("\n%d of %d ratios below 1, geometric mean %.2f, least %.2f\n", sum (ratios < 1), numel (ratios), ...
          exp (mean (log (ratios))), min (ratios));
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
args = argv ();
if (numel (args) != 6)
  error ("usage: bench NAME|all SIZE TYPE ROUNDS THREADS STARTUP");
endif
names = args(1);
if (strcmp (names, "all"))
  names = program_names ();
elseif (! any (strcmp (names, program_names ())))
  error ("there is no program \"%s\"; the programs are %s", names{1}, strjoin (program_names (), ", "));
endif
exit (run_programs (names, args{2:3}, str2double (args{4}), str2double (args{5}), args{6}));
