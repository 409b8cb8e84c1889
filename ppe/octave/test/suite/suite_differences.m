## explained = suite_differences ()
## Why blocks of Octave's test-suite cannot pass with wrapped matrices: a cell of {pattern of the block,
## pattern of the failure, reason}.
function explained = suite_differences ()
  explained = {
    '\<class\s*\(', ".", "the class of a p_matrix is p_matrix, the block asks for that of its elements";
    '\<(typeinfo|isobject|isargout)\s*\(', ".", "the block asks for Octave's internal type";
  };
endfunction
