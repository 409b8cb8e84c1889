## A saved p_matrix is Octave's own matrix: it can be loaded without the package, with its class, size and
## bits.

%!function s = samples ()
%!  s = struct ("real", [1 2; 3 4], "special", [NaN Inf -Inf 0 -0], "number", 5, "single_matrix", single ([0.1 0.2]), ...
%!              "single_number", single (0.1), "yes", true, "logical_matrix", [true false], "empty", [], "no_rows", zeros (0, 3), ...
%!              "no_columns", single (zeros (2, 0)), "large", reshape (1:2500, 50, 50) / 7);
%!endfunction
## The variables, alone and inside a structure and a cell, loaded here and by an Octave without the package.
%!function round_trip (options)
%!  plain = samples ();
%!  plain.in_struct = struct ("a", struct ("b", [1 2]));
%!  plain.in_cell = {[1; 2], {single(3)}};
%!  lazy = structfun (@(x) pending (x), samples (), "UniformOutput", false);
%!  lazy.in_struct = struct ("a", struct ("b", pending ([1 2])));
%!  lazy.in_cell = {pending([1; 2]), {pending(single (3))}};
%!  names = {tempname(), tempname()};
%!  remove = onCleanup (@() cellfun (@(name) delete (name), names));
%!  save (options{:}, names{1}, "-struct", "plain");
%!  save (options{:}, names{2}, "-struct", "lazy");
%!  same (load (names{1}), load (names{2}));
%!  code = sprintf (["a = load (\"%s\"); b = load (\"%s\"); printf (\"%%d%%d\", exist (\"p_matrix\"), isequaln (a, b));\n" ...
%!                   "printf (\"%%d\", isequal (structfun (@typeinfo, a, \"UniformOutput\", false), " ...
%!                   "structfun (@typeinfo, b, \"UniformOutput\", false)));"], names{:});
%!  code = strrep (code, "isequaln (a, b)", "isequal (disp (a), disp (b))");
%!  [status, output] = run_octave (code, "OCTAVE_VERSION_INITFILE=/dev/null");
%!  assert (status, 0);
%!  assert (output, "011");
%!endfunction
%!function x = pending (x)
%!  x = p_matrix (x);
%!  if (isfloat (x))
%!    x = x .* 1;
%!  endif
%!endfunction
%!function same (a, b)
%!  for name = fieldnames (a)'
%!    x = a.(name{1});
%!    y = b.(name{1});
%!    assert (class (y), class (x));
%!    if (isstruct (x))
%!      same (x, y);
%!    elseif (iscell (x))
%!      same (struct ("a", x{1}), struct ("a", y{1}));
%!    else
%!      assert (difference (x, y), "");
%!    endif
%!  endfor
%!endfunction

%!test round_trip ({"-text"})
%!test round_trip ({"-binary"})
%!test round_trip ({"-v6"})
%!testif HAVE_ZLIB
%! round_trip ({"-text", "-zip"});
%! round_trip ({"-mat7-binary"});
%!testif HAVE_HDF5
%! round_trip ({"-hdf5"});

## Saving computes what is pending, and no more is left of the p_matrix than its elements.
%!test
%! x = p_matrix ([1 2]) + 1;
%! name = tempname ();
%! save ("-text", name, "x");
%! text = fileread (name);
%! delete (name);
%! assert (has_result (x), true);
%! assert (isempty (strfind (text, "p_matrix")), true);
%! assert (isempty (strfind (text, "# type: matrix")), false);

## A power that turned out to be complex.
%!test
%! x = p_matrix ([-4 4]) .^ 0.5;
%! expected = [-4 4] .^ 0.5;
%! name = tempname ();
%! save ("-binary", name, "x");
%! loaded = load (name);
%! delete (name);
%! assert (difference (expected, loaded.x), "");

## Files of earlier versions: a cell with the matrix, under the name p_matrix.
%!function loaded = load_bytes (bytes)
%!  name = tempname ();
%!  remove = onCleanup (@() delete (name));
%!  file = fopen (name, "w");
%!  fwrite (file, bytes);
%!  fclose (file);
%!  loaded = load (name);
%!endfunction
%!test
%! text = ["# name: x\n# type: p_matrix\n# rows: 1\n# columns: 1\n# name: <cell-element>\n# type: float matrix\n# rows: 1\n" ...
%!         "# columns: 2\n 1 2.5\n\n\n\n\n"];
%! x = load_bytes (text).x;
%! assert (class (x), "p_matrix");
%! assert (full (x), single ([1 2.5]));
%!test
%! x = {[1 2; 3 4]};
%! name = tempname ();
%! save ("-binary", name, "x");
%! bytes = char (fread (fopen (name), Inf, "uint8")');
%! delete (name);
%! bytes = strrep (bytes, char ([255 4 0 0 0 "cell"]), char ([255 8 0 0 0 "p_matrix"]));
%! x = load_bytes (bytes).x;
%! assert (class (x), "p_matrix");
%! assert (full (x), [1 2; 3 4]);

## The file written by fwrite holds the elements.
%!test
%! name = tempname ();
%! file = fopen (name, "w");
%! fwrite (file, p_matrix ([1 2; 3 4]) + 1, "double");
%! fclose (file);
%! file = fopen (name, "r");
%! read = fread (file, [2 2], "double");
%! fclose (file);
%! delete (name);
%! assert (read, [2 3; 4 5]);
