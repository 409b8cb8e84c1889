## outcome = run_program (lines)
## Runs a program, a cell of statements, one after the other; a statement that fails does not end it.  The
## outcome has the fields
##   steps   a struct array: message and identifier of the error, and what was printed (warnings with it)
##   names   the variables at the end
##   values  their values; a p_matrix has become the matrix that it stands for (plain_value)
##   errors  for each variable, the error of computing it
##   wrapped how many of them were p_matrix values
##
## All names of this function end in __, because the program runs among them.
function outcome__ = run_program (lines__)
  outcome__ = struct ("steps", struct ("message", {}, "identifier", {}, "output", {}), "names", {{}}, "values", {{}}, ...
                      "errors", {{}}, "wrapped", 0);
  for k__ = 1:numel (lines__)
    step__ = struct ("message", "", "identifier", "", "output", "");
    try
      step__.output = evalc (lines__{k__});
    catch failure__
      step__.message = failure__.message;
      step__.identifier = failure__.identifier;
      clear failure__
    end_try_catch
    outcome__.steps(end+1) = step__;
  endfor

  clear k__ step__ name__
  for name__ = who ()'
    if (! isempty (regexp (name__{1}, '__$', "once")))
      continue;
    endif
    outcome__.names{end+1} = name__{1};
    outcome__.wrapped += isa (eval (name__{1}), "p_matrix");
    outcome__.values{end+1} = [];
    outcome__.errors{end+1} = "";
    try
      outcome__.values{end} = plain_value (eval (name__{1}));
    catch failure__
      outcome__.errors{end} = failure__.message;
    end_try_catch
  endfor
endfunction

%!test
%! o = run_program ({"a = [1 2];", "a + [1 2 3]", "a(1) = 7", "c = {p_matrix(a)}; b = p_matrix (a) + 1;"});
%! assert ({o.steps.message}, {"", "operator +: nonconformant arguments (op1 is 1x2, op2 is 1x3)", "", ""});
%! assert (o.steps(2).identifier, "Octave:nonconformant-args");
%! assert (o.steps(3).output, "a =\n\n   7   2\n\n");
%! assert (o.names, {"a", "b", "c"});
%! assert (o.values, {[7 2], [8 3], {[7 2]}});
%! assert (o.wrapped, 1);
