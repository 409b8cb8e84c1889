## sets = operand_sets (family)
## The operands that the operations of one family get: a cell of cells.
##   one            a matrix of every class, shape and special value
##   whole          matrices of whole numbers, whose sums are exact in any order, and of infinities and NaN
##   square         matrices for linear algebra
##   pair           two matrices that fit, that broadcast, or that do not fit, with classes mixed
##   small pair     such a pair of at most five rows and columns
##   product        two matrices, sums exact in any order
##   small product  two such matrices of at most five rows and columns
##   assignment     a matrix, and what is put into it
function sets = operand_sets (family)
  switch (family)
    case "one"
      sets = [shaped({"double", "single", "logical", "whole"}, shapes ()), special_rows()];
    case "whole"
      sets = shaped ({"whole", "whole single", "logical", "infinite"}, shapes ());
    case "square"
      sets = square_matrices ();
    case "pair"
      sets = [pairs(pair_shapes ()), special_pairs(), others(operand_values ("double", 4, 4, 5))];
    case "small pair"
      sets = [pairs(small (pair_shapes ())), others(operand_values ("double", 4, 4, 5))];
    case "product"
      sets = [products(product_shapes ()), others(operand_values ("infinite", 4, 4, 5)), fitting()];
    case "small product"
      sets = [products(small (product_shapes ())), others(operand_values ("whole", 4, 4, 5)), fitting()];
    case "assignment"
      sets = targets ();
    otherwise
      error ("operand_sets: unknown family %s", family);
  endswitch
endfunction

## Empty, scalars, vectors, around the sides of blocks, and more than one block.
function s = shapes ()
  s = [0 0; 0 3; 3 0; 1 0; 0 1; 1 1; 1 5; 5 1; 4 4; 2 3; 1 137; 137 1; 1 300; 63 65; 64 64; 67 67; 68 68; 69 69; 95 2; 96 96; 97 97; ...
       137 137; 200 3; 3 200];
endfunction

function sets = shaped (kinds, s)
  sets = {};
  for kind = kinds
    for shape = s'
      sets{end+1} = {operand_values(kind{1}, shape(1), shape(2), 3)};
    endfor
  endfor
endfunction

## All special values, and the values for which many functions have real results.
function sets = special_rows ()
  v = special_values ();
  sets = {};
  for row = {v, v(! (v < 0)), v(! (abs (v) > 1)), v(v >= 1)}
    sets{end+1} = {row{1}};
    sets{end+1} = {row{1}.'};
    sets{end+1} = {single(row{1})};
  endfor
  for x = [0, -0, NaN, -Inf, 0.5, -2.5, 1e10, pi]
    sets{end+1} = {x};
    sets{end+1} = {single(x)};
  endfor
  sets{end+1} = {true};
  sets{end+1} = {false};
  sets{end+1} = {1:5};
  sets{end+1} = {eye(3)};
endfunction

function v = special_values ()
  v = [0, -0, NaN, Inf, -Inf, 1, -1, 0.5, -0.5, 1.5, -1.5, 2, -2, 2.5, -2.5, 3, -3, 7, -7, 10, 26, 100, -100, 360, -135, 0.1, -0.1, ...
       1/3, pi, -pi, pi/2, 1e10, -1e10, 1e22, 1e300, -1e300, 1e-300, 5e-324, realmin, realmax, -realmax, eps, 1+eps, 1-eps/2, ...
       0.49999999999999994, -0.49999999999999994, 2^31, 2^53-1, 2^53, 2^53+2, 4503599627370497, 4503599627370495.5, ...
       709.782712893384, -745.2, 88.7, single(0.1), single(0.49999997), double(realmin ("single")), double(realmax ("single"))];
endfunction

## Every special value with every other, by broadcasting.
function sets = special_pairs ()
  v = special_values ();
  p = v(! (v < 0));
  sets = {{v.', v}, {single(v.'), v}, {v.', single(v)}, {single(v.'), single(v)}, {v.', [true false]}, {p.', p}, {p.', v}, ...
          {single(p.'), single(p)}};
  for x = [0, -0, NaN, Inf, 2, -3, 0.5]
    sets{end+1} = {v, x};
    sets{end+1} = {x, v};
    sets{end+1} = {single(v), x};
    sets{end+1} = {x, single(v)};
  endfor
endfunction

function s = pair_shapes ()
  s = [0 0 0 0; 0 3 0 3; 3 0 3 0; 0 3 1 3; 3 0 3 1; 0 0 1 1; 1 1 0 3; 1 1 1 1; 1 5 1 5; 5 1 5 1; 5 1 1 5; 4 4 4 4;
       4 4 1 4; 4 4 4 1; 1 4 4 4; 4 1 4 4; 4 4 1 1; 1 1 4 4; 2 3 3 2; 2 3 2 2; 0 3 2 3; 67 67 67 67; 68 68 1 68; 69 69 69 1;
       96 96 96 96; 97 97 97 97; 137 137 137 137; 97 1 1 97; 137 137 1 1];
endfunction

function s = product_shapes ()
  s = [0 0 0 0; 0 3 3 2; 3 0 0 2; 3 2 2 0; 1 1 1 1; 1 1 3 4; 3 4 1 1; 1 5 5 1; 5 1 1 5; 4 4 4 4; 2 3 2 3; 0 3 2 3; 4 4 4 1; 1 4 4 4;
       67 67 67 67; 68 67 67 69; 69 68 68 97; 96 96 96 96; 97 97 97 97; 97 97 97 1; 1 97 97 97; 137 137 137 137; 3 137 137 3;
       137 3 3 137; 137 1 1 137; 1 137 137 1];
endfunction

function s = small (s)
  s(any (s > 5, 2), :) = [];
endfunction

function sets = of_shapes (kinds, s)
  sets = {};
  for k = 1:rows (kinds)
    for shape = s'
      sets{end+1} = {operand_values(kinds{k,1}, shape(1), shape(2), 3), operand_values(kinds{k,2}, shape(3), shape(4), 12)};
    endfor
  endfor
endfunction

function sets = pairs (s)
  sets = of_shapes ({"double", "double"; "double", "single"; "single", "double"; "single", "single"; "logical", "logical";
                     "logical", "double"; "double", "logical"; "logical", "single"; "whole", "whole"; "double", "complex";
                     "single", "complex"; "whole", "int32"; "whole single", "int32"; "int32", "logical"}, s);
endfunction

function sets = products (s)
  sets = of_shapes ({"whole", "whole"; "whole single", "whole single"; "whole", "whole single"; "logical", "whole"; "logical", "logical";
                     "whole single", "logical"; "infinite", "whole"; "whole", "infinite"; "whole", "complex"; "whole", "int32";
                     "logical", "int32"}, s);
endfunction

## What may stand on the other side of an operator: ranges, scalars of all classes, structured and sparse
## matrices, and what no operator takes.
function sets = others (a)
  other = {1:4, (1:4)', 0:0, 3:-1:0, 0, -0, NaN, Inf, 2, -3, 0.5, single(0.1), single(2), true, false, int32(3), uint8(200), 2i, "a", ...
           sparse([1 0 2 0]), sparse(eye (4)), eye(4), 3 * eye(4), eye(4)(:,[2 1 4 3]), [], zeros(1, 0), zeros(4, 0), zeros(4, 4, 2), ...
           {1}, struct()};
  sets = {};
  for i = 1:numel (other)
    for of = {a, single(a), a > 0}
      sets{end+1} = {of{1}, other{i}};
      sets{end+1} = {other{i}, of{1}};
    endfor
  endfor
endfunction

## Diagonal matrices of other shapes.
function sets = fitting ()
  a = operand_values ("whole", 4, 4, 5);
  sets = {};
  for d = {eye(4, 3), eye(3, 4), eye(3), 2}
    sets{end+1} = {a, d{1}};
    sets{end+1} = {d{1}, a};
  endfor
endfunction

function sets = square_matrices ()
  sets = {{[]}, {zeros(0, 3)}, {3}, {-2}, {0}, {single(3)}, {true}};
  for n = [2 4 7 33]
    a = mod (reshape ((1:n*n) * 7, n, n), 11) - 5 + 3 * n * eye (n);
    for x = {a, a * a', a(:,1:end-1), a(1:end-1,:), single(a), triu(a), a > 0, zeros(n), a / 7}
      sets{end+1} = {x{1}};
    endfor
  endfor
  sets{end+1} = {[1 NaN; 2 3]};
  sets{end+1} = {[1 Inf; 2 3]};
  sets{end+1} = {[0 1; -1 0]};
endfunction

function sets = targets ()
  sets = {};
  for x = {operand_values("double", 2, 3, 3), operand_values("single", 3, 3, 4), operand_values("logical", 2, 2, 3), 5, [], zeros(0, 3), ...
           1:4, (1:3)', operand_values("whole", 70, 70, 3)}
    for y = {7, -0, NaN, single(0.1), true, int8(3), 2i, [1 2], [1; 2], [1 2 3], "a", zeros(0, 3), 1:3, {1}}
      sets{end+1} = {x{1}, y{1}};
    endfor
  endfor
endfunction

%!test
%! for family = {"one", "whole", "square", "pair", "small pair", "product", "small product", "assignment"}
%!   assert (numel (operand_sets (family{1})) > 40);
%! endfor
