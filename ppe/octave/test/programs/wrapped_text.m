## lines = wrapped_text (lines)
## Statements of a random program, one or a cell of them, with its sources wrapped: P(X) is p_matrix(X).
function lines = wrapped_text (lines)
  lines = regexprep (lines, '\<P\(', "p_matrix(");
endfunction

%!assert (wrapped_text ({"a = P(1) + P(2);"}), {"a = p_matrix(1) + p_matrix(2);"})
