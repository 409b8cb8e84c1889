## text = random_source (rows, columns)
## The text of a matrix that a program begins with, of a random shape or the given one.  What can be wrapped
## is mostly wrapped, P(...): P is p_matrix in the wrapped program and nothing but brackets in the plain one.
## Without a given shape one in five is of a kind that cannot be wrapped.
function text = random_source (r, c)
  if (nargin == 0)
    if (rand () < 0.2)
      text = joined_calls (pick (other_sources ()));
      return;
    endif
    [r, c] = random_shape ();
  endif
  text = joined_calls (real_source (r, c));
  if (rand () < 0.8)
    text = ["P(" text ")"];
  endif
endfunction

## Empty, scalar, small, around 8 x 8 = 64 elements (the limit of small operations), and around the sides of
## blocks.
function [r, c] = random_shape ()
  kind = rand ();
  if (kind < 0.07)
    shape = pick ({[0 0], [0 3], [3 0], [1 0], [0 1]});
  elseif (kind < 0.2)
    shape = [1 1];
  elseif (kind < 0.4)
    shape = pick ({[1 2], [1 3], [1 5], [2 1], [3 1], [5 1]});
  elseif (kind < 0.65)
    shape = pick ({[2 2], [2 3], [3 2], [3 3], [3 3], [4 4], [4 4]});
  elseif (kind < 0.93)
    shape = pick ({[7 7], [8 8], [8 9], [9 8], [9 9], [1 64], [1 65], [64 1], [65 1], [1 70], [70 1], [5 13], [13 5]});
  else
    shape = pick ({[64 2], [65 2], [2 66], [67 3], [3 68], [69 4], [70 5], [66 66], [68 68], [69 67], [137 3]});
  endif
  r = shape(1);
  c = shape(2);
endfunction

function text = real_source (r, c)
  n = r * c;
  if (n == 0)
    text = pick ({sprintf("zeros (%d, %d)", r, c), sprintf("zeros (%d, %d)", r, c), sprintf("true (%d, %d)", r, c), ...
                  sprintf("single (zeros (%d, %d))", r, c)});
    if (r + c == 0 && rand () < 0.6)
      text = "[]";
    endif
  elseif (n == 1)
    text = random_number ();
    kind = rand ();
    if (kind < 0.15)
      text = sprintf ("single (%s)", text);
    elseif (kind < 0.25)
      text = pick ({"true", "false"});
    endif
  elseif (n <= 9)
    numbers = cell (r, 1);
    for i = 1:r
      row = cell (1, c);
      for j = 1:c
        row{j} = random_number ();
      endfor
      numbers{i} = strjoin (row, " ");
    endfor
    text = ["[" strjoin(numbers, "; ") "]"];
    kind = rand ();
    if (kind < 0.15)
      text = sprintf ("single (%s)", text);
    elseif (kind < 0.3)
      text = sprintf ("(%s > 0)", regexprep (text, 'NaN', "3"));
    endif
  else
    period = pick ([3 5 7 11 13 17 29]);
    from = sprintf ("mod ((1:%d) * %d, %d)%s", n, pick ([2 4 8 16]), period, pick ({"", " - 1", " - 2", sprintf(" - %d", floor (period / 2))}));
    text = sprintf ("reshape (%s, %d, %d)", from, r, c);
    kind = rand ();
    if (kind < 0.15)
      text = sprintf ("single (%s)", text);
    elseif (kind < 0.3)
      text = sprintf ("(%s > 1)", text);
    elseif (kind < 0.5)
      text = [text, pick({" / 2", " / 4", " / 3", " * 0.1", " .^ 2", " * -1", " - 0.5"})];
    elseif (kind < 0.55)
      text = sprintf ("1 ./ (%s)", text);
    endif
  endif
endfunction

## Small numbers that sums and products keep exact, and now and then a number that makes trouble.
function text = random_number ()
  if (rand () < 0.75)
    text = sprintf ("%d", floor (rand () * 12) - 3);
  else
    text = pick ({"0", "-0", "NaN", "Inf", "-Inf", "0.5", "-0.5", "1.5", "-2.5", "0.1", "-4", "1e10", "100", "pi", "-9", "64"});
  endif
endfunction

function texts = other_sources ()
  texts = {"int32 ([1 -2 3])", "int8 (100)", "uint8 ([200 3; 4 5])", "int16 (magic (3))", "uint8 (7)", "\"abc\"", "'x'", "[\"ab\"; \"cd\"]", ...
           "[1+2i, 3]", "2i", "[1i; -1]", "single (1 - 2i)", "complex (magic (3), 1)", "sparse ([1 0 2; 0 0 3; 0 4 0])", "sparse (eye (4))", ...
           "sparse ([1 0 2])", "1:3", "1:5", "(1:3)'", "0:0.5:2", "3:-1:1", "eye (3)", "eye (4)", "eye (3, 4)", "2 * eye (3)", ...
           "eye (4)(:,[2 1 4 3])", "eye (3)([3 1 2],:)", "ones (2, 2, 2)", "reshape (1:12, 2, 3, 2)", "zeros (0, 3, 2)", "zeros (3, 3, 2) > 0", ...
           "single ([])", "\"\"", "{}", "{1, 2}", "{[1 2 3]}", "struct (\"x\", 3)", "NA", "-(1:4)", "int32 ([])"};
endfunction

%!test
%! rand ("twister", 3);
%! wrapped = 0;
%! for k = 1:300
%!   text = random_source ();
%!   wrapped += strncmp (text, "P(", 2);
%!   eval (["x = " regexprep(text, '^P', "") ";"]);
%! endfor
%! assert (wrapped > 100);
%!test
%! for shape = [0 0 1 2 9 70; 0 3 1 5 9 1]
%!   assert (size (eval (regexprep (random_source (shape(1), shape(2)), '^P', ""))), shape');
%! endfor
