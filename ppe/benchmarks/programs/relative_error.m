## e = relative_error (x, reference)
## Frobenius norm of the difference over that of the reference, in double precision.
function e = relative_error (x, reference)
  e = norm (double (x) - reference, "fro") / norm (reference, "fro");
endfunction

%!assert (relative_error (single ([1 2]), [1 2]), 0)
