## print_blas ()
## Prints which BLAS plain Octave computes products with.  Figures count only against a fast one.
function print_blas ()
  blas = version ("-blas");
  printf ("plain Octave has %s\n", blas);
  if (! isempty (strfind (blas, "reference")))
    warning ("bench:blas", "the reference BLAS is ten times slower than OpenBLAS (package libopenblas0): ratios flatter p_matrix");
  endif
endfunction
