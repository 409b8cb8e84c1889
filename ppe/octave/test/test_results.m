## Functions that Octave computes give a p_matrix for a p_matrix where Octave's own result is a full array of
## class double, single or logical, and Octave's own value elsewhere.  Each call is one fallback, named in the
## warning with the line of the script.

%!function codes = calls ()
%!  codes = {"accumarray ([1;2;1], v')", "arrayfun (@(e) 2 * e, x)", "arrayfun (@(e) {e}, x)", "arrayfun (@(e) e, x, \"UniformOutput\", false)", ...
%!           "balance (m)", "betainc (v / 10, 2, 3)", "chol (m * m')", "complex (x, 1)", "complex (3, v)", "circshift (x, 1)", "cond (m)", "conv (v, [1 2])", "conv2 (x, [1 1])", ...
%!           "cross (v, v)", "cummax (x)", "cummin (x)", "cumprod (x)", "deconv (v, [1 2])", "det (m)", "diff (x)", "eig (m)", "eig (m - 5 * m')", ...
%!           "expm (m / 20)", "fft (x)", "fft2 (x)", "fftn (x)", "filter (1, [1 .5], x)", "find (x)", "find (x, 1)", "gammainc (v, 2)", "gradient (v)", ...
%!           "hankel (v)", "hess (m)", "histc (x, 0:3)", "ifft (x)", "ifft2 (x)", "ifftn (x)", "interp1 (v, [4 5 6], [1.5 2])", ...
%!           "interp1 ([4 5 6], v, 4.5)", "interp2 (m, 1.5, 1.5)", "inv (m)", "isdefinite (m)", "kron (x, [1 2])", "logm (m * m')", ...
%!           "lookup (v, x)", "lookup (v, 2)", "lu (m)", "median (x)", "median (v)", "merge (x > 2, x, -x)", "mode (x)", "nth_element (x, 1)", ...
%!           "null (m(:,1) * [1 1 2])", "orth (m)", "pinv (x)", "polyfit (v, [1 3 5], 1)", "qr (m)", "rank (m)", "rcond (m)", "schur (m)", "sort (x)", ...
%!           "sort (x, 2, \"descend\")", "sortrows (x)", "sqrtm (m * m')", "svd (x)", "toeplitz (v)", "unique (x)", "vander (v)", "xor (x > 2, x > 3)"};
%!endfunction
%!function tf = stays (y)
%!  tf = (isfloat (y) || islogical (y)) && ! issparse (y) && ! isscalar (y) ...
%!       && isempty (regexp (typeinfo (y), "diagonal|permutation"));
%!endfunction

%!test
%! for code = calls ()
%!   f = str2func (["@(x, v, m) " code{1}]);
%!   x = [3 0; 1.5 2; 4 1];
%!   v = [1 2 4];
%!   m = [4 1 0; 1 5 2; 0 2 6];
%!   expected = f (x, v, m);
%!   before = p_profile ().fallbacks;
%!   actual = f (p_matrix (x), p_matrix (v), p_matrix (m));
%!   count = p_profile ().fallbacks - before;
%!   if (count != 1)
%!     error ("%s: %d fallbacks", code{1}, count);
%!   endif
%!   if (strcmp (class (actual), "p_matrix") != stays (expected))
%!     error ("%s: %s", code{1}, class (actual));
%!   endif
%!   text = difference (expected, actual);
%!   if (! isempty (text))
%!     error ("%s: %s", code{1}, text);
%!   endif
%! endfor

## All results of several.
%!test
%! [s, i] = sort (p_matrix ([3 1 2]));
%! assert ({class(s), class(i)}, {"p_matrix", "p_matrix"});
%! assert (full (i), [2 3 1]);
%! [r, c] = find (p_matrix ([0 1; 1 0]));
%! assert ({class(r), class(c)}, {"p_matrix", "p_matrix"});
%! assert (full ([r, c]), [2 1; 1 2]);

## The warning names the function that the script called, and no other function.
%!test
%! code = ["warning (\"on\", \"pmatrix:fallback\");\nx = p_matrix ([1 2 4]);\n" ...
%!         "y = circshift (x, 1);\nz = fft (x);\nw = arrayfun (@(e) e + 1, x);\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! for text = {"circshift is computed by Octave, at line 3", "fft is computed by Octave, at line 4", "arrayfun is computed by Octave, at line 5"}
%!   assert (numel (strfind (output, text{1})), 1);
%! endfor
%! assert (numel (strfind (output, "is computed by Octave")), 3);

## Nothing of the package shows in Octave's warnings and errors.
%!test
%! code = ["function g (P), x = inv (P ([1 2; 2 4])); y = chol (P ([1 2; 2 1])); endfunction\n" ...
%!         "try, g (@(x) x); catch e, disp (e.message); disp ({e.stack.name}); end_try_catch\n" ...
%!         "try, g (@p_matrix); catch e, disp (e.message); disp ({e.stack.name}); end_try_catch\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! assert (numel (strfind (output, "warning: matrix singular to machine precision")), 2);
%! assert (isempty (strfind (output, "inv at line")));
%! assert (isempty (strfind (output, "chol at line")));
%! assert (numel (strfind (output, "chol: input matrix must be positive definite")), 2);
