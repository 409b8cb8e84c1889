## table = documented_differences ()
## Differences that the README describes or that are known: a cell of {pattern of the difference, pattern of a
## statement of the program, reason}.
function table = documented_differences ()
  table = {
    '.', 'isreal|iscomplex', "a value that turns out complex is real until it is computed (README, What is recorded)";
    'was of class p_matrix', 'validateattributes', "the class of a p_matrix is p_matrix (README, Limits)";
  };
endfunction

%!assert (columns (documented_differences ()), 3)
