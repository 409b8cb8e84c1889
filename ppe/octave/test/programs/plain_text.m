## lines = plain_text (lines)
## Statements of a random program, one or a cell of them, for plain Octave: the source P(X) is (X).
function lines = plain_text (lines)
  lines = regexprep (lines, '\<P\(', "(");
endfunction

%!assert (plain_text ("a = P(1) + P(2);"), "a = (1) + (2);")
%!assert (plain_text ({"x(P(1))", "SP(1)"}), {"x((1))", "SP(1)"})
