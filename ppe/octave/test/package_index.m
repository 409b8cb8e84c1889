## text = package_index ()
## The file INDEX, which pkg describe and the web pages of packages show: the functions that users call, and
## every function that has code of its own for a p_matrix, as methods ("p_matrix") lists it.
function text = package_index ()
  text = ["pmatrix >> Lazy parallel matrices\n" ...
          "The type\n p_matrix\n has_result\n p_wait\n p_info\n p_auto\n" ...
          "The engine\n p_config\n p_profile\n" ...
          "Functions of p_matrix values\n"];
  text = [text, sprintf(" @p_matrix/%s\n", methods ("p_matrix"){:})];
endfunction

%!test
%! folder = fileparts (which ("p_matrix"));
%! assert (fileread (fullfile (folder, "..", "INDEX")), package_index ());

## Users look for these, and each does what Octave's does.
%!assert (ismember ({"sum", "sin", "max", "mod", "sqrt", "dot", "inv", "repmat", "unique", "reshape", "norm"}, methods ("p_matrix"))')
%!assert (methods (p_matrix (3)), methods ("p_matrix"))
%!assert (ismethod (p_matrix (3), "sum"))
%!assert (! ismethod (p_matrix (3), "no_such_function"))
%!assert (methods ("ftp"), methods ("ftp"))

## All that is listed exists.
%!test
%! for name = methods ("p_matrix")'
%!   assert (exist (name{1}) > 0, true, name{1});
%! endfor
