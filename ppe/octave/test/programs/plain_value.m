## x = plain_value (x)
## x with every p_matrix in it, in cells and structs too, replaced by the matrix that it stands for; of a
## function handle its text, of other objects the name of the class.  The text of a function handle is without
## p_matrix, blanks and parentheses: Octave writes no parentheses around a constant.
function x = plain_value (x)
  if (isa (x, "p_matrix"))
    x = full (x);
  elseif (iscell (x))
    x = cellfun (@plain_value, x, "UniformOutput", false);
  elseif (isstruct (x))
    x = structfun_of (x);
  elseif (is_function_handle (x))
    x = regexprep (func2str (x), '\<p_matrix\>|[\s()]', "");
  elseif (isobject (x))
    x = class (x);
  endif
endfunction

function x = structfun_of (x)
  for name = fieldnames (x)'
    for k = 1:numel (x)
      x(k).(name{1}) = plain_value (x(k).(name{1}));
    endfor
  endfor
endfunction

%!assert (plain_value ({p_matrix([1 2]), "a"}), {[1 2], "a"})
%!assert (plain_value ({containers.Map()}), {"containers.Map"})
%!assert (plain_value (@(x) x + p_matrix ([2; 3])), plain_value (@(x) x + ([2; 3])))
%!assert (plain_value (@(x) x + p_matrix (2)), "@xx+2")
%!test
%! s(2).x = p_matrix (3);
%! assert (isequal (plain_value (s), struct ("x", {[], 3})));
