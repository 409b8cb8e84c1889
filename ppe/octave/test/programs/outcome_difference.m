## [text, step] = outcome_difference (plain, wrapped)
## The first difference between two outcomes (run_program): "" when there is none.  step is the number of the
## statement, or 0 when a variable differs at the end; then text begins with its name.
function [text, step] = outcome_difference (plain, wrapped)
  for step = 1:numel (plain.steps)
    text = step_difference (plain.steps(step), wrapped.steps(step));
    if (! isempty (text))
      return;
    endif
  endfor
  step = 0;
  text = "";
  if (! isequal (plain.names, wrapped.names))
    text = sprintf ("the variables are %s instead of %s", strjoin (wrapped.names, " "), strjoin (plain.names, " "));
    return;
  endif
  for k = 1:numel (plain.names)
    if (! strcmp (wrapped.errors{k}, plain.errors{k}))
      text = sprintf ("error \"%s\" when it is computed", wrapped.errors{k});
    else
      text = value_difference (plain.values{k}, wrapped.values{k});
    endif
    if (! isempty (text))
      text = [plain.names{k} ": " text];
      return;
    endif
  endfor
endfunction

## A message that names a type may name ours: Octave's own names are of types that a p_matrix stands for.
## Columns differ by the text p_matrix in the line.
function text = step_difference (plain, wrapped)
  text = "";
  plain.message = regexprep (plain.message, ', column \d+', "");
  wrapped.message = regexprep (wrapped.message, ', column \d+', "");
  named = regexprep (wrapped.message, "'?p_matrix'?", "TYPE");
  if (! strcmp (plain.message, wrapped.message) && ! strcmp (named, regexprep (plain.message, type_names (), "TYPE")))
    text = sprintf ("error \"%s\" instead of \"%s\"", wrapped.message, plain.message);
  elseif (! strcmp (plain.identifier, wrapped.identifier))
    text = sprintf ("error identifier \"%s\" instead of \"%s\"", wrapped.identifier, plain.identifier);
  elseif (! strcmp (plain.output, wrapped.output))
    text = sprintf ("prints \"%s\" instead of \"%s\"", undo_string_escapes (wrapped.output), undo_string_escapes (plain.output));
  endif
endfunction

function pattern = type_names ()
  pattern = "'?(null_|float |bool |diagonal |complex )?(matrix|scalar|range|bool)'?";
endfunction

function text = value_difference (plain, wrapped)
  text = "";
  if (! strcmp (class (plain), class (wrapped)))
    text = sprintf ("class %s instead of %s", class (wrapped), class (plain));
  elseif (! isequal (size (plain), size (wrapped)))
    text = sprintf ("size %s instead of %s", mat2str (size (wrapped)), mat2str (size (plain)));
  elseif (issparse (plain) != issparse (wrapped))
    text = sprintf ("sparse: %d instead of %d", issparse (wrapped), issparse (plain));
  elseif (iscell (plain))
    for k = 1:numel (plain)
      text = value_difference (plain{k}, wrapped{k});
      if (! isempty (text))
        text = sprintf ("{%d}: %s", k, text);
        return;
      endif
    endfor
  elseif (isstruct (plain))
    if (! isequal (fieldnames (plain), fieldnames (wrapped)))
      text = "other fields";
    else
      text = value_difference (struct2cell (plain), struct2cell (wrapped));
    endif
  else
    text = difference (plain, wrapped);
  endif
endfunction

%!shared plain
%! plain = run_program ({"a = [1 NaN -0];", "b = {a, struct(\"x\", 1)};", "c = a + [1 2]", "disp (a)"});
%!assert (outcome_difference (plain, plain), "")
%!test
%! other = plain;
%! other.steps(3).message = "no";
%! [text, step] = outcome_difference (plain, other);
%! assert (text(1:10), "error \"no\"");
%! assert (step, 3);
%!test
%! one = other = plain;
%! one.steps(3).message = "'z' undefined near line 1, column 3";
%! other.steps(3).message = "'z' undefined near line 1, column 11";
%! assert (outcome_difference (one, other), "");
%!test
%! other = plain;
%! other.steps(4).output = "  1  ";
%! assert (outcome_difference (plain, other)(1:6), "prints");
%!test
%! other = plain;
%! other.values{1}(3) = 0;
%! assert (outcome_difference (plain, other)(1:2), "a:");
%!test
%! other = plain;
%! other.values{2}{2}.x = single (1);
%! assert (outcome_difference (plain, other), "b: {2}: {1}: class single instead of double");
%!test
%! other = plain;
%! other.errors{1} = "out of memory";
%! assert (outcome_difference (plain, other), "a: error \"out of memory\" when it is computed");
