## Where scripts put matrices: containers, globals, handles, classes, parsers, loops, printing.

%!function [x, second] = with_outputs (p)
%!  x = p;
%!  second = isargout (2);
%!endfunction
%!function r = defaults (p, varargin)
%!  parser = inputParser ();
%!  parser.FunctionName = "defaults";
%!  parser.addRequired ("p", @isnumeric);
%!  parser.addOptional ("factor", 1, @(x) isnumeric (x) && all (x(:) > 0));
%!  parser.addParameter ("shift", 0);
%!  parser.parse (p, varargin{:});
%!  r = parser.Results.p * parser.Results.factor + parser.Results.shift;
%!endfunction

%!test
%! p = p_matrix ([1 2; 3 4]);
%! s.a = p;
%! s.a(2, 1) = 7;
%! s(3).a = p + 1;
%! assert (full (s(1).a), [1 2; 7 4]);
%! assert (full (p), [1 2; 3 4]);
%! assert (isempty (s(2).a));
%! assert (full (s(3).a), [2 3; 4 5]);
%! c = {p, "text", p * 2};
%! c{1}(end, end) = 0;
%! c{3} += 1;
%! assert (full (c{1}), [1 2; 3 0]);
%! assert (full (c{3}), [3 5; 7 9]);
%! m = containers.Map ();
%! m("key") = p;
%! assert (full (m("key")), [1 2; 3 4]);
%! f = @(x) x * p;
%! clear p
%! assert (full (f (2)), [2 4; 6 8]);
%! x.y.z = f (1);
%! x.y.z(:, 1) = [];
%! assert (full (x.y.z), [2; 4]);
%! [t.first, t.second] = deal (f (1), f (3));
%! assert (full (t.second), 3 * full (t.first));

%!test
%! global shared_matrix
%! shared_matrix = p_matrix (magic (4));
%! shared_matrix(1) = 0;
%! f = @() evalin ("base", "1");
%! assert (full (shared_matrix)(1), 0);
%! clear -global shared_matrix

%!test
%! h = p_holder (p_matrix ([1 2 3]));
%! h.scale (2);
%! assert (full (h.value), [2 4 6]);
%! h.value(2) = 0;
%! assert (full (h.value), [2 0 6]);
%! assert (class (h.value), "p_matrix");

%!test
%! p = p_matrix ([1 2; 3 4]);
%! assert (full (defaults (p)), [1 2; 3 4]);
%! assert (full (defaults (p, 2, "shift", p_matrix (1))), [3 5; 7 9]);
%! assert (full (defaults (p, p_matrix (3))), [3 6; 9 12]);
%! [~, second] = with_outputs (p);
%! assert (second, true);
%! x = with_outputs (p);
%! assert (full (x), [1 2; 3 4]);
%! validateattributes (p, {"numeric"}, {"size", [2 2], "real", "nonempty", "finite"});
%! validateattributes (p, {"p_matrix"}, {"2d", "square", ">=", 1});
%!error <must be positive> validateattributes (p_matrix (-1), {"numeric"}, {"positive"})
%!error <FACTOR> defaults (p_matrix (1), -1)

%!test
%! p = p_matrix ([1 2; 3 4]);
%! assert (isequal (p, [1 2; 3 4], p_matrix ([1 2; 3 4])), true);
%! assert (isequal (p, [1 2; 3 5]), false);
%! assert (p, p);
%! assert (p + 0, p_matrix ([1 2; 3 4]));
%! assert (arrayfun (@(e) e * 2, p), [2 4; 6 8]);
%! assert (arrayfun (@(e) {e}, p), {1 2; 3 4});
%! assert (full (bsxfun (@minus, p, mean (p))), [-1 -1; 1 1]);
%! assert (full (cellfun (@(x) sum (x(:)), {p, p * 2})), [10 20]);
%! assert (cellfun (@isempty, {p, p_matrix([])}), [false true]);
%! assert (cellfun ("length", {p}), 2);
%! assert (structfun (@(x) x(1), struct ("a", p)), 1);
%! assert (full (accumarray ([1; 2; 1], p_matrix ([1; 2; 3]))), [4; 2]);

%!function text = ifelse_of (p)
%!  if (p)
%!    text = "yes";
%!  else
%!    text = "no";
%!  endif
%!endfunction

## Loops over columns, conditions, ranges made of values.
%!test
%! p = p_matrix ([1 2 3; 4 5 6]);
%! sums = [];
%! for column = p
%!   assert (size (column), [2 1]);
%!   sums(end+1) = sum (column);
%! endfor
%! assert (full (sums), [5 7 9]);
%! count = 0;
%! for i = 1:p(1, 3)
%!   count += i;
%! endfor
%! assert (count, 6);
%! for x = p_matrix ([])
%!   error ("not reached");
%! endfor
%! k = p_matrix (3);
%! while (k > 0)
%!   k--;
%! endwhile
%! assert (full (k), 0);
%! do
%!   k += 2;
%! until (k >= 5)
%! assert (full (k), 6);
%! assert (ifelse_of (p_matrix (true)), "yes");
%! assert (ifelse_of (p_matrix ([1 0])), "no");
%! assert (ifelse_of (p_matrix ([])), "no");
%! assert (p_matrix (1) || error ("not reached"));
%! assert (! (p_matrix (0) && error ("not reached")));

%!test
%! p = p_matrix ([1.5 2; 3 4]);
%! assert (sprintf ("%g ", p), "1.5 3 2 4 ");
%! assert (sprintf ("%d %s", p_matrix (3), "x"), "3 x");
%! assert (evalc ("printf (\"%5.2f|\", p)"), " 1.50| 3.00| 2.00| 4.00|");
%! assert (num2str (p), num2str ([1.5 2; 3 4]));
%! assert (mat2str (p), "[1.5 2;3 4]");
%! assert (evalc ("disp (p)"), evalc ("disp ([1.5 2; 3 4])"));
%! assert (int2str (p), int2str ([1.5 2; 3 4]));
%! assert (strcat ("n", num2str (p_matrix (5))), "n5");
%! assert (jsonencode (struct ("a", full (p))), jsonencode (struct ("a", p)));

## Every compound assignment, on a shared value and on one of its own.
%!test
%! a = p_matrix ([4 9]);
%! b = a;
%! a += 1; a -= 2; a *= 3; a /= 3; a .*= [2 3]; a ./= [2 3]; a .^= 2; a++; --a;
%! assert (full (a), [9 64]);
%! a |= 0;
%! assert (full (a), [true true]);
%! a &= [0 1];
%! assert (full (a), [false true]);
%! assert (full (b), [4 9]);
%! b(1) += 5;
%! b(end+1) = 2;
%! b([1 1 3]) -= 1;
%! assert (full (b), [8 9 1]);

## Operands of other classes.
%!test
%! p = p_matrix ([1 2; 3 4]);
%! assert (class (p + int8 (3)), "int8");
%! assert (p + int8 (3), int8 ([4 5; 6 7]));
%! assert (p + 2i, [1+2i 2+2i; 3+2i 4+2i]);
%! assert (full (p + (1:2)), [2 4; 4 6]);
%! assert (full (p .* [true false]), [1 0; 3 0]);
%! assert (full (p * eye (2)), [1 2; 3 4]);
%! assert (full (p(:, [true false])), [1; 3]);
%! assert (p + sparse ([1 0; 0 1]), [2 2; 3 5]);
%! assert (full (p + "a"), [98 99; 100 101]);
