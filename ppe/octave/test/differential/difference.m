## text = difference (expected, actual, ulps)
## What is different between Octave's own value and the value of a p_matrix: "" when class, size and every bit
## agree.  NaN equals NaN; the sign of zero counts.  Up to ulps units in the last place are allowed.
function text = difference (expected, actual, ulps = 0)
  if (iscell (expected) && iscell (actual) && size_equal (expected, actual))
    texts = cellfun (@(x, y) difference (x, y, ulps), expected, actual, "UniformOutput", false);
    text = strjoin (texts(! cellfun (@isempty, texts)), "; ");
    return;
  endif
  actual = full (actual);
  expected = full (expected);
  text = "";
  if (! strcmp (class (expected), class (actual)))
    text = sprintf ("class %s instead of %s", class (actual), class (expected));
  elseif (! isequal (size (expected), size (actual)))
    text = sprintf ("size %s instead of %s", mat2str (size (actual)), mat2str (size (expected)));
  elseif (iscomplex (expected) != iscomplex (actual))
    text = sprintf ("complex: %d instead of %d", iscomplex (actual), iscomplex (expected));
  elseif (iscomplex (expected))
    text = [difference(real (expected), real (actual), ulps), difference(imag (expected), imag (actual), ulps)];
  elseif (isfloat (expected))
    far = distance (expected, actual) > ulps;
    if (any (far(:)))
      k = find (far, 1);
      text = sprintf ("%.17g instead of %.17g at %d (%d elements differ)", actual(k), expected(k), k, nnz (far));
    endif
  elseif (! isequal (expected, actual))
    text = "other elements";
  endif
endfunction

## Distance in units of the last place; 0 for two NaNs, Inf for what cannot be compared.
function d = distance (x, y)
  d = abs (position (x) - position (y));
  d((x == 0 & y == 0) & (signbit (x) != signbit (y))) = Inf;
  d(isnan (x) != isnan (y)) = Inf;
  d(isnan (x) & isnan (y)) = 0;
  d(isinf (x) != isinf (y)) = Inf;
endfunction

## Floating-point numbers counted from zero.  A double has more of them than a double can count, so neighbours
## are told apart by the difference of two halves.
function n = position (x)
  if (isa (x, "single"))
    bits = double (typecast (x(:).', "int32"));
    bits(bits < 0) = -2^31 - bits(bits < 0);
    n = reshape (bits, size (x));
  else
    bits = typecast (x(:).', "int64");
    negative = bits < 0;
    bits(negative) = intmin ("int64") - bits(negative);
    n = reshape (bits, size (x));
  endif
endfunction

%!assert (difference ([1 NaN 0], [1 NaN 0]), "")
%!assert (difference ({1, 2}, {1, 2}), "")
%!assert (isempty (difference ({1, 2}, {1, 3})), false)
%!assert (difference (1, single (1)), "class single instead of double")
%!assert (isempty (difference (0, -0)), false)
%!assert (difference (1, 1 + eps, 1), "")
%!assert (isempty (difference (1, 1 + 2*eps, 1)), false)
%!assert (isempty (difference ([1 2], [1; 2])), false)
