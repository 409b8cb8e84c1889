## text = joined_calls (text)
## Calls without the blank before their brackets, because in [x, f (y)] a blank parts elements.  Strings stay
## as they are.
function text = joined_calls (text)
  text = regexprep (text, '(?<=\w) \((?=([^"]*"[^"]*")*[^"]*$)', "(");
endfunction

%!assert (joined_calls ("[sin (x), (1)]"), "[sin(x), (1)]")
%!assert (joined_calls ("disp (\"a (b\")"), "disp(\"a (b\")")
