## text = program_script (lines, step)
## A script that shows a difference: the program plain and wrapped, each of which can be run as it is.  What
## is displayed at their ends is told by the difference: a variable when its text begins with the name of one.
function text = program_script (lines, difference)
  name = regexp (difference, '^(\w+): ', "tokens", "once");
  if (! isempty (name) && ! strcmp (name{1}, "crash"))
    lines{end+1} = name{1};
  endif
  if (any (! cellfun (@isempty, strfind (lines, "near("))))
    lines = [{"near = @(x) round (64 * x) / 64;"}, lines];
  endif
  text = sprintf ("## plain\n%s\n## wrapped\n%s\n", strjoin (plain_text (lines), "\n"), strjoin (wrapped_text (lines), "\n"));
endfunction

%!assert (program_script ({"a = P(1);"}, "a: size"), "## plain\na = (1);\na\n## wrapped\na = p_matrix(1);\na\n")
%!assert (strncmp (program_script ({"a = near(P(1));"}, "prints"), "## plain\nnear = @", 17))
