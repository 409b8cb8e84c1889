## compare_complex (roots, sides, classes)
## Compares calls of functions (complex_calls) with matrices that turn out to be complex, with p_matrix and
## with plain Octave.  `roots` are functions of one matrix whose results are complex where the matrix is
## negative, `sides` rows of sizes, `classes` names.  The complex matrix is pending or computed, and its
## operand has a name or no name; something else may be computed in between.  An error names all differences.
function compare_complex (roots, sides, classes)
  state = warning ();
  restore = onCleanup (@() warning (state));
  warning ("off", "all");
  texts = {};
  for root = roots
    for side = sides'
      for type = classes
        x = cast (reshape (mod (7 * (1:prod (side)), 11) - 5, side'), type{1});
        x(1) = -4;
        plain = root{1} (x / 8);
        for f = complex_calls ()
          expected = outcome (f{1}, plain, x);
          for made = {@in_place, @named, @cleared, @after_something_else, @computed, @complex_at_once}
            y = made{1} (root{1}, x);
            actual = outcome (f{1}, y, p_matrix (x));
            text = difference_of_outcomes (expected, actual);
            if (! isempty (text))
              texts{end+1} = sprintf ("%s of %s (%dx%d %s), %s: %s", func2str (f{1}), func2str (root{1}), side, type{1}, ...
                                      func2str (made{1}), text);
            endif
          endfor
        endfor
      endfor
    endfor
  endfor
  if (! isempty (texts))
    error ("%d differences\n%s", numel (texts), strjoin (texts(1:min (end, 40)), "\n"));
  endif
endfunction

function y = in_place (root, x)
  y = root (p_matrix (x) / 8);
endfunction

function y = named (root, x)
  a = p_matrix (x) / 8;
  y = root (a);
  b = a + 1;
  b(1);
endfunction

function y = cleared (root, x)
  a = p_matrix (x);
  b = a / 4;
  y = root (b / 2);
  clear a b
  c = p_matrix (x) + 1;
  c(1);
endfunction

## The operands of the roots have no name, two deep, when another value is computed.
function y = after_something_else (root, x)
  a = p_matrix (x);
  y = root ((a * 2) / 16);
  z = abs (root ((-a) / 4));
  q = a + 1;
  q(1);
  z(1);
endfunction

function y = computed (root, x)
  y = root (p_matrix (x) / 8);
  p_wait (y);
endfunction

function y = complex_at_once (root, x)
  y = p_matrix (root (x / 8));
endfunction

## Values are equal within the rounding of their functions, and errors are equal.
function text = difference_of_outcomes (expected, actual)
  text = "";
  if (! isequal (expected.message, actual.message))
    text = sprintf ("error '%s' instead of '%s'", actual.message, expected.message);
  elseif (isempty (expected.message))
    text = difference_within (expected.value, actual.value);
  endif
endfunction

function text = difference_within (expected, actual)
  text = "";
  if (iscell (expected) && iscell (actual) && size_equal (expected, actual))
    texts = cellfun (@difference_within, expected, actual, "UniformOutput", false);
    text = strjoin (texts(! cellfun (@isempty, texts)), "; ");
    return;
  endif
  if (isa (actual, "p_matrix"))
    actual = full (actual);
  endif
  if (! strcmp (class (expected), class (actual)))
    text = sprintf ("class %s instead of %s", class (actual), class (expected));
  elseif (issparse (expected) != issparse (actual))
    text = "sparse or not";
  elseif (! size_equal (expected, actual))
    text = sprintf ("size %s instead of %s", mat2str (size (actual)), mat2str (size (expected)));
  elseif (iscomplex (expected) != iscomplex (actual))
    text = sprintf ("complex: %d instead of %d", iscomplex (actual), iscomplex (expected));
  elseif (isfloat (expected))
    e = full (expected(:));
    a = full (actual(:));
    near = abs (e - a) <= 64 * eps (max (abs (e), max ([abs(e(isfinite (e))); 1])));
    same = near | (isnan (e) & isnan (a)) | (e == a);
    if (! all (same))
      k = find (! same, 1);
      text = sprintf ("%s instead of %s at %d", num2str (a(k), 17), num2str (e(k), 17), k);
    endif
  elseif (! isequal (expected, actual))
    text = "another value";
  endif
endfunction

## A function that tells a p_matrix from a plain matrix: differences are found and counted.
%!error <^[0-9]+ differences\n.* 1\+1i instead of 0\+1i at 1> compare_complex ({@(x) 1i + isa (x, "p_matrix")}, [1 1], {"double"})
%!error <isreal .* another value> compare_complex ({@(x) merge (isa (x, "p_matrix"), full (x), 1i * full (x))}, [1 1], {"double"})
