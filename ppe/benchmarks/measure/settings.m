## settings.m SIZE TYPE ROUNDS STARTUP CSV
## Runs the nine programs with p_matrix, which STARTUP loads, in several settings: processes that take turns.  Writes each
## single run to the file CSV, with what lowering, scheduling and execution took in another run, and prints the medians.
## The exit status is 1 when a check fails.

1;

## Names, and the variable of the environment that makes each setting.
function list = known_settings ()
  list = {"usual", "", ""; "1 MEU", "PMATRIX_MEUS", "1"; "phases in turn", "PMATRIX_OVERLAP", "0"; ...
          "round-robin", "PMATRIX_SCHEDULER", "round-robin"; "online", "PMATRIX_SCHEDULER", "online"};
endfunction

function workers = start_workers (startup)
  workers = [];
  for setting = known_settings ().'
    if (! isempty (setting{2}))
      putenv (setting{2}, setting{3});
    endif
    workers = [workers, start_worker("program_worker.m", "p_matrix", startup)];
    if (! isempty (setting{2}))
      unsetenv (setting{2});
    endif
  endfor
endfunction

function status = run_settings (size, type, rounds, startup, csv)
  [file, message] = fopen (csv, "w");
  if (file < 0)
    error ("settings: %s: %s", csv, message);
  endif
  workers = start_workers (startup);
  stop = onCleanup (@() stop_workers (workers));
  names = known_settings ()(:,1).';
  fputs (file, "program,size,type,setting,round,seconds,deviation,limit,lower_seconds,schedule_seconds,execute_seconds\n");
  printf ("%-13s", "seconds");
  printf (" %14s", names{:});
  printf ("\n");
  status = 0;
  for program = program_names ()
    task = sprintf ("%s %s %s", program{1}, size, type);
    seconds = zeros (rounds + 1, numel (workers));
    ## The first run finds cold memory, and does not count.
    for round = 0:rounds
      for k = 1:numel (workers)
        seconds(round+1,k) = ask_worker (workers(k), [task " 0"]);
      endfor
    endfor
    for k = 1:numel (workers)
      checked = ask_worker (workers(k), [task " 1"]);
      status |= ! (checked(2) <= checked(3));
      for round = 1:rounds
        fprintf (file, "%s,%s,%s,%s,%d,%.9g,%.3g,%.3g,%.9g,%.9g,%.9g\n", program{1}, size, type, names{k}, round, ...
                 seconds(round+1,k), checked([2, 3, 8, 9, 10]));
      endfor
    endfor
    printf ("%-13s", program{1});
    printf (" %14.4f", median (seconds(2:end,:), 1));
    printf ("\n");
    fflush (stdout);
  endfor
  fclose (file);
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
args = argv ();
if (numel (args) != 5)
  error ("usage: settings SIZE TYPE ROUNDS STARTUP CSV");
endif
exit (run_settings (args{1:2}, str2double (args{3}), args{4:5}));
