## A long force says on a terminal how far it is, and nowhere else.  The work takes far longer than two
## seconds anywhere: Ctrl-C ends it, or a limit of time.

%!function script = long_script ()
%!  script = [tempname(), ".m"];
%!  file = fopen (script, "w");
%!  fputs (file, ["p_config (\"meus\", 1);\n" ...
%!                "x = p_matrix (rand (4000)); y = x * x * x * x;\n" ...
%!                "printf (\"begin \"); fflush (stdout);\n" ...
%!                "unwind_protect\n  y(1);\n  puts (\"computed\\n\");\n" ...
%!                "unwind_protect_cleanup\n  puts (\"ended\\n\");\nend_unwind_protect\n"]);
%!  fclose (file);
%!endfunction

## Runs it on a pseudo terminal until WANTED is seen, types Ctrl-C, and gives all that was written.
%!function text = on_terminal (script, wanted)
%!  command = sprintf ("timeout -k 1 300 octave-cli --no-init-file --no-history %s", script);
%!  [in, out, pid] = popen2 ("script", {"--quiet", "--flush", "--command", command, "/dev/null"});
%!  text = "";
%!  typed = false;
%!  do
%!    part = fread (out, 4096, "char=>char")';
%!    fclear (out);
%!    text = [text, part];
%!    if (! typed && ! isempty (strfind (text, wanted)))
%!      fputs (in, "\003");
%!      fflush (in);
%!      typed = true;
%!    endif
%!    pause (0.05);
%!    [ended, status] = waitpid (pid, WNOHANG ());
%!  until (ended == pid)
%!  text = [text, fread(out, Inf, "char=>char")'];
%!  fclose (in);
%!  fclose (out);
%!endfunction

%!test
%! script = long_script ();
%! remove = onCleanup (@() delete (script));
%! text = on_terminal (script, " %, ");
%! line = '\x1b7\x1b\[\?7l\[pmatrix: \d+ %, \d+ of \d+ block operations so far, \d+ s; Ctrl-C stops it\]\x1b\[\?7h';
%! assert (! isempty (regexp (text, ["begin " line])), true, text);
%! ## The line is erased before the program goes on.
%! rest = text(regexp (text, line, "once"):end);
%! erased = regexp (rest, '\x1b8\x1b\[K[^\[]*ended', "once");
%! assert (! isempty (erased), true, text);
%! assert (isempty (strfind (rest, "computed")), true, text);

%!test
%! script = long_script ();
%! remove = onCleanup (@() delete (script));
%! [~, text] = system (["timeout -s INT -k 5 8 octave-cli --no-init-file --no-history " script " 2>&1"]);
%! assert (! isempty (strfind (text, "begin ")), true, text);
%! assert (isempty (strfind (text, "pmatrix:")), true, text);

## Switched off, the terminal stays as it is.
%!test
%! script = long_script ();
%! remove = onCleanup (@() delete (script));
%! command = ["PMATRIX_PROGRESS=0 timeout -s INT -k 5 8 octave-cli --no-init-file --no-history " script];
%! [~, text] = system (["script --quiet --flush --command '" command "' /dev/null < /dev/null"]);
%! assert (! isempty (strfind (text, "begin ")), true, text);
%! assert (isempty (strfind (text, "pmatrix:")), true, text);
