## table = operation_table ()
## What the differential test compares: a struct array with the fields
##   name    as it is printed, and chosen by
##   f       the operator or function; several results come as a cell
##   family  which operands it gets (operand_sets)
##   ulps    how far from Octave's own result floating-point elements may be, in units of the last place
##   limit   differences that Octave leaves us no way to avoid (README.md, "Limits"): a pattern of their
##           description
function table = operation_table ()
  table = struct ("name", {}, "f", {}, "family", {}, "ulps", {}, "limit", {});

  ## Operators.
  for name = {"plus", "minus", "times", "rdivide", "ldivide", "eq", "ne", "lt", "le", "gt", "ge", "and", "or"}
    table(end+1) = entry (name{1}, str2func (name{1}), "pair");
  endfor
  table(end+1) = entry ("power", @power, "pair", 1);
  table(end+1) = entry ("mtimes", @mtimes, "product");
  for name = {"mrdivide", "mldivide", "mpower"}
    table(end+1) = entry (name{1}, str2func (name{1}), "small product", strcmp (name{1}, "mpower"));
  endfor
  for name = {"uminus", "uplus", "not", "transpose", "ctranspose"}
    table(end+1) = entry (name{1}, str2func (name{1}), "one");
  endfor
  for operator = {"x++", "x--", "++x", "--x"}
    table(end+1) = entry (operator{1}, @(x) updated (operator{1}, x), "one");
  endfor
  for operator = {"x += y", "x -= y", "x .*= y", "x ./= y", "x .^= y", "x |= y", "x &= y"}
    table(end+1) = entry (operator{1}, @(x, y) updated (operator{1}, x, y), "small pair", any (operator{1} == "^"));
  endfor
  for operator = {"x *= y", "x /= y", "x ^= y"}
    table(end+1) = entry (operator{1}, @(x, y) updated (operator{1}, x, y), "small product", any (operator{1} == "^"));
  endfor

  ## Element by element.
  listed = {table.name};
  for name = [setdiff(__pm__ ("functions", 1), listed)(:)', {"real", "imag", "conj"}]
    table(end+1) = entry (name{1}, str2func (name{1}), "one", any (strcmp (name{1}, {"sin", "cos"})));
  endfor
  for name = setdiff (__pm__ ("functions", 2), listed)(:)'
    table(end+1) = entry (name{1}, str2func (name{1}), "pair");
  endfor
  table(end+1) = entry ("hypot of three", @(x, y) hypot (x, y, x), "small pair");

  ## Reductions.
  for name = {"sum", "prod", "sumsq", "mean", "cumsum", "any", "all"}
    f = str2func (name{1});
    table(end+1) = entry ([name{1} "(x)"], f, "one");
    table(end+1) = entry ([name{1} "(x,1)"], @(x) f (x, 1), "one");
    table(end+1) = entry ([name{1} "(x,2)"], @(x) f (x, 2), "one");
    table(end+1) = entry ([name{1} "(x,3)"], @(x) f (x, 3), "one");
    table(end+1) = entry ([name{1} "(x(:))"], @(x) f (x(:)), "one");
  endfor
  table(end+1) = entry ("sum(x,\"native\")", @(x) sum (x, "native"), "one");
  for name = {"max", "min"}
    f = str2func (name{1});
    table(end+1) = entry (sprintf ("%s(x)", name{1}), f, "one");
    table(end+1) = entry (sprintf ("%s(x,[],2)", name{1}), @(x) f (x, [], 2), "one");
    table(end+1) = entry (sprintf ("[m,k]=%s(x)", name{1}), @(x) nthargout (1:2, f, x), "one");
  endfor
  ## The order of these sums is the library's: exact values.
  table(end+1) = entry ("dot(x,x)", @(x) dot (x, x), "whole");
  table(end+1) = entry ("dot(x,x,1)", @(x) dot (x, x, 1), "whole");
  table(end+1) = entry ("dot(x,x,2)", @(x) dot (x, x, 2), "whole");
  table(end+1) = entry ("dot(x,y)", @dot, "product");
  table(end+1) = entry ("x'*x", @(x) x' * x, "whole");
  for kind = {1, Inf, "fro"}
    table(end+1) = entry (sprintf ("norm(x,%s)", num2str (kind{1})), @(x) norm (x, kind{1}), "whole", 1);
  endfor
  for kind = {1, Inf, -Inf, "inf", "fro"}
    table(end+1) = entry (sprintf ("norm(x(:),%s)", num2str (kind{1})), @(x) norm (x(:), kind{1}), "one", 1);
  endfor
  table(end+1) = entry ("norm(x(:),2)", @(x) norm (x(:), 2), "whole", 1);
  table(end+1) = entry ("norm(x)", @norm, "square", 0);

  ## Shapes, parts and whole.
  table(end+1) = entry ("[x,x]", @(x) [x, x], "one");
  table(end+1) = entry ("[x;x]", @(x) [x; x], "one");
  table(end+1) = entry ("[x,y]", @(x, y) [x, y], "small pair");
  table(end+1) = entry ("[x;y]", @(x, y) [x; y], "small pair");
  table(end+1) = entry ("cat(3)", @(x) cat (3, x, x), "one");
  table(end+1) = entry ("repmat", @(x) repmat (x, 2, 3), "one");
  table(end+1) = entry ("reshape", @(x) reshape (x, [], max (1, rows (x))), "one");
  table(end+1) = entry ("reshape 1 row", @(x) reshape (x, 1, numel (x)), "one");
  for name = {"diag", "tril", "triu", "vec"}
    table(end+1) = entry (name{1}, str2func (name{1}), "one");
  endfor
  table(end+1) = entry ("diag(x,1)", @(x) diag (x, 1), "one");
  table(end+1) = entry ("tril(x,-1)", @(x) tril (x, -1), "one");
  table(end+1) = entry ("triu(x,1)", @(x) triu (x, 1), "one");
  for text = {"x(:)", "x(:,:)", "x(1,:)", "x(:,1)", "x(end,end)", "x(end)", "x(1:2:end,:)", "x(:,end:-1:1)", "x(2:end-1,2:end-1)", ...
              "x(:,[1 1])", "x(x>0)", "x(logical(x(:)==x(:)))", "x(1:0)", "x(:,1:0)", "x(3:2:end)", "x([2;1])", "x(0)", "x(1e6)", ...
              "x(1.5)", "x(1,1,1)"}
    table(end+1) = entry (text{1}, str2func (["@(x) " text{1}]), "one");
  endfor
  for text = {"zeros(2,3,\"like\",x)", "ones(2,3,\"like\",x)", "eye(size(x))", "size(rand(size(x)))", "zeros(size(x))", ...
              "eye(2,\"like\",x)", "rand(2,\"like\",x)"}
    table(end+1) = entry (text{1}, str2func (["@(x) " text{1}]), "one");
  endfor

  ## Linear algebra.
  for name = {"inv", "det", "chol", "qr", "eig", "svd", "expm", "rank", "trace", "pinv", "null", "lu"}
    table(end+1) = entry (name{1}, str2func (name{1}), "square");
  endfor
  for name = {"lu", "qr", "eig", "svd"}
    f = str2func (name{1});
    table(end+1) = entry ([name{1} ", 2 results"], @(x) nthargout (1:2, f, x), "square");
  endfor
  table(end+1) = entry ("lu, 3 results", @(x) nthargout (1:3, @lu, x), "square");
  table(end+1) = entry ("kron", @kron, "small product");

  ## Assignment.
  for text = {"x(1)=y", "x(1,1)=y", "x(:)=y", "x(:,1)=y", "x(1,:)=y", "x(end+1)=y", "x(3,5)=y", "x(x>0)=y", "x(:,end+1)=y", ...
              "x([1 1])+=y", "x(1)+=y", "x(:,1)*=y", "x(2:end,1)-=y", "x(0)=y", "x(1.5)=y"}
    table(end+1) = entry (text{1}, @(x, y) assigned (text{1}, x, y), "assignment");
  endfor
  for text = {"x(1)=[]", "x(:,1)=[]", "x(1,:)=[]", "x(:)=[]", "x([])=[]", "x(end,:)=[]", "x(1,1)=[]", "x(x>0)=[]"}
    table(end+1) = entry (text{1}, @(x) assigned (text{1}, x), "one");
  endfor
endfunction

function e = entry (name, f, family, ulps = 0, limit = "")
  e = struct ("name", name, "f", f, "family", family, "ulps", double (ulps), "limit", limit);
endfunction

## The value of x afterwards.
function x = updated (operator, x, y)
  ## On a line with its case a statement would be part of the case.
  switch (operator)
    case "x++"
      x++;
    case "x--"
      x--;
    case "++x"
      ++x;
    case "--x"
      --x;
    case "x += y"
      x += y;
    case "x -= y"
      x -= y;
    case "x .*= y"
      x .*= y;
    case "x ./= y"
      x ./= y;
    case "x .^= y"
      x .^= y;
    case "x |= y"
      x |= y;
    case "x &= y"
      x &= y;
    case "x *= y"
      x *= y;
    case "x /= y"
      x /= y;
    case "x ^= y"
      x ^= y;
    otherwise
      error ("operation_table: unknown operator %s", operator);
  endswitch
endfunction

function x = assigned (statement, x, y)
  eval ([statement ";"]);
endfunction

%!test
%! table = operation_table ();
%! names = {table.name};
%! assert (numel (unique (names)), numel (names));
%!assert (operation_table ()(strcmp ({operation_table().name}, "x += y")).f (1, 2), 3)
