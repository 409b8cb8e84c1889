## [a, b], [a; b], horzcat, vertcat and cat of a p_matrix with operands of every class, on either side: value,
## class, size, type of text, sparsity, warnings and errors are as with plain matrices.

%!function codes = operands ()
%!  codes = {"[1 66.7]", "[-1 66.7 300]", "[NaN; -1]", "single ([1 2.5])", "true (1, 2)", "5", "300.7", "true", "single (2)", "1:2", "eye (2)", ...
%!           "\"ab\"", "'ab'", "'abc'", "int8 ([1 2])", "uint16 ([1 300])", "[1+2i 3]", "sparse ([1 0])", "{1, 2}", "struct (\"a\", {1, 2})", ...
%!           "struct ()", "@sin", "ones (1, 2, 2)", "[]", "''", "\"\"", "{}", "zeros (0, 3)", "zeros (1, 0)", "single ([])", "int8 ([])", ...
%!           "sparse (2, 2)"};
%!endfunction
%!function tf = can_be_wrapped (x)
%!  tf = (isfloat (x) || islogical (x)) && isreal (x) && ! issparse (x) && ndims (x) == 2;
%!endfunction
%!function x = plain (x)
%!  if (isa (x, "p_matrix") || (isnumeric (x) && isdiag (x) && ! issparse (x)))
%!    x = full (x);
%!  elseif (iscell (x))
%!    x = cellfun (@plain, x, "UniformOutput", false);
%!  endif
%!endfunction
## All that can be said about a result, as text.
%!function text = described (f, varargin)
%!  lastwarn ("", "");
%!  r = outcome (f, varargin{:});
%!  [warned, id] = lastwarn ();
%!  x = plain (r.value);
%!  text = [class(x) " " mat2str(size (x)) " " mat2str(issparse (x)) " " r.identifier " " r.message " " id " " warned " "];
%!  if (ischar (x))
%!    text = [text typeinfo(x) " " num2str(double (x(:)'))];
%!  elseif (iscell (x))
%!    text = [text sprintf("%s ", cellfun (@(y) [class(y) " " disp(y)], x, "UniformOutput", false){:})];
%!  elseif (isnumeric (x) || islogical (x))
%!    text = [text num2str(full (double (x(:).')), 17)];
%!  endif
%!endfunction

%!test
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! for id = {"Octave:num-to-str", "Octave:mixed-string-concat", "Octave:int-convert", "Octave:array-to-scalar"}
%!   warning ("on", id{1});
%! endfor
%! forms = {@(x, y) [x, y], @(x, y) [x; y], @(x, y) horzcat(x, y), @(x, y) vertcat(x, y), @(x, y) cat(1, x, y), @(x, y) cat(3, x, y)};
%! compared = 0;
%! text = evalc (["for f = forms, for a = operands (), for b = operands (), x = eval (a{1}); y = eval (b{1});" ...
%!   "expected = described (f{1}, x, y);" ...
%!   "for choice = 1:3, chosen = logical (bitget (choice, 1:2)); parts = {x, y}; if (! all (cellfun (@can_be_wrapped, parts(chosen)))) continue; end;" ...
%!   "parts(chosen) = cellfun (@p_matrix, parts(chosen), \"UniformOutput\", false);" ...
%!   "actual = described (f{1}, parts{:}); compared += 1;" ...
%!   "if (! strcmp (actual, expected)) error (\"%s of %s and %s, %d: %s instead of %s\", func2str (f{1}), a{1}, b{1}, choice, actual, expected); end;" ...
%!   "end, end, end, end"]);
%! assert (compared > 6000);

%!assert (double ([p_matrix([-1 66.7 300]), 'a']), [255 66 44 97])
%!assert (double ([p_matrix([65 NaN]), 'a']), [65 0 97])
%!assert (["abc"; p_matrix([65 66 67])], ["abc"; "ABC"])
%!assert ([p_matrix([1.5 300]), int8(5)], int8 ([2 127 5]))
%!assert (class ([p_matrix([1 2]), int8([])]), "int8")
%!assert (class ([p_matrix([72 105]), '']), "char")
%!assert (class (full ([p_matrix(true (2)), []])), "double")
%!assert (class (full ([p_matrix([1 2]), single([])])), "single")

## Parts without elements count for the class of a large matrix too.
%!test
%! for parts = {{true(9), []}, {true(9), single([])}, {ones(9), single([])}, {true(9), true(9), []}, {true(9), ones(9), single([])}}
%!   x = horzcat (parts{1}{:});
%!   p = horzcat (p_matrix (parts{1}{1}), parts{1}{2:end});
%!   assert (has_result (p), false);
%!   assert (class (full (p)), class (x));
%!   assert (full (p), x);
%! endfor

## In a cell a p_matrix stays one.
%!test
%! c = [{1}, p_matrix([1 2])];
%! assert (class (c{2}), "p_matrix");
%! c = [p_matrix([1 2]); {3}];
%! assert (class (c{1}), "p_matrix");

## Rows of plain values beside rows with a p_matrix; brackets in brackets; many parts.
%!test
%! p = p_matrix ([5 6]) + 0;
%! a = [1 2; p; [3, 4]];
%! assert (has_result (a), false);
%! assert (full (a), [1 2; 5 6; 3 4]);
%! assert (full ([p; int8(1), 2]), int8 ([5 6; 1 2]));
%! assert (full ([[p, p]; 1:4; p, [7 8]]), [5 6 5 6; 1 2 3 4; 5 6 7 8]);
%! x = [];
%! for i = 1:50
%!   x = [x; p + i];
%! endfor
%! assert (has_result (x), false);
%! assert (full (x), [5 6] + (1:50)');
%! assert (full ([p_matrix([]), p_matrix([])]), []);
%! assert (horzcat (1, 2), [1 2]);

## An error is raised in the statement that has it, whatever is done with the value.
%!function check (code)
%!  p = p_matrix (ones (2, 3)) + 1;
%!  text = "";
%!  reached = false;
%!  try
%!    eval ([code ", reached = true;"]);
%!  catch failure
%!    text = failure.message;
%!  end_try_catch
%!  assert (text, "vertical dimensions mismatch (2x3 vs 1x2)");
%!  assert (reached, false);
%!endfunction
%!test check ("[p; 1 2];");
%!test check ("x = [p; 1 2];");
%!test check ("x.a = [p; 1 2];");
%!test check ("x{3} = [p; 1 2];");
%!test check ("x = [p; 1 2] + 1;");
%!test check ("x = 1 + [p; 1 2];");
%!test check ("x = [p; 1 2]';");
%!test check ("x = -[p; 1 2];");
%!test check ("x = {[p; 1 2]};");
%!test check ("x = [[p; 1 2], 3];");
%!test check ("x = size ([p; 1 2]);");
%!test check ("x = [p; 1 2](1);");
%!test check ("if ([p; 1 2]) end");
%!test check ("for i = [p; 1 2] end");
%!test check ("while ([p; 1 2]) end");
%!test check ("switch ([p; 1 2]) case 1, end");
%!test check ("x = 1:[p; 1 2];");
%!test check ("x = [p; 1 2] && 1;");
%!test check ("x = p([p; 1 2]);");
%!test check ("p([p; 1 2]) = 1;");
%!test check ("p(1) = [p; 1 2];");
%!test check ("p += [p; 1 2];");
%!test check ("[x, y] = deal ([p; 1 2], 1);");
%!test check ("x = [p, p; 1 2, [p; 1 2]];");
%!test check ("f = @() [p; 1 2]; x = f ();");
## A cell keeps the error until its content is used.
%!test check ("x = cellfun (@(e) [p; 1 2], {1}, \"UniformOutput\", false); y = x{1} + 1;");

## A script's function horzcat is not what brackets call.
%!test
%! code = ["function y = horzcat (varargin), y = \"own\"; endfunction\n" ...
%!         "p = p_matrix ([1 2]);\nx = full ([p, 3]);\nprintf (\"%d \", x);\nprintf (\"%s\\n\", horzcat (p, 3));\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! assert (output, "1 2 3 own\n");

## Above or below a row of cells each part of a row is in a cell of its own; what was put together before is
## one part.
%!function agree_in_cells (code, x)
%!  p = p_matrix (x);
%!  q = [p, p];
%!  actual = eval (strrep (code, "y", "q"));
%!  p = x;
%!  y = [x, x];
%!  expected = eval (code);
%!  assert (cellfun (@full, actual, "UniformOutput", false), expected);
%!endfunction
%!test
%! for x = {[1 2], ones(9), single(3), true(2)}
%!   for code = {"[p, p; {1, 2}]", "[{1, 2}; p, p]", "[{1, 2}; p, [], p]", "[p, x; {1, 2}; p, x]", "[x, x; p, {1}]", "[p; {1}]", "[y; {1}]", ...
%!               "[[p, p]; {1}]", "[[p, p], p; {1}, 2]", "[p, {1}; x, x]"}
%!     agree_in_cells (code{1}, x{1});
%!   endfor
%! endfor
%! c = [p_matrix([1 2]), p_matrix(3); {1, 2}];
%! assert (class (c{1}), "p_matrix");
%!error <vertical dimensions mismatch \(1x1 vs 1x2\)> [[p_matrix(1), p_matrix(2)]; {1, 2}]
%!test
%! q = [p_matrix([1 2]), p_matrix([1 2])];
%! fail ("x = [q; {1, 2}];", "vertical dimensions mismatch \\(1x1 vs 1x2\\)");
