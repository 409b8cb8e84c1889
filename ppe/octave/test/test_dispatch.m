## Which function a call with a p_matrix means: the method of the class where there is one, in whatever
## position the p_matrix stands and however the call is made, and the built-in function where the classes are
## not asked.

%!function check (f, expected)
%!  y = f ();
%!  assert (class (y), "p_matrix");
%!  assert (full (y), expected);
%!endfunction

## Every position.
%!test
%! p = p_matrix ([1 5; 7 3]);
%! check (@() max (p, true), max ([1 5; 7 3], true));
%! check (@() max (true, p), max (true, [1 5; 7 3]));
%! for other = {2, single(2)}
%!   x = other{1};
%!   check (@() max (p, x), max ([1 5; 7 3], x));
%!   check (@() max (x, p), max (x, [1 5; 7 3]));
%!   check (@() hypot (x, x, p), hypot (x, x, [1 5; 7 3]));
%!   check (@() hypot (x, p, x), hypot (x, [1 5; 7 3], x));
%!   check (@() hypot (p, p, x), hypot ([1 5; 7 3], [1 5; 7 3], x));
%! endfor
%! check (@() max (p, [], 2), [5; 7]);
%! check (@() cat (1, [1 2], p), [1 2; 1 5; 7 3]);
%! check (@() cat (1, [1 2], single ([1 2]), p, true (1, 2)), single ([1 2; 1 2; 1 5; 7 3; 1 1]));
%! check (@() zeros (2, "like", p), zeros (2));
%! check (@() accumarray ([1; 2], 1, p_matrix ([2 1])), [1; 1]);

## Every way to call.
%!function y = total (x)
%!  y = sum (x);
%!endfunction
%!test
%! p = p_matrix ([1 5; 7 3]);
%! before = p_profile ().fallbacks;
%! handle = @sum;
%! check (@() handle (p), [8 8]);
%! check (@() feval ("sum", p), [8 8]);
%! check (@() feval (@sum, p, 2), [6; 10]);
%! check (@() str2func ("sum") (p), [8 8]);
%! check (@() total (p), [8 8]);
%! check (@() cellfun (@sum, {p}, "UniformOutput", false){1}, [8 8]);
%! check (@() cellfun (@(x) sum (x), {p}, "UniformOutput", false){1}, [8 8]);
%! check (@() arrayfun (@(k) sum (p, k), 1:2, "UniformOutput", false){2}, [6; 10]);
%! check (@() structfun (@sum, struct ("a", p), "UniformOutput", false).a, [8 8]);
%! check (@() evalin ("caller", "sum (p_matrix ([1 5; 7 3]))"), [8 8]);
%! check (@() eval ("sum (p_matrix ([1 5; 7 3]))"), [8 8]);
%! assert (p_profile ().fallbacks, before);

## A function that does not ask the classes gives equal values.
%!test
%! p = p_matrix ([1 5; 7 3]);
%! m = full (p);
%! for name = {"max", "min", "sum", "prod", "sumsq", "cumsum", "cumprod", "mean", "tril", "sort", "any", "isnan"}
%!   actual = cellfun (name{1}, {p, p.', p > 4, single(1) * p}, "UniformOutput", false);
%!   expected = cellfun (name{1}, {m, m.', m > 4, single(m)}, "UniformOutput", false);
%!   for k = 1:4
%!     assert (difference (expected{k}, actual{k}), "");
%!   endfor
%! endfor
%! for name = {"sum", "prod", "max", "cummax", "sumsq", "triu", "nnz"}
%!   assert (full (builtin (name{1}, p)), builtin (name{1}, m));
%! endfor
%! for name = {"mod", "rem", "max", "hypot", "atan2", "gcd"}
%!   assert (full (builtin (name{1}, p, p_matrix (2))), builtin (name{1}, m, 2));
%!   assert (full (builtin (name{1}, single (2), single (2) * p)), builtin (name{1}, single (2), single (2 * m)));
%! endfor
%! assert (full (builtin ("cellfun", "max", {p_matrix([1 9 2])})), 9);
%! assert (builtin ("nth_element", p_matrix ([3 1 2]), p_matrix (2)), 2);
%! assert (full (gcd (p_matrix ([12 18]), 4)), [4 2]);
%! assert (full (lcm (p_matrix ([4 6]), [6 9])), [12 18]);
%! assert (full (lookup (p_matrix ([1 2 3]), p_matrix ([0.5 2.5]))), [0 2]);
%! assert (num2cell (p_matrix ([1 2; 3 4])), {1 2; 3 4});

## After functions have been forgotten and found again, and with other functions in front of Octave's own.
%!test
%! define = ["function show (p), disp (class (max (1, p))), disp (class (sum (p))), disp (1:sum (p(:) > 6))," ...
%!           " disp (class (cellfun (@sum, {p}, \"UniformOutput\", false){1})), endfunction\n"];
%! code = [define "show (p_matrix (magic (3)));\nclear functions\n" define "show (p_matrix (magic (3)));\n" ...
%!         "clear all\n" define "show (p_matrix (magic (3)));\nrehash ();\nshow (p_matrix (magic (3)));\n" ...
%!         "p_auto (\"on\", 4);\nshow (p_matrix (magic (3)));\nshow (ones (3) * 7);\n"];
%! [status, output] = run_octave (code);
%! assert (status, 0);
%! block = "p_matrix\np_matrix\n   1   2   3\np_matrix\n";
%! last = "p_matrix\np_matrix\n   1   2   3   4   5   6   7   8   9\np_matrix\n";
%! assert (output, [repmat(block, 1, 5) last]);

## A script's own function of the name is called, as for a plain matrix, and may call Octave's.
%!test
%! code = ["function y = sum (x), y = 10 * builtin (\"sum\", x); end\n" ...
%!         "function y = abs (x), y = \"own\"; end\n" ...
%!         "p = p_matrix ([1 2]);\nprintf (\"%d %s \", full (sum (p)), abs (p));\n" ...
%!         "clear -f sum abs\nprintf (\"%d %d\", full (sum (p)), full (abs (p)));\nclear all\n" ...
%!         "disp (has_result (sum (p_matrix ([1 2]) + 1)))"];
%! [status, output] = run_octave (code);
%! assert (output, "30 own 3 12 0\n");
%! assert (status, 0);
