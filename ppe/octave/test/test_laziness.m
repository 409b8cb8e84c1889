## Which operators and functions are recorded, and what forces.

%!test
%! p = p_matrix ([1 2; 3 4]);
%! q = p_matrix ([5 6; 7 8]);
%! m = [1 0; 0 1] + 1;
%! pending = {p + q, p - q, p * q, p .* q, p ./ q, p .\ q, p .^ q, p == q, p != q, p < q, p <= q, p > q, p >= q, mod(p, q), ...
%!            (p > 1) & (q > 2), (p > 1) | true, ! (p > 1), rem(p, q), atan2(p, 2), hypot(3, p), max(p, q), min(m, p), ...
%!            p + m, m - p, p * m, m * p, p .* m, m ./ p, p .^ m, m == p, p != m, mod(p, m), mod(m, p), ...
%!            p + 2, 2 - p, p * 2, 2 * p, p .* 2, 2 ./ p, p / 2, 2 \ p, p .^ 2, 2 .^ p, p == 2, 2 != p, mod(p, 2), mod(9, p), ...
%!            p + single(2), p * true, p + [1 2], p + (1:2), p + (1:2)', [true false] .* p, ...
%!            -p, abs(p), sin(p), cos(p), sign(p), round(p)};
%! for i = 1:numel (pending)
%!   assert (has_result (pending{i}), false);
%! endfor

## Nothing of this forces.
%!test
%! z = p_matrix ([1 2 3; 4 5 6]) + 1;
%! assert (size (z), [2 3]);
%! assert (numel (z), 6);
%! assert (ndims (z), 2);
%! assert (rows (z), 2);
%! assert (columns (z), 3);
%! assert (length (z), 3);
%! assert (isempty (z), false);
%! assert (class (z), "p_matrix");
%! assert (isreal (z), true);
%! assert (isfloat (z), true);
%! assert (isnumeric (z), true);
%! assert (islogical (z), false);
%! assert (islogical (z == 1), true);
%! assert (isa (z, "p_matrix"), true);
%! assert (isa (z, "float"), true);
%! assert (isa (z, "numeric"), true);
%! assert (isscalar (z), false);
%! assert (isvector (z), false);
%! assert (ismatrix (z), true);
%! assert (issquare (z), false);
%! assert (iscell (z), false);
%! assert (ischar (z), false);
%! assert (size (zeros (size (z))), [2 3]);
%! assert (size_equal (z, ones (2, 3)), true);
%! held = {z};
%! s.member = z;
%! f = @() z;
%! other = z;
%! info = whos ("z");
%! assert (info.bytes, 48);
%! assert (has_result (z), false);

%!function forces (f)
%!  z = p_matrix ([1 2; 3 4]) + 1;
%!  f (z);
%!  if (! has_result (z))
%!    error ("%s does not force", func2str (f));
%!  endif
%!endfunction
%!test forces (@(z) evalc ("disp (z)"))
%!test forces (@(z) evalc ("z"))
%!test forces (@(z) evalc ("display (z)"))
%!test forces (@(z) z(1))
%!test forces (@(z) z(end))
%!test forces (@(z) double (z))
%!test forces (@(z) single (z))
%!test forces (@(z) logical (z))
%!test forces (@(z) full (z))
%!test forces (@(z) int32 (z))
%!test forces (@(z) sprintf ("%d", z))
%!test forces (@(z) evalc ("if (z), end"))
%!test forces (@(z) evalc ("while (z), break, end"))
%!test forces (@(z) ! z)
%!test forces (@(z) gamma (z))
%!test forces (@(z) mat2str (z))

%!test
%! z = p_matrix ([1 2; 3 4]) + 1;
%! name = tempname ();
%! save ("-text", name, "z");
%! delete (name);
%! assert (has_result (z), true);

## An unfinished value can be used after the variables that it was made of are gone.
%!test
%! a = p_matrix ([1 2 3]);
%! b = a .* 2 + a;
%! clear a
%! assert (full (b), [3 6 9]);
