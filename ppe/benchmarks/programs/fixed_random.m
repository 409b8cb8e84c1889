## u = fixed_random (rows, columns, seed)
## Uniform random numbers that are the same in every run; the state of Octave's own generator is left as it
## was.
function u = fixed_random (rows, columns, seed)
  state = rand ("twister");
  unwind_protect
    rand ("twister", seed);
    u = rand (rows, columns);
  unwind_protect_cleanup
    rand ("twister", state);
  end_unwind_protect
endfunction

%!assert (fixed_random (3, 4, 1), fixed_random (3, 4, 1))
%!assert (any (fixed_random (3, 4, 1)(:) != fixed_random (3, 4, 2)(:)))
