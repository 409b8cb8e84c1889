## y = near (x)
## x rounded to a 64th: random programs put it around what a p_matrix computes within some ulp of Octave's own
## bits (sin, cos, .^, products; ppe/PAPER.md, "Numbers"), so that everything else can be compared bit for
## bit.
function y = near (x)
  y = round (64 * x) / 64;
endfunction

%!assert (near ([1/3, 2 + eps(2), -0.5]), [21/64, 2, -0.5])
