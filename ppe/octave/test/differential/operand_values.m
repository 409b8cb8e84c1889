## x = operand_values (kind, rows, columns, seed)
## A matrix for the differential test.  Kinds: "double", "single" and "logical" hold small integers, halves,
## zeros of both signs, NaN and infinities; "whole" holds small integers only, "range" is a row 1:columns,
## "complex" and "int32" are classes that the engine does not have.
function x = operand_values (kind, rows, columns, seed)
  n = rows * columns;
  k = mod ((0:n-1) * 7 + seed, 29);
  whole = reshape (mod (k, 11) - 5, rows, columns);
  special = [0, -0, NaN, Inf, -Inf, 1, -1, 0.5, -0.5, 1.5, -2.5, 3, -7, 26, 360, -135, 1e10, 0.1, 5e-324];
  switch (kind)
    case "double"
      x = reshape (special(1 + mod (k, numel (special))), rows, columns);
    case "single"
      x = single (reshape (special(1 + mod (k, numel (special))), rows, columns));
    case "logical"
      x = whole > 0;
    case "whole"
      x = whole;
    case "whole single"
      x = single (whole);
    case "infinite"
      x = whole;
      x(1:13:end) = Inf;
      x(5:31:end) = NaN;
    case "complex"
      x = complex (whole, 1);
    case "int32"
      x = int32 (whole);
    otherwise
      error ("operand_values: unknown kind %s", kind);
  endswitch
endfunction

%!assert (size (operand_values ("double", 3, 4, 1)), [3 4])
%!assert (class (operand_values ("single", 1, 4, 1)), "single")
%!assert (size (operand_values ("logical", 0, 4, 1)), [0 4])
