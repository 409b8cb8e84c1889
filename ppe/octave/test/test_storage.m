## Saved and loaded again: a p_matrix of the same class, size and bits.

%!function round_trip (options, value)
%!  x = p_matrix (value);
%!  if (isfloat (value))
%!    x = x .* 1;
%!  endif
%!  name = tempname ();
%!  save (options{:}, name, "x");
%!  remove = onCleanup (@() delete (name));
%!  loaded = load (name);
%!  assert (class (loaded.x), "p_matrix");
%!  assert (difference (value, loaded.x), "");
%!endfunction

%!function values = samples ()
%!  values = {[1 2; 3 4], [NaN Inf -Inf 0 -0], 5, single([0.1 0.2]), single(0.1), true, [true false], [], zeros(0, 3), ...
%!            single(zeros (2, 0)), rand(50)};
%!endfunction

%!test
%! for value = samples ()
%!   round_trip ({"-text"}, value{1});
%!   round_trip ({"-binary"}, value{1});
%! endfor
%!testif HAVE_ZLIB
%! for value = samples ()
%!   round_trip ({"-text", "-zip"}, value{1});
%! endfor
%!testif HAVE_HDF5
%! for value = samples ()
%!   round_trip ({"-hdf5"}, value{1});
%! endfor

## A power that turned out to be complex.
%!test
%! x = p_matrix ([-4 4]) .^ 0.5;
%! expected = [-4 4] .^ 0.5;
%! name = tempname ();
%! save ("-binary", name, "x");
%! loaded = load (name);
%! delete (name);
%! assert (difference (expected, loaded.x), "");
%! assert (difference (expected + 1, loaded.x + 1), "");

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
