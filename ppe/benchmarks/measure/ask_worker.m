## numbers = ask_worker (worker, task)
## Sends a task, words with spaces between them, to a process of start_worker, and gives the numbers of its
## answer.  What the process says instead of numbers is an error.
function numbers = ask_worker (worker, task)
  ## The space: see serve_tasks.m.
  fprintf (worker.tasks, "%s\n ", task);
  fflush (worker.tasks);
  answer = fgetl (worker.answers);
  if (! ischar (answer))
    error ("%s with %s: the process has ended", task, worker.kind);
  endif
  numbers = str2double (strsplit (strtrim (answer)));
  if (any (isnan (numbers)))
    error ("%s with %s: %s", task, worker.kind, answer);
  endif
endfunction
