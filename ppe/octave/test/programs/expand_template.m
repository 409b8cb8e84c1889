## text = expand_template (template, variables, families)
## A statement or value of random choices: each placeholder of the template (program_templates) replaced.
## variables is a struct of the variables that the program has at this place, with their values in plain
## Octave.
function text = expand_template (template, variables, families)
  parts = ostrsplit (template, "$");
  text = parts{1};
  about = "";
  for k = 2:numel (parts)
    [piece, about] = expansion (parts{k}(1), about, variables, families);
    text = [text, piece, parts{k}(2:end)];
  endfor
  text = joined_calls (text);
endfunction

## about is the variable that the next placeholder is to fit.
function [text, about] = expansion (letter, about, variables, families)
  switch (letter)
    case "v"
      about = any_variable (variables);
      text = decorated (about, variables);
    case "V"
      about = any_variable (variables);
      text = about;
    case "m"
      text = about;
    case "w"
      text = fitting (about, variables);
    case "p"
      text = factor (about, variables);
    case "q"
      text = square (variables);
      about = text;
    case "l"
      text = random_source ();
    case "s"
      text = number (variables);
    case "n"
      text = sprintf ("%d", floor (rand () * 4));
    case "d"
      text = pick ({"1", "1", "2", "2", "2", "3"});
    case "i"
      text = index (about, numel (value_of (about, variables)), variables);
    case "r"
      text = index (about, rows (value_of (about, variables)), variables);
    case "c"
      text = index (about, columns (value_of (about, variables)), variables);
    case "e"
      text = expand_template (random_template (families, false), variables, families);
    case "t"
      text = pick ({"a", "b", "c", "d"});
      about = text;
    case "o"
      text = pick ({"+", "-", ".*", "./", ".\\", "==", "!=", "<", "<=", ">", ">=", "&", "|", "+", "-", ".*"});
    case "u"
      text = pick (element_wise ());
    otherwise
      error ("expand_template: unknown placeholder $%s", letter);
  endswitch
endfunction

function names = element_wise ()
  names = {"abs", "sign", "round", "floor", "ceil", "fix", "sqrt", "exp", "log", "log2", "log10", "expm1", "log1p", "tan", "asin", "acos", "atan", ...
           "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "isnan", "isinf", "isfinite", "real", "imag", "conj", "abs", "gamma", "erf", "signbit", ...
           "cbrt", "isna", "deg2rad", "sec", "isreal", "double", "single", "logical", "full"};
endfunction

## Matrices, mostly; now and then a cell or struct.
function name = any_variable (variables)
  names = fieldnames (variables);
  for tries = 1:4
    name = pick (names);
    if (is_matrix (variables.(name)))
      return;
    endif
  endfor
endfunction

function tf = is_matrix (x)
  tf = isnumeric (x) || islogical (x) || ischar (x);
endfunction

function x = value_of (name, variables)
  x = [];
  if (isfield (variables, name))
    x = variables.(name);
  endif
endfunction

## The variable, or an intermediate result of its size that has no name.
function text = decorated (name, variables)
  kind = rand ();
  if (kind < 0.7)
    text = name;
  elseif (kind < 0.8)
    text = sprintf ("%s (%s)", pick (element_wise ()), name);
  elseif (kind < 0.9)
    text = sprintf ("(%s %s %s)", name, pick ({"+", "-", ".*", "./", ">"}), number (variables));
  elseif (kind < 0.93)
    text = sprintf ("(%s - %s)", number (variables), name);
  else
    text = strrep (pick ({"(-NAME)", "(NAME')", "(!NAME)", "(NAME(:))", "(NAME + 0)", "NAME(:,:)", "(NAME .* NAME)"}), "NAME", name);
  endif
endfunction

function text = fitting (about, variables)
  s = size (value_of (about, variables));
  choice = rand ();
  if (choice < 0.15 || ! isfield (variables, about))
    text = number (variables);
    return;
  elseif (choice < 0.2)
    text = random_source ();
    return;
  elseif (choice < 0.23)
    text = any_variable (variables);
    return;
  endif
  names = fieldnames (variables);
  fits = cellfun (@(name) is_matrix (variables.(name)) && broadcasts (size (variables.(name)), s), names);
  names = names(fits);
  if (rand () < 0.7 && ! isempty (names))
    text = decorated (pick (names), variables);
  elseif (numel (s) > 2)
    text = about;
  else
    s(rand (1, 2) < 0.2) = 1;
    text = random_source (s(1), s(2));
  endif
endfunction

function tf = broadcasts (s, t)
  tf = numel (s) == numel (t) && all (s == t | s == 1 | t == 1);
endfunction

function text = factor (about, variables)
  x = value_of (about, variables);
  names = fieldnames (variables);
  fits = cellfun (@(name) is_matrix (variables.(name)) && rows (variables.(name)) == columns (x), names);
  names = names(fits);
  if (rand () < 0.1)
    text = any_variable (variables);
  elseif (rand () < 0.6 && ! isempty (names))
    text = decorated (pick (names), variables);
  else
    text = random_source (columns (x), pick ([1 1 2 3 8 9 max(1, rows (x))]));
  endif
endfunction

function text = square (variables)
  names = fieldnames (variables);
  fits = cellfun (@(name) is_matrix (variables.(name)) && rows (variables.(name)) == columns (variables.(name)), names);
  names = names(fits);
  if (rand () < 0.05)
    text = any_variable (variables);
  elseif (rand () < 0.8 && ! isempty (names))
    text = pick (names);
  else
    n = pick ([1 2 3 4 8 9]);
    text = random_source (n, n);
  endif
endfunction

function text = number (variables)
  kind = rand ();
  if (kind < 0.6)
    text = sprintf ("%d", floor (rand () * 7) - 1);
  elseif (kind < 0.75)
    text = pick ({"0.5", "-0", "NaN", "Inf", "-1.5", "1.5", "-3", "0.1", "single (2)", "true", "int8 (3)", "2i", "-Inf"});
  elseif (kind < 0.85)
    text = sprintf ("P(%d)", floor (rand () * 7) - 2);
  else
    names = fieldnames (variables);
    names = names(cellfun (@(name) is_matrix (variables.(name)) && ! isempty (variables.(name)), names));
    if (isempty (names))
      text = "2";
    else
      name = pick (names);
      text = sprintf ("%s(%s)", name, pick ({"1", "end", sprintf("%d", ceil (rand () * numel (variables.(name))))}));
    endif
  endif
endfunction

## An index into n elements, rows or columns; some of them are wrong.
function text = index (about, n, variables)
  k = max (1, ceil (rand () * n));
  l = max (1, ceil (rand () * n));
  choice = rand ();
  if (choice < 0.3)
    text = sprintf ("%d", k);
  elseif (choice < 0.75)
    text = pick ({":", "end", sprintf("%d:%d", min (k, l), max (k, l)), "1:end", "end:-1:1", sprintf("%d:end", k), "1:2:end", "[1 1]", ...
                  sprintf("[%d %d]", k, l), sprintf("[%d; %d]", k, l), "[1 2; 1 1]", "end/2", "ceil (end/2)", "end-1", "2:end-1", "1:1", "[]"});
  elseif (choice < 0.93)
    text = pick ({sprintf("P(%d)", k), sprintf("P([%d %d])", k, l), sprintf("P([%d; %d])", k, l), "P(1):end", sprintf("1:P(%d)", k), "1:0", ...
                  sprintf("mod (0:%d, 2) == 0", max (n, 1) - 1), "true", "P(true)", "find ([1 0 1])", sprintf("min (%d, end)", k), ...
                  sprintf("single (%d)", k), sprintf("int8 (%d)", min (k, 100)), sprintf("end - P(%d)", n - k), "false", "zeros (1, 0)", ...
                  sprintf("P(mod (0:%d, 3) == 0)", max (n, 1) - 1)});
  elseif (choice < 0.96)
    text = pick ({"0", "1.5", "-1", sprintf("%d", n + 1), "P(0)", "P(1.5)", "P([1 -1])", sprintf("P(%d)", n + 3), "NaN", "Inf", "2i", "{1}", "\"a\""});
  else
    text = any_variable (variables);
  endif
endfunction

%!test
%! rand ("twister", 1);
%! families = program_templates ();
%! variables = struct ("a", magic (3), "b", {{1, 2}}, "c", "text");
%! for family = families
%!   for template = family.templates
%!     text = expand_template (template{1}, variables, families);
%!     assert (isempty (strfind (text, "$")));
%!     eval (["if (false), " wrapped_text(text) "; end"]);
%!   endfor
%! endfor
