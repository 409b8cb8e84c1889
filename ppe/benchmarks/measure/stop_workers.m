## stop_workers (workers)
## Ends the processes that start_worker has started.  A later process has inherited the pipes of an earlier one,
## so all pipes are closed before a process is waited for.
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
