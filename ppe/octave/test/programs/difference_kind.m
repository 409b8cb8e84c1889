## kind = difference_kind (text)
## What two differences have in common when they are likely to be one fault: the text without numbers and
## names of variables.
function kind = difference_kind (text)
  kind = regexprep (text, '^(crash|prints).*$', "$1", "once");
  kind = regexprep (kind, '^\w+: (\{\d+\}: )*', "");
  kind = regexprep (kind, '[-+]?\d[\d.e+-]*|NaN|Inf', "#");
  kind = regexprep (kind, '\(# elements differ\)|''\w+''', "");
endfunction

%!assert (difference_kind ("a: class single instead of double"), difference_kind ("b: {2}: class single instead of double"))
%!assert (difference_kind ("a: 1 instead of 2 at 3 (1 elements differ)"), difference_kind ("b: -1.5 instead of NaN at 10 (7 elements differ)"))
%!assert (! strcmp (difference_kind ("a: class single instead of double"), difference_kind ("a: class double instead of single")))
%!assert (difference_kind ("prints \"a\" instead of \"b\""), "prints")
