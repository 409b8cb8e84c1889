## count = compare_operation (operation, sets)
## Runs one operation of the table on p_matrix operands and on Octave's own matrices, for each set of operands
## and each choice of operands to wrap.  Class, size and bits must agree, and errors must agree in text and
## identifier.  The result has the fields compared, failures (a cellstr), and how the results came about:
##   lazy      pending until they were compared
##   fallback  Octave's own, on full values, counted as a fallback
##   direct    neither lazy nor fallback: an error, a size or class, or a value that the type gave at once
##   limits    differences that the operation's limit allows
function count = compare_operation (operation, sets)
  count = struct ("compared", 0, "lazy", 0, "fallback", 0, "direct", 0, "limits", 0, "failures", {{}});
  for i = 1:numel (sets)
    operands = sets{i};
    wrappable = cellfun (@can_be_wrapped, operands);
    for choice = 1:2^numel (operands)-1
      chosen = logical (bitget (choice, 1:numel (operands)));
      if (! all (wrappable(chosen)))
        continue;
      endif
      plain = wrapped = operands;
      plain(chosen) = cellfun (@as_wrapped, operands(chosen), "UniformOutput", false);
      wrapped(chosen) = cellfun (@p_matrix, operands(chosen), "UniformOutput", false);

      expected = outcome (operation.f, plain{:});
      before = fallbacks ();
      actual = outcome (operation.f, wrapped{:});
      after = fallbacks ();

      count.compared += 1;
      if (is_pending (actual.value))
        count.lazy += 1;
      elseif (after > before)
        count.fallback += 1;
      else
        count.direct += 1;
      endif

      text = differing (expected, actual, operation.ulps);
      if (! isempty (text))
        operand_texts = cellfun (@describe, wrapped, "UniformOutput", false);
        text = sprintf ("%s (%s): %s", operation.name, strjoin (operand_texts, ", "), text);
        if (isempty (operation.limit) || isempty (regexp (text, operation.limit, "once")))
          count.failures{end+1} = text;
        else
          count.limits += 1;
        endif
      endif
    endfor
  endfor
endfunction

function text = differing (expected, actual, ulps)
  ## Where Octave names a type that it cannot take, it may name ours.
  named = regexprep (actual.message, "'?p_matrix'?", "TYPE");
  if (! strcmp (actual.message, expected.message) && ! strcmp (named, regexprep (expected.message, type_names (), "TYPE")))
    text = sprintf ("error \"%s\" instead of \"%s\"", actual.message, expected.message);
  elseif (! strcmp (expected.identifier, actual.identifier))
    text = sprintf ("error identifier \"%s\" instead of \"%s\"", actual.identifier, expected.identifier);
  elseif (! isempty (expected.message))
    text = "";
  else
    try
      text = difference (expected.value, actual.value, ulps);
    catch failure
      text = sprintf ("error \"%s\" when it is forced", failure.message);
    end_try_catch
  endif
endfunction

function pattern = type_names ()
  pattern = "'?(null_|float |bool |diagonal |complex )?(matrix|scalar|range|bool)'?";
endfunction

function n = fallbacks ()
  n = __pm__ ("profile").fallbacks;
endfunction

function tf = is_pending (value)
  if (iscell (value) && ! isempty (value))
    value = value{1};
  endif
  tf = strcmp (class (value), "p_matrix") && ! has_result (value);
endfunction

function tf = can_be_wrapped (x)
  tf = (isfloat (x) || islogical (x)) && isreal (x) && ! issparse (x) && ndims (x) == 2;
endfunction

## A wrapped range or diagonal matrix is the full matrix, so Octave's own result is a result of the full
## matrix.  A scalar stays a scalar: full would make a 1x1 matrix of it, which is put into a logical matrix as
## a logical value.
function x = as_wrapped (x)
  if (! isscalar (x))
    x = full (x);
  endif
endfunction

function text = describe (x)
  kind = typeinfo (x);
  if (isa (x, "p_matrix"))
    kind = ["p_matrix " class(full (x))];
  endif
  text = sprintf ("%s %dx%d", kind, rows (x), columns (x));
  if (isscalar (x) && (isnumeric (x) || islogical (x)))
    text = sprintf ("%s %g", text, double (full (x)));
  endif
endfunction

%!test
%! operation = struct ("name", "plus", "f", @plus, "ulps", 0, "limit", "");
%! count = compare_operation (operation, {{[1 2], 3}, {[1 2], [1 2 3]}});
%! assert (count.compared, 6);
%! assert (count.lazy, 3);
%! assert (count.failures, {});
%!test
%! operation = struct ("name", "wrong", "f", @(x) isa (x, "p_matrix"), "ulps", 0, "limit", "");
%! assert (numel (compare_operation (operation, {{1}}).failures), 1);
%! operation.limit = "other elements";
%! assert (compare_operation (operation, {{1}}).limits, 1);
