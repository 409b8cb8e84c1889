## loop_worker.m plain|p_matrix
## A process of bench_loops.m.  A task is NAME SIZE REPEATS FILE; the answer is the seconds of one run, and the
## outputs in the file.

1;

function seconds = run_task (words, wrap)
  persistent program = struct ();
  persistent prepared = "";
  ## The inputs of the last program are kept for its next round.
  wanted = strjoin (words(1:2));
  if (! strcmp (prepared, wanted))
    program = feval (words{1}, str2double (words{2}));
    prepared = wanted;
  endif
  [outputs, seconds] = run_loop (program, wrap, str2double (words{3}));
  save ("-binary", words{4}, "outputs");
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"), fullfile (here, "..", "loops"));
wrap = @(x) x;
if (strcmp (argv (){1}, "p_matrix"))
  wrap = @p_matrix;
endif
serve_tasks (@(words) run_task (words, wrap));
