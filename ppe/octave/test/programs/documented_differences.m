## table = documented_differences ()
## Differences that the README describes or that are known: a cell of {pattern of the difference, pattern of a
## statement of the program, reason}.
function table = documented_differences ()
  table = {
    'class (logical|single|double) instead of', '[[;,] *\w', "empty operands have no say in the class of a concatenation (README, Limits)";
    'instead of "-=|instead of "[-+*./&|^]+=: nonconformant', '=', "a broadcasting operator and assignment is not refused";
    'called from\\n +inv at line', 'inv', "the warning of a singular matrix names the function that calls inv";
    '.', 'isreal|iscomplex', "a value that turns out complex is real until it is computed (README, What is recorded)";
    'was of class p_matrix', 'validateattributes', "the class of a p_matrix is p_matrix (README, Limits)";
  };
endfunction

%!assert (columns (documented_differences ()), 3)
