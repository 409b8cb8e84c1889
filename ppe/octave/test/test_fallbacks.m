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
