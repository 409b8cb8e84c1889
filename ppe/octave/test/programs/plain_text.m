## lines = plain_text (lines)
## Statements of a random program, one or a cell of them, for plain Octave: the source P(X) is (X).  P([]) is
## zeros(0,0), because Octave deletes elements for [], also in parentheses, and for no other matrix.
function lines = plain_text (lines)
  lines = regexprep (lines, {'\<P\(\[\]\)', '\<P\('}, {"zeros(0,0)", "("});
endfunction

%!assert (plain_text ("a = P(1) + P(2);"), "a = (1) + (2);")
%!assert (plain_text ({"x(P(1))", "SP(1)"}), {"x((1))", "SP(1)"})
%!assert (plain_text ("a(1) = P([]);"), "a(1) = zeros(0,0);")
