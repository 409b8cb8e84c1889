## [compared, failures] = test_differential (operation)
## Runs one operator or function on p_matrix operands of many classes, shapes and values, and the same on Octave's own
## matrices.  Class, size and bits must agree, errors must have the same text and identifier, and what the engine has must be
## pending until it is compared.  failures is a cellstr.
function [compared, failures] = test_differential (operation)
  lazy_functions = {"plus", "minus", "mtimes", "times", "rdivide", "ldivide", "power", "eq", "ne", "mod", ...
                    "uminus", "abs", "sin", "cos", "sign", "round"};
  how.f = str2func (operation);
  how.name = operation;
  how.lazy = any (strcmp (operation, lazy_functions));
  how.ulps = double (any (strcmp (operation, {"power", "sin", "cos"})));

  if (any (strcmp (operation, {"uminus", "uplus", "not", "transpose", "ctranspose", "abs", "sin", "cos", "sign", "round", ...
                               "floor", "ceil", "fix", "sqrt", "exp", "log", "isnan"})))
    sets = unary_operands ();
  elseif (strcmp (operation, "mtimes"))
    sets = product_operands ();
  else
    sets = elementwise_operands (! how.lazy);
  endif

  compared = 0;
  failures = {};
  for i = 1:numel (sets)
    [n, texts] = compare (how, sets{i});
    compared += n;
    failures = [failures, texts];
  endfor
endfunction

## Every choice of operands to wrap, but none at all.  A wrapped range or diagonal matrix is the full matrix, so that is what
## Octave's own result is taken of.
function [compared, failures] = compare (how, operands)
  compared = 0;
  failures = {};
  wrappable = cellfun (@can_be_wrapped, operands);
  for choice = 1:2^numel (operands)-1
    chosen = logical (bitget (choice, 1:numel (operands)));
    if (! all (wrappable(chosen)))
      continue;
    endif
    plain = wrapped = operands;
    plain(chosen) = cellfun (@full, operands(chosen), "UniformOutput", false);
    wrapped(chosen) = cellfun (@p_matrix, operands(chosen), "UniformOutput", false);

    compared += 1;
    expected = outcome (how.f, plain{:});
    actual = outcome (how.f, wrapped{:});
    text = "";
    if (! strcmp (expected.message, actual.message) || ! strcmp (expected.identifier, actual.identifier))
      text = sprintf ("error \"%s\" instead of \"%s\"", actual.message, expected.message);
    elseif (isempty (expected.message))
      if (how.lazy && all (cellfun (@engine_knows, plain)) && ! isempty (expected.value) && has_result (actual.value))
        text = "was not pending; ";
      endif
      text = [text, difference(expected.value, actual.value, how.ulps)];
    endif
    if (! isempty (text))
      failures{end+1} = sprintf ("%s (%s): %s", how.name, ...
                                 strjoin (cellfun (@describe, wrapped, "UniformOutput", false), ", "), text);
    endif
  endfor
endfunction

function tf = can_be_wrapped (x)
  tf = (isfloat (x) || islogical (x)) && isreal (x) && ! issparse (x) && ndims (x) == 2;
endfunction

function tf = engine_knows (x)
  tf = ndims (x) == 2 && ! isempty (x) ...
       && any (strcmp (typeinfo (x), {"matrix", "float matrix", "bool matrix", "scalar", "float scalar", "bool", "double_range", ...
                                   "range", "null_matrix"}));
endfunction

function text = describe (x)
  kind = typeinfo (x);
  if (isa (x, "p_matrix"))
    kind = ["p_matrix " class(full (x))];
  endif
  text = sprintf ("%s %dx%d", kind, rows (x), columns (x));
endfunction

function sets = unary_operands ()
  shapes = [0 0; 0 3; 3 0; 1 1; 1 5; 5 1; 4 4; 67 67; 68 68; 69 69; 96 96; 97 97; 137 137];
  sets = {};
  for kind = {"double", "single", "logical", "whole"}
    for s = shapes'
      sets{end+1} = {operand_values(kind{1}, s(1), s(2), 3)};
    endfor
  endfor
  for x = [0, NaN, -Inf, 0.5, -2.5, 1e10, pi]
    sets{end+1} = {x};
    sets{end+1} = {single(x)};
  endfor
  sets{end+1} = {-0};
endfunction

## Pairs that fit, pairs that broadcast, and pairs that do not fit.
function sets = elementwise_operands (small)
  shapes = [0 0 0 0; 0 3 0 3; 3 0 3 0; 0 3 1 3; 3 0 3 1; 0 0 1 1; 1 1 0 3; 1 1 1 1; 1 5 1 5; 5 1 5 1; 5 1 1 5; 4 4 4 4;
            4 4 1 4; 4 4 4 1; 1 4 4 4; 4 1 4 4; 4 4 1 1; 1 1 4 4; 2 3 3 2; 2 3 2 2; 0 3 2 3; 67 67 67 67; 68 68 1 68; 69 69 69 1;
            96 96 96 96; 97 97 97 97; 137 137 137 137; 97 1 1 97; 137 137 1 1];
  if (small)
    shapes(any (shapes > 5, 2), :) = [];
  endif
  kinds = {"double", "double"; "double", "single"; "single", "double"; "single", "single"; "logical", "logical";
           "logical", "double"; "logical", "single"; "whole", "whole"; "double", "complex"; "single", "complex"; "whole", "int32";
           "whole single", "int32"; "int32", "logical"};
  sets = {};
  for k = 1:rows (kinds)
    for s = shapes'
      sets{end+1} = {operand_values(kinds{k,1}, s(1), s(2), 3), operand_values(kinds{k,2}, s(3), s(4), 12)};
    endfor
  endfor
  a = operand_values ("double", 4, 4, 5);
  others = {1:4, (1:4)', 0:0, 3:-1:0, 0, -0, NaN, Inf, 2, -3, 0.5, single(0.1), single(2), true, false, int32(3), uint8(200), 2i, "a", ...
            sparse([1 0 2 0]), eye(4), 3 * eye(4), eye(4)(:,[2 1 4 3]), [], zeros(1, 0), zeros(4, 4, 2), {1}, struct()};
  for i = 1:numel (others)
    sets{end+1} = {a, others{i}};
    sets{end+1} = {others{i}, a};
    sets{end+1} = {single(a), others{i}};
    sets{end+1} = {a > 0, others{i}};
  endfor
endfunction

## Whole numbers, so that sums are exact in any order, and infinities and NaN, which survive any order.
function sets = product_operands ()
  shapes = [0 0 0 0; 0 3 3 2; 3 0 0 2; 3 2 2 0; 1 1 1 1; 1 1 3 4; 3 4 1 1; 1 5 5 1; 5 1 1 5; 4 4 4 4; 2 3 2 3; 0 3 2 3; 4 4 4 1; 1 4 4 4;
            67 67 67 67; 68 67 67 69; 69 68 68 97; 96 96 96 96; 97 97 97 97; 97 97 97 1; 1 97 97 97; 137 137 137 137; 3 137 137 3;
            137 3 3 137; 137 1 1 137; 1 137 137 1];
  kinds = {"whole", "whole"; "whole single", "whole single"; "whole", "whole single"; "logical", "whole"; "logical", "logical";
           "whole single", "logical"; "infinite", "whole"; "whole", "infinite"; "whole", "complex"; "whole", "int32"; "logical", "int32"};
  sets = {};
  for k = 1:rows (kinds)
    for s = shapes'
      sets{end+1} = {operand_values(kinds{k,1}, s(1), s(2), 3), operand_values(kinds{k,2}, s(3), s(4), 12)};
    endfor
  endfor
  a = operand_values ("infinite", 4, 4, 5);
  others = {1:4, (1:4)', 0:3, 0, NaN, 2, single(2), true, int32(3), 2i, "a", sparse(eye (4)), eye(4), 3 * eye(4), eye(4)(:,[2 1 4 3]), ...
            eye(4, 3), eye(3, 4), eye(3), [], zeros(4, 0), ones(4, 4, 2), {1}};
  for i = 1:numel (others)
    sets{end+1} = {a, others{i}};
    sets{end+1} = {others{i}, a};
    sets{end+1} = {single(a), others{i}};
    sets{end+1} = {a > 0, others{i}};
  endfor
endfunction

%!function check (operation)
%!  ## Octave warns of singular matrices in both runs.
%!  warning ("off", "all", "local");
%!  [compared, failures] = test_differential (operation);
%!  printf ("  %-12s %6d compared, %d differ\n", operation, compared, numel (failures));
%!  if (! isempty (failures))
%!    printf ("    %s\n", failures{1:min (end, 12)});
%!    error ("%d of %d differ from Octave's own", numel (failures), compared);
%!  endif
%!endfunction

%!test check ("plus")
%!test check ("minus")
%!test check ("times")
%!test check ("rdivide")
%!test check ("ldivide")
%!test check ("power")
%!test check ("eq")
%!test check ("ne")
%!test check ("mtimes")
%!test check ("mrdivide")
%!test check ("mldivide")
%!test check ("mpower")
%!test check ("lt")
%!test check ("le")
%!test check ("gt")
%!test check ("ge")
%!test check ("and")
%!test check ("or")
%!test check ("mod")
%!test check ("rem")
%!test check ("atan2")
%!test check ("hypot")
%!test check ("max")
%!test check ("min")
%!test check ("uminus")
%!test check ("uplus")
%!test check ("not")
%!test check ("transpose")
%!test check ("ctranspose")
%!test check ("abs")
%!test check ("sin")
%!test check ("cos")
%!test check ("sign")
%!test check ("round")
%!test check ("floor")
%!test check ("ceil")
%!test check ("fix")
%!test check ("sqrt")
%!test check ("exp")
%!test check ("log")
%!test check ("isnan")
