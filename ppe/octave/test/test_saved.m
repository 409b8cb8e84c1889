## Damaged files of saved values: no file ends the process, takes memory without bounds, or gives a value that
## does not work.  FUZZ_INPUTS sets the number of files of each format (default 30).
##
## Octave's own loader reads the matrix.  A file that ends a process with the package is loaded once more by an Octave
## without it, where the value is a plain cell: if this Octave ends as well, the fault is not the package's.

%!function loads_damaged (format)
%!  folder = tempname ();
%!  mkdir (folder);
%!  remove = onCleanup (@() remove_all (folder));
%!  inputs = str2double (getenv ("FUZZ_INPUTS"));
%!  if (isnan (inputs))
%!    inputs = 30;
%!  endif
%!  first = 1;
%!  while (first <= inputs)
%!    last = min (first + 9999, inputs);
%!    code = sprintf ("addpath (\"%s\"); load_damaged (\"%s\", %d, %d, \"%s\");\n", fileparts (which ("load_damaged")), ...
%!                    format, first, last, folder);
%!    ## Four gigabytes of addresses, of which Octave's libraries have one.
%!    [status, output] = run_octave (code, "OPENBLAS_NUM_THREADS=1 PMATRIX_MEUS=2 prlimit --as=4294967296", 600);
%!    done = ! isempty (regexp (output, ' accepted, [1-9]\d* refused', "once"));
%!    ## The HDF5 library may fail when it closes damaged files at the end of the process.
%!    if (status == 0 || (done && strcmp (format, "-hdf5")))
%!      assert (done, true, output);
%!      first = last + 1;
%!    else
%!      seed = str2double (fileread (fullfile (folder, "seed")));
%!      what = sprintf ("%s file of seed %d: status %d\n%s", format, seed, status, output);
%!      assert (status > 128 && ends_plain_octave (folder), true, what);
%!      first = seed + 1;
%!    endif
%!  endwhile
%!endfunction
%!function remove_all (folder)
%!  cellfun (@(name) delete (fullfile (folder, name)), {"seed", "damaged"});
%!  rmdir (folder);
%!endfunction
%!function ends = ends_plain_octave (folder)
%!  name = fullfile (folder, "damaged");
%!  file = fopen (name, "r");
%!  bytes = char (fread (file, Inf, "uint8=>uint8")');
%!  fclose (file);
%!  bytes = strrep (bytes, [char([255 8 0 0 0]) "p_matrix"], [char([255 4 0 0 0]) "cell"]);
%!  bytes = strrep (strrep (bytes, "# type: p_matrix", "# type: cell"), ["p_matrix" char(0)], ["cell" char(zeros (1, 5))]);
%!  file = fopen (name, "w");
%!  fwrite (file, bytes);
%!  fclose (file);
%!  status = run_octave (sprintf ("load (\"%s\");", name), "OCTAVE_VERSION_INITFILE=/dev/null prlimit --as=4294967296");
%!  ends = status > 128;
%!endfunction

%!test loads_damaged ("-text")
%!test loads_damaged ("-binary")
%!testif HAVE_HDF5
%! loads_damaged ("-hdf5");
