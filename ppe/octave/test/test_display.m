## A p_matrix looks like the matrix that it stands for.

%!function same_text (value)
%!  x = value;
%!  shown = {evalc("x"), evalc("disp (x)"), evalc("display (x)"), evalc("x(:)"), disp(x)};
%!  x = p_matrix (value);
%!  assert ({evalc("x"), evalc("disp (x)"), evalc("display (x)"), evalc("x(:)"), disp(x)}, shown);
%!  if (isfloat (value))
%!    x = p_matrix (value) .* 1;
%!    assert ({evalc("x"), evalc("disp (x)"), evalc("display (x)"), evalc("x(:)"), disp(x)}, shown);
%!  endif
%!endfunction

%!test same_text (magic (4))
%!test same_text (5)
%!test same_text (-0)
%!test same_text (pi)
%!test same_text ([1.5 NaN Inf; 0 1e10 -3])
%!test same_text ([])
%!test same_text (zeros (0, 3))
%!test same_text (single (0.1))
%!test same_text (single ([0.1 200]))
%!test same_text (true)
%!test same_text ([true false; false true])
%!test same_text (rand (3, 40))
%!test same_text ((1:5)')

%!test
%! p = p_matrix ([1 2.5; 3 4]);
%! assert (sprintf ("%g,", p), "1,3,2.5,4,");
%! assert (mat2str (p), "[1 2.5;3 4]");
%! assert (num2str (p), num2str ([1 2.5; 3 4]));
%! assert (evalc ("printf (\"%d\\n\", p)"), evalc ("printf (\"%d\\n\", [1 2.5; 3 4])"));
%! assert (evalc ("fdisp (stdout, p)"), evalc ("fdisp (stdout, [1 2.5; 3 4])"));
%! assert (int2str (p), int2str ([1 2.5; 3 4]));

## A struct that holds one shows it.
%!test
%! s.x = p_matrix ([1 2]);
%! t.x = [1 2];
%! assert (evalc ("disp (s)"), evalc ("disp (t)"));
