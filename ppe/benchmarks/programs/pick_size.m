## n = pick_size (size, paper, small)
## The parameter of a program for its size, "paper" or "small".
function n = pick_size (size, paper, small)
  switch (size)
    case "paper"
      n = paper;
    case "small"
      n = small;
    otherwise
      error ("pmatrix:argument", "the size of a program is \"paper\" or \"small\", not \"%s\"", size);
  endswitch
endfunction

%!assert (pick_size ("paper", 1, 2), 1)
%!assert (pick_size ("small", 1, 2), 2)
%!error <"paper" or "small"> pick_size ("big", 1, 2)
