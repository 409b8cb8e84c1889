## program_worker.m plain|p_matrix
## A process of bench.m or settings.m.  A task is NAME SIZE TYPE CHECK; the answer is the seconds of a run, and, where CHECK
## is 1, the deviation of the outputs and its limit, and what p_matrix has counted: operations, block
## operations, edges between them, fallbacks, and seconds of lowering, scheduling and execution.

1;

function answer = run_task (words, wrap)
  persistent program = struct ();
  persistent prepared = "";
  [name, size, type, check] = words{:};
  wanted = strjoin ({name, size, type});
  if (! strcmp (prepared, wanted))
    program = feval (name, size, type);
    prepared = wanted;
  endif
  before = counted (wrap);
  start = tic ();
  outputs = program.run (program.inputs, wrap);
  answer = toc (start);
  if (strcmp (check, "1"))
    counts = counted (wrap) - before;
    [deviation, limit] = program.check (program.inputs, outputs);
    answer = [answer, deviation, limit, counts];
  endif
endfunction

function counts = counted (wrap)
  counts = [];
  if (isequal (wrap, @p_matrix))
    report = p_profile ();
    counts = [report.operations_recorded, report.block_operations, report.block_edges, report.fallbacks, ...
              report.lower_seconds, report.schedule_seconds, report.execute_seconds];
  endif
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
if (strcmp (argv (){1}, "p_matrix"))
  ## As many operations as a program states: synth is nothing but repetitions.
  p_config ("common", false);
  wrap = @p_matrix;
else
  addpath (fullfile (here, "plain"));
  wrap = @(x) x;
endif
serve_tasks (@(words) run_task (words, wrap));
