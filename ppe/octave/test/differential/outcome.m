## r = outcome (f, ...)
## What calling f gives: a struct with the value, or with the error's message and identifier.
function r = outcome (f, varargin)
  r = struct ("value", [], "message", "", "identifier", "");
  try
    r.value = f (varargin{:});
  catch failure
    r.message = failure.message;
    r.identifier = failure.identifier;
  end_try_catch
endfunction

%!assert (outcome (@plus, 1, 2).value, 3)
%!assert (outcome (@plus, [1 2], [1 2 3]).identifier, "Octave:nonconformant-args")
