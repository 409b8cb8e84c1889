## serve_tasks (execute)
## Reads tasks from the standard input, a line of words each, and answers each with a line: the numbers that
## execute (words) gives, or what went wrong.  Ends with the input.  A space follows each line in both
## directions: Octave reads one character more than a line, and would wait for it.
function serve_tasks (execute)
  while (ischar (task = fgetl (stdin ())) && ! isempty (task = strtrim (task)))
    try
      answer = sprintf (" %.9g", execute (strsplit (task)));
    catch failure
      answer = [" " strrep(failure.message, "\n", " ")];
    end_try_catch
    printf ("%s\n ", answer(2:end));
    fflush (stdout);
  endwhile
endfunction
