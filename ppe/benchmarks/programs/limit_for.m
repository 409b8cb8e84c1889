## limit = limit_for (x, in_single, in_double)
## The limit of a check for the class of a result.
function limit = limit_for (x, in_single, in_double)
  if (isa (x, "single"))
    limit = in_single;
  else
    limit = in_double;
  endif
endfunction

%!assert (limit_for (single (1), 2, 3), 2)
%!assert (limit_for (1, 2, 3), 3)
