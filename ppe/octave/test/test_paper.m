## The scripts that the paper prints.

%!test
%! % Matrix addition
%! x = p_matrix([1, 2; 3, 4]);
%! y = p_matrix([1, 2; 3, 4]);
%! z = x + y;
%! assert(!has_result(z));
%! assert(z, p_matrix([2, 4; 6, 8]));
%! assert(has_result(z));

%!test
%! A = [10 20 30; 40 50 70; 70 80 90];
%! A = p_matrix(A);
%! B = A + 5;
%! C = B;
%! clear A
%! assert (evalc ("disp(B(5));"), "55\n");
%! assert (has_result (C));

%!test
%! restore = without_immediate ();
%! A = p_matrix(rand(100));
%! i = 3;
%! B = A;
%! for k = 1:i-1
%!   B = B * A;
%! end
%! assert (! has_result (B));
%! plain = full (A) * full (A) * full (A);
%! assert (double (B), plain, 1e-12 * norm (plain));
%! assert (size (evalc ("disp(B);"), 2), size (evalc ("disp(plain);"), 2));

%!test
%! % the data flow of the example of block operations
%! a = p_matrix (3);
%! b = p_matrix (5);
%! c = p_matrix (2);
%! d = a + b;
%! e = a + c;
%! f = d .* e - e;
%! assert (full (f), 35);
%! f = d .* e - d;
%! assert (full (f), 32);
