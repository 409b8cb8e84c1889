## What Octave computes for a p_matrix is counted, wrapped again, and reported on request.

%!function n = fallbacks (f)
%!  before = p_profile ().fallbacks;
%!  f ();
%!  n = p_profile ().fallbacks - before;
%!endfunction

%!test
%! A = p_matrix (magic (4) + eye (4));
%! b = p_matrix (ones (4, 1));
%! for f = {@() A \ b, @() b' / A, @() inv(A), @() A ^ 2, @() expm(A), @() kron(A, b), @() chol(A * A'), @() svd(A), @() qr(A), ...
%!          @() lu(A), @() pinv(A), @() null(A), @() orth(A)}
%!   p_wait (b');
%!   count = p_profile ().fallbacks;
%!   value = f{1}();
%!   assert (class (value), "p_matrix");
%!   assert (p_profile ().fallbacks > count);
%! endfor
%! assert (fallbacks (@() det (A)), 1);
%! assert (class (det (A)), "double");
%! assert (fallbacks (@() A + 1), 0);

## Off by default.
%!test
%! lastwarn ("", "");
%! inv (p_matrix (magic (3)));
%! [~, id] = lastwarn ();
%! assert (id, "");

## It can be switched on and off at any time, and for the time of a function.
%!function id = warned (switched)
%!  if (! isempty (switched))
%!    warning (switched, "pmatrix:fallback", "local");
%!  endif
%!  lastwarn ("", "");
%!  evalc ("inv (p_matrix (magic (3)));");
%!  [~, id] = lastwarn ();
%!endfunction
%!test
%! assert (warned ("on"), "pmatrix:fallback");
%! assert (warned (""), "");
%! warning ("on", "pmatrix:fallback", "local");
%! assert (warned (""), "pmatrix:fallback");
%! assert (warned ("off"), "");
%! assert (warned (""), "pmatrix:fallback");
%! warning ("off", "pmatrix:fallback");
%! assert (warned (""), "");

## Switched on, it names function, line and file: of the script, not of the method.
%!test
%! name = tempname ();
%! [folder, base] = fileparts (name);
%! file = fopen ([name ".m"], "w");
%! fputs (file, "p = p_matrix (magic (3));\n\ninv (p);\n\n\np \\ p;\nsqrt (p - 20);\n");
%! fclose (file);
%! remove = onCleanup (@() delete ([name ".m"]));
%! code = ["warning (\"on\", \"pmatrix:fallback\"); source (\"" name ".m\");\n" ...
%!         "function at_top (), inv (p_matrix (2)); endfunction\nat_top ();\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! assert (! isempty (strfind (output, ["warning: p_matrix: inv is computed by Octave, at line 3 of " name ".m"])));
%! assert (! isempty (strfind (output, ["warning: p_matrix: operator \\ is computed by Octave, at line 6 of " name ".m"])));

## Every compiled function that takes the full matrix is counted once a call, however many matrices it takes
## and however often.
%!function names = counted (f)
%!  p_profile ("reset");
%!  f ();
%!  names = {};
%!  for place = p_profile ().fallbacks_by'
%!    names = [names, repmat({place.name}, 1, place.count)];
%!  endfor
%!  names = strjoin (sort (names), " ");
%!endfunction
%!test
%! p = p_matrix (magic (4));
%! one = p(:,1) * 0 + 1;
%! for f = {@() gcd(p, p), @() gcd(6, p), @() nnz(p), @() num2cell(p), @() sparse(p), @() sub2ind([4 4], one, one), @() issorted(p(:)), ...
%!          @() mat2cell(p, 4, [2 2]), @() diag(one), @() zeros(p_matrix (3)), @() jsonencode(p), @() typecast(p, "uint8"), @() isspace(p), ...
%!          @() linspace(1, p_matrix (2), 3), @() all(p, 2)}
%!   assert (counted (f{1}), regexp (func2str (f{1}), '\w+', "match", "once"));
%! endfor
%! assert (counted (@() nnz(gcd(p, 2)) + nnz(p + 1)), "gcd nnz");
%! assert (counted (@() cellfun(@(k) nnz(p + k), {1, 2})), "nnz nnz");

## So are parts by masks and lists of subscripts, and assignments that need what is pending or go by them.
%!function change (p, code)
%!  eval (code);
%!endfunction
%!test
%! p = p_matrix (magic (4));
%! for f = {@() p(p > 3), @() p([1 2 4]), @() p(1:2,[1 4]), @() (p + 1)(p > 3), @() (p + 1)([1 2 4])}
%!   assert (counted (f{1}), "indexing");
%! endfor
%! for code = {"p(p > 3) = 1;", "p += 1; p(2) = 1;", "p([1 2 4]) = 0;", "p(:,[1 4]) = [];"}
%!   assert (counted (@() change(p, code{1})), "indexed assignment");
%! endfor

## Reading is none, and what is recorded is none.
%!test
%! p = p_matrix (magic (4));
%! for f = {@() p(3), @() p(2:end,:), @() (p + 1)(:,1), @() double(p), @() int8(p), @() evalc("disp (p_matrix (1)), if (p_matrix (1)) end"), ...
%!          @() sprintf("%g", p), @() isequal(p, p), @() trace(p), @() std(p), @() fliplr(p), @() sum(p, p_matrix (1)), ...
%!          @() isreal(sqrt(p)), @() any(p), @() containers.Map({"a"}, {p}), @() 1:p(1), @() change(p, "p(2) = 1;"), @() cellfun(@numel, {p})}
%!   assert (counted (f{1}), "", func2str (f{1}));
%! endfor

## The line is that of the script, not of the file of Octave's library that calls the compiled function.
%!test
%! name = [tempname(), ".m"];
%! file = fopen (name, "w");
%! fputs (file, "p = p_matrix ([1 2]);\n\nismember (3, p);\ngcd (p, 2);\np(p > 1);\n");
%! fclose (file);
%! remove = onCleanup (@() delete (name));
%! p_profile ("reset");
%! source (name);
%! places = p_profile ().fallbacks_by;
%! assert (all (strcmp ({places.file}, name)));
%! for expected = {{"lookup", 3}, {"gcd", 4}, {"indexing", 5}}
%!   assert (places(strcmp ({places.name}, expected{1}{1})).line, expected{1}{2});
%! endfor
%! [~, output] = run_octave (["warning (\"on\", \"pmatrix:fallback\"); source (\"" name "\");"]);
%! assert (! isempty (strfind (output, ["lookup is computed by Octave, at line 3 of " name])));
