## bytes = saved_p_matrix (format)
## A file of an earlier version: a cell with a matrix, under the name p_matrix, in the format "-text", "-binary" or
## "-hdf5".  What Octave writes for the cell is given the other name.
function bytes = saved_p_matrix (format)
  x = {[1.5 2; 3 -4]};
  name = tempname ();
  remove = onCleanup (@() delete (name));
  save (format, name, "x");
  file = fopen (name, "r");
  bytes = char (fread (file, Inf, "uint8=>uint8")');
  fclose (file);
  switch (format)
    case "-text"
      bytes = strrep (bytes, "# type: cell\n", "# type: p_matrix\n");
    case "-binary"
      bytes = strrep (bytes, [char([255 4 0 0 0]) "cell"], [char([255 8 0 0 0]) "p_matrix"]);
    case "-hdf5"
      bytes = renamed (bytes);
  endswitch
endfunction

## In HDF5 the name is a string of fixed length with an address: the longer name goes to the end of the file.
function bytes = renamed (bytes)
  number = @(value, count) char (bitand (bitshift (value, -8 * (0:count-1)), 255));
  at = strfind (bytes, ["cell" char(0)])(end) - 1;
  place = strfind (bytes, [number(at, 8) number(5, 8)])(1);
  bytes(place:place+15) = [number(numel (bytes), 8) number(9, 8)];
  ## The length stands in the description of the type, before the place.
  type = strfind (bytes(1:place), number (5, 4))(end);
  bytes(type:type+3) = number (9, 4);
  bytes = [bytes "p_matrix" char(0)];
  ## The end of the file, in its head.
  bytes(41:48) = number (numel (bytes), 8);
endfunction

%!function check (format)
%!  name = tempname ();
%!  remove = onCleanup (@() delete (name));
%!  file = fopen (name, "w");
%!  fwrite (file, saved_p_matrix (format));
%!  fclose (file);
%!  x = load (name).x;
%!  assert (class (x), "p_matrix");
%!  assert (full (x), [1.5 2; 3 -4]);
%!endfunction
%!test check ("-text")
%!test check ("-binary")
%!testif HAVE_HDF5
%! check ("-hdf5");
