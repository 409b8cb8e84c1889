## Octave's functions with p_matrix arguments: the size, the class of the content and the value that plain
## Octave has, or its error.

## What the code gives with these variables.
%!function values__ = evaluate (code__, results__, variables__)
%!  for [value__, name__] = variables__
%!    eval ([name__ " = value__;"]);
%!  endfor
%!  if (results__ == 0)
%!    values__ = evalc (code__);
%!    return;
%!  endif
%!  values__ = cell (1, results__);
%!  eval (["[values__{:}] = " code__ ";"]);
%!endfunction

## "" when two results are equal, up to the rounding of a few operations: sums and products may be taken in
## another order.
%!function text = unlike (expected, actual)
%!  text = "";
%!  if (iscell (expected) && iscell (actual) && size_equal (expected, actual))
%!    text = [cellfun(@unlike, expected, actual, "UniformOutput", false){:}];
%!  elseif (isstruct (expected) && isstruct (actual) && isequal (fieldnames (expected), fieldnames (actual)))
%!    text = unlike (struct2cell (expected), struct2cell (actual));
%!  elseif (! (isnumeric (expected) || islogical (expected)))
%!    if (! isequal (expected, actual))
%!      text = "another value";
%!    endif
%!  else
%!    text = difference (expected, actual, 64);
%!    actual = full (actual);
%!    if (! isempty (text) && isfloat (expected) && strcmp (class (expected), class (actual)) && size_equal (expected, actual))
%!      tolerance = merge (isa (expected, "single"), 1e-5, 1e-12);
%!      near = abs (expected - actual) <= tolerance * max (1, max (abs (expected(:))));
%!      if (all ((near | (isnan (expected) & isnan (actual)) | expected == actual)(:)))
%!        text = "";
%!      endif
%!    endif
%!  endif
%!endfunction

%!test
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! warning ("off", "all");
%! variables = struct ("A", magic (4), "B", reshape (1:6, 2, 3), "B2", -magic (4), "C", magic (4) * magic (4)' / 50 + 5 * eye (4), ...
%!                     "F", single (magic (4)) / 3, "L", magic (4) > 7, "v", [1 2 4 7 9], "w", [3 1 4 1.5 5], "k", [1 2 1 3 2], ...
%!                     "u", [1.5 2.25 6], "c", [2; 1; 3; 5; 4], "c4", [1; 2; 3; 4], "s", 3);
%! wrapped = structfun (@p_matrix, variables, "UniformOutput", false);
%! calls = library_calls ();
%! values = 0;
%! report = "";
%! for i = 1:rows (calls)
%!   expected = outcome (@evaluate, calls{i,2}, calls{i,1}, variables);
%!   actual = outcome (@evaluate, calls{i,2}, calls{i,1}, wrapped);
%!   values += isempty (expected.message);
%!   if (! strcmp (expected.message, actual.message))
%!     text = sprintf ("error \"%s\" instead of \"%s\"", actual.message, expected.message);
%!   elseif (isempty (expected.message))
%!     text = unlike (expected.value, actual.value);
%!   else
%!     text = "";
%!   endif
%!   if (! isempty (text))
%!     report = [report, calls{i,2}, ": ", text, "\n"];
%!   endif
%! endfor
%! printf ("  %d calls, of which %d have a value\n", rows (calls), values);
%! assert (report, "");
%! assert (values > 0.9 * rows (calls));
