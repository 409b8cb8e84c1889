## x += y and its like, where a variable x would get another shape: Octave changes some matrices in place, and
## refuses that.  Every operator, every pair of classes, either side wrapped, the variable shared or not, and
## indexed.

%!function codes = operands (few)
%!  codes = {"ones (1, 3)", "ones (2, 3)", "single (ones (2, 3))", "true (1, 3)", "ones (3, 2)", "int8 (ones (2, 3))"};
%!  if (! few)
%!    codes = [codes, {"single (ones (1, 3))", "true (2, 3)", "5", "int8 (ones (1, 3))", "1i * ones (1, 3)", "1i * ones (2, 3)", ...
%!                     "sparse (ones (1, 3))", "1:3", "ones (2, 3, 2)", "eye (3)", "\"abc\"", "ones (0, 3)", "{1, 2, 3}"}];
%!  endif
%!endfunction
%!function tf = can_be_wrapped (x)
%!  tf = (isfloat (x) || islogical (x)) && isreal (x) && ! issparse (x) && ndims (x) == 2;
%!endfunction
## The value of x afterwards, or the error, as text.  FIRST and SECOND make the operands.
%!function text = after (statement, first, second, wrap_first, wrap_second)
%!  x = y = [];
%!  try
%!    ## Computed here, so that nothing else has the matrix.
%!    eval (["y = " second ";"]);
%!    if (wrap_second)
%!      y = p_matrix (y);
%!    endif
%!    if (wrap_first)
%!      eval (["x = p_matrix (" first ");"]);
%!    else
%!      eval (["x = " first ";"]);
%!    endif
%!    eval ([statement ";"]);
%!    if (isa (x, "p_matrix"))
%!      x = full (x);
%!    endif
%!    text = [class(x) " " mat2str(size (x)) " " mat2str(issparse (x)) " " num2str(full (double (x(:).')))];
%!  catch failure
%!    text = [failure.identifier " " failure.message];
%!  end_try_catch
%!endfunction

%!function code = full_code (code, wrapped)
%!  if (wrapped && any (strcmp (code, {"1:3", "eye (3)"})))
%!    code = ["full (" code ") + 0"];
%!  endif
%!endfunction

%!test
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! warning ("off", "all");
%! refused = 0;
%! for operator = {"+=", "-=", "*=", "/=", "\\=", "^=", ".*=", "./=", ".\\=", ".^=", "|=", "&="}
%!   for form = {"x OP y", "z = x; x OP y", "x(1,:) OP y", "x(:) OP y"}
%!     statement = strrep (form{1}, "OP", operator{1});
%!     for a = operands (! strcmp (form{1}, "x OP y"))
%!       for b = operands (! strcmp (form{1}, "x OP y"))
%!         expected = after (statement, a{1}, b{1}, false, false);
%!         refused += ! isempty (strfind (expected, "=: nonconformant"));
%!         for choice = 1:3
%!           if ((bitget (choice, 1) && ! can_be_wrapped (eval (a{1}))) || (bitget (choice, 2) && ! can_be_wrapped (eval (b{1}))))
%!             continue;
%!           endif
%!           ## A wrapped range or diagonal matrix is the full matrix.
%!           first = full_code (a{1}, bitget (choice, 1));
%!           second = full_code (b{1}, bitget (choice, 2));
%!           expected = after (statement, first, second, false, false);
%!           actual = after (statement, first, second, bitget (choice, 1), bitget (choice, 2));
%!           if (! strcmp (actual, expected))
%!             error ("%s, x = %s, y = %s, %d: %s instead of %s", statement, a{1}, b{1}, choice, actual, expected);
%!           endif
%!         endfor
%!       endfor
%!     endfor
%!   endfor
%! endfor
%! assert (refused > 50);

%!error <\-=: nonconformant arguments \(op1 is 1x3, op2 is 2x3\)> x = p_matrix (ones (1, 3)); x -= ones (2, 3);
%!error <\+=: nonconformant arguments \(op1 is 1x3, op2 is 2x3\)> x = ones (1, 3); x += p_matrix (ones (2, 3));
%!error id=Octave:nonconformant-args x = p_matrix (ones (1, 3)); x .*= ones (2, 3);

## Recorded, where it fits.
%!test
%! x = zeros (2, 3);
%! x += p_matrix ([1 2 3]) + 1;
%! x .*= [1; 2];
%! assert (has_result (x), false);
%! assert (full (x), [2 3 4; 4 6 8]);
%! ## Another variable has the matrix as well: Octave makes a new matrix.
%! x = p_matrix ([1 2 3]);
%! y = x;
%! x += [0; 1];
%! assert (full (x), [1 2 3; 2 3 4]);

## Text is no operand that changes a variable in place: the result is broadcast, and one warning tells of the
## conversion.
%!test
%! warning ("on", "Octave:str-to-num", "local");
%! for statement = {"x += char (1:4)", "x -= \"ab\"", "x .*= [\"a\"; \"b\"]", "x |= \"abc\"", "x .^= char (1:3)"}
%!   x = [2; 3];
%!   plain_text = evalc ([statement{1} ";"]);
%!   expected = x;
%!   x = p_matrix ([2; 3]);
%!   text = evalc ([statement{1} ";"]);
%!   assert (full (x), expected);
%!   assert (numel (strfind (text, "implicit conversion")), numel (strfind (plain_text, "implicit conversion")));
%! endfor

## Lists of indices, which Octave keeps in a type of its own, are added to, and grow, in a new matrix.
%!function text = with_index_list (make, statement, first)
%!  c = first (ones (4));
%!  c(1) = 2;
%!  a = first ([3 1 2; 4 6 5]);
%!  eval (make);
%!  try
%!    eval (statement);
%!    text = [mat2str(full (double (c))) mat2str(full (double (h)))];
%!  catch failure
%!    text = failure.message;
%!  end_try_catch
%!endfunction
%!test
%! for make = {"[~, h] = sort (a);", "h = find (a(1,:));", "[h, j, v] = find (a);", "[~, h] = sort (a); h(1) = 2;", "[~, h] = sort (a); h = h + 0;", "[~, h] = max (a);", "[~, h] = sort (a(1,:));"}
%!   for statement = {"c .*= h;", "c += h;", "c ./= h;", "c -= h;", "h += c;", "h += [1; 2; 3];", "h -= ones (2, 3);"}
%!     assert (with_index_list (make{1}, statement{1}, @p_matrix), with_index_list (make{1}, statement{1}, @(x) x));
%!   endfor
%! endfor

## A matrix that is made of a variable does not share the variable: the variable still cannot grow in place.
%!error <\+=: nonconformant arguments \(op1 is 1x2, op2 is 2x2\)> b = p_matrix ([0.1, 0]); b += [b; b];
%!error <\-=: nonconformant arguments \(op1 is 1x2, op2 is 2x2\)> b = p_matrix ([0.1, 0]); c = [b; b]; b -= c;
%!test
%! b = p_matrix ([0.1, 0]);
%! c = [b; b];
%! b(1) = 7;
%! assert (full (c), [0.1, 0; 0.1, 0]);
%! assert (full (b), [7, 0]);
