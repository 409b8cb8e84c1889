## lines = generate_program (seed, number)
## A random program, a cell of some 5 to 20 statements.  The seed and the number choose the program.
## It runs in plain Octave while it comes about, so that operands mostly fit: most statements that fail, and
## all whose values grow too large, are left out.
function lines = generate_program (seed, number)
  persistent families = program_templates ();
  rand ("twister", [seed, number]);
  variables = struct ();
  lines = {};
  for name = {"a", "b", "c"}
    [lines, variables] = add (lines, variables, sprintf ("%s = %s;", name{1}, random_source ()));
  endfor
  wanted = 5 + floor (rand () * 16);
  for tries = 1:3*wanted
    if (numel (fieldnames (variables)) == 0)
      break;
    endif
    line = expand_template (random_template (families, true), variables, families);
    [lines, variables] = add (lines, variables, line);
    if (numel (lines) >= wanted)
      break;
    endif
  endfor
endfunction

function [lines, variables] = add (lines, variables, line)
  [after, failed] = run_statement (variables, plain_text (line));
  if (failed && rand () < 0.7 || any (structfun (@(x) too_large (x, line), after)))
    return;
  endif
  lines{end+1} = line;
  variables = after;
endfunction

## near () rounds to a fixed place, so it cannot hide an ulp of a large number.
function tf = too_large (x, line)
  tf = numel (x) > 6000;
  if (! tf && isfloat (x) && ! isempty (strfind (line, "near(")))
    tf = any (abs (x(isfinite (x))) > 2^30);
  elseif (! tf && iscell (x))
    tf = any (cellfun (@(y) too_large (y, line), x(:)));
  elseif (! tf && isstruct (x))
    tf = any (cellfun (@(y) too_large (y, line), struct2cell (x)(:)));
  endif
endfunction

## Runs a statement among variables of a struct, and gives them as they are afterwards.
function [variables__, failed__] = run_statement (variables__, line__)
  for name__ = fieldnames (variables__)'
    eval (sprintf ("%s = variables__.%s;", name__{1}, name__{1}));
  endfor
  before__ = variables__;
  failed__ = false;
  try
    output__ = evalc (line__);
  catch
    failed__ = true;
  end_try_catch
  variables__ = struct ();
  for name__ = who ()'
    if (isempty (regexp (name__{1}, '__$', "once")))
      variables__.(name__{1}) = eval (name__{1});
    endif
  endfor
endfunction

%!test
%! lines = generate_program (1, 1);
%! assert (numel (lines) >= 3);
%! assert (lines, generate_program (1, 1));
%! assert (! isequal (lines, generate_program (1, 2)));
%! assert (! isequal (lines, generate_program (2, 1)));
