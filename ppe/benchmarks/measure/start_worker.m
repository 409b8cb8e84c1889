## worker = start_worker (script, kind, startup, threads)
## Starts a process of Octave, or of Python for a name that ends with .py, that runs SCRIPT, whose path begins in this
## folder, and which answers tasks (serve_tasks).  KIND, its argument, is "plain", "p_matrix", which the file STARTUP
## loads, or another name.  With THREADS of 1, the process has one processor of the machine, and BLAS one thread; with
## 0, all processors.
function worker = start_worker (script, kind, startup, threads)
  if (nargin < 4)
    threads = 0;
  endif
  worker.kind = kind;
  worker.file = [tempname() "." kind];
  command = {"octave-cli", "--no-init-file", "--no-history"};
  if (regexp (script, '\.py$'))
    command = {"python3"};
  endif
  command = [command, {fullfile(fileparts (mfilename ("fullpath")), script), kind}];
  if (threads == 1)
    command = [{"taskset", "--cpu-list", "0"}, command];
  endif
  variables = {"OCTAVE_VERSION_INITFILE", "OPENBLAS_NUM_THREADS"};
  values = {startup, sprintf("%d", threads)};
  wanted = [strcmp(kind, "p_matrix"), threads > 0];
  for k = find (wanted)
    putenv (variables{k}, values{k});
  endfor
  [worker.tasks, worker.answers, worker.pid] = popen2 (command{1}, command(2:end), true);
  for k = find (wanted)
    unsetenv (variables{k});
  endfor
endfunction
