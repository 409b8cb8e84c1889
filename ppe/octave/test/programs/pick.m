## x = pick (choices)
## One of the choices (elements of an array, or of a cell), at random.
function x = pick (choices)
  k = ceil (rand () * numel (choices));
  if (iscell (choices))
    x = choices{k};
  else
    x = choices(k);
  endif
endfunction

%!assert (pick ({"a"}), "a")
%!assert (any (pick ([1 2]) == [1 2]))
