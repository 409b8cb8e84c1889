## loop_worker.m plain|p_matrix
## A process of bench_loops.m, which reads tasks from its input and runs them.  A task is a line NAME SIZE
## REPEATS FILE; the answer is a line with the seconds of one run, and the outputs in the file, or a line that
## says what went wrong.  A space follows each line: Octave reads one character more than a line, and would
## wait for it.

1;

function work (wrap)
  program = struct ();
  prepared = "";
  while (ischar (task = fgetl (stdin ())) && ! isempty (task = strtrim (task)))
    words = strsplit (task);
    try
      ## The inputs of the last program are kept for its next round.
      wanted = strjoin (words(1:2));
      if (! strcmp (prepared, wanted))
        program = feval (words{1}, str2double (words{2}));
        prepared = wanted;
      endif
      [outputs, seconds] = run_loop (program, wrap, str2double (words{3}));
      save ("-binary", words{4}, "outputs");
      answer = sprintf ("%.9g", seconds);
    catch failure
      answer = strrep (failure.message, "\n", " ");
    end_try_catch
    printf ("%s\n ", answer);
    fflush (stdout);
  endwhile
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"), fullfile (here, "..", "loops"));
if (strcmp (argv (){1}, "plain"))
  work (@(x) x);
else
  work (@p_matrix);
endif
