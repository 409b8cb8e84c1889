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

%!function round_trips (value)
%!  for options = {{"-text"}, {"-binary"}, {"-text", "-zip"}}
%!    round_trip (options{1}, value);
%!  endfor
%!  if (__octave_config_info__ ("build_features").HDF5)
%!    round_trip ({"-hdf5"}, value);
%!  endif
%!endfunction

%!test round_trips ([1 2; 3 4])
%!test round_trips ([NaN Inf -Inf 0])
%!test round_trips (5)
%!test round_trips (single ([0.1 0.2]))
%!test round_trips (single (0.1))
%!test round_trips (true)
%!test round_trips ([true false])
%!test round_trips ([])
%!test round_trips (zeros (0, 3))
%!test round_trips (rand (50))

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
