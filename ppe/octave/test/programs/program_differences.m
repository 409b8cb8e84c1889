## result = program_differences (programs, shadow)
## Runs each program plain and wrapped.  A program is a cell of statements, or [seed number] of one that is
## generated.  The result is a struct array with the fields
##   lines    the statements
##   text     the first difference ("" for none; outcome_difference)
##   step     the number of the statement that differs, 0 when a variable differs at the end
##   wrapped  how many variables were p_matrix values at the end
##   crash    what plain Octave said when it was the program that ended it: then there is nothing to compare
function result = program_differences (programs, shadow = "")
  result = struct ("lines", cell (size (programs)), "text", "", "step", 0, "wrapped", 0, "crash", "");
  plain = run_batch (programs, false);
  ran = ! cellfun (@(outcome) isfield (outcome, "crash"), plain);
  for k = find (! ran)
    result(k).crash = plain{k}.crash;
  endfor
  plain = plain(ran);
  programs = cellfun (@(outcome) outcome.lines, plain, "UniformOutput", false);
  ours = run_batch (programs, true, shadow);
  for j = 1:numel (programs)
    k = find (ran)(j);
    result(k).lines = programs{j};
    if (isfield (ours{j}, "crash"))
      result(k).text = ["crash: " ours{j}.crash];
    else
      [result(k).text, result(k).step] = outcome_difference (plain{j}, ours{j});
      result(k).wrapped = ours{j}.wrapped;
    endif
  endfor
endfunction

%!test
%! result = program_differences ({{"a = P(1) + 1;"}, {"kill (getpid (), 9);"}, [1 2], {"if (isa (P(1), \"p_matrix\")) kill (getpid (), 9); end"}});
%! assert ({result(1:3).text}, {"", "", ""});
%! assert (result(1).wrapped, 1);
%! assert (isempty (result(2).crash), false);
%! assert (result(3).lines, generate_program (1, 2));
%! assert (strncmp (result(4).text, "crash: ", 7));
