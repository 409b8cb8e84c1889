## table = documented_differences ()
## Differences that the README describes or that are known: a cell of {pattern of the difference, pattern of a
## statement of the program, reason}.
function table = documented_differences ()
  table = {
    'error "" instead of "(horizontal|vertical) dimensions', 'cellfun|arrayfun', "a cell keeps an error of brackets until its content is used (README, Limits)";
    'error "horizontal dimensions .*" instead of "horizontal dimensions', ';.*\]', "of several rows that do not fit, another is named (README, Limits)";
    'ASSERT errors for: .*p_matrix', 'assert', "assert quotes the program, and the two programs differ in the word p_matrix";
    'was of class p_matrix', 'validateattributes', "the class of a p_matrix is p_matrix (README, Limits)";
    '^error "\S+=: nonconformant arguments .*" instead of ""', '[-+*/^&|]= ', "x += x(:) is an error where x cannot grow in place (README, Limits)";
  };
endfunction

%!assert (columns (documented_differences ()), 3)
