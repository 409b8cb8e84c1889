## load_damaged (format, first, last, folder)
## Loads damaged files of an earlier version's p_matrix, one for each seed from FIRST to LAST.  A file may be refused;
## what is loaded has to work.  The seed stands in FOLDER/seed, and the file is FOLDER/damaged, should the process end.
function load_damaged (format, first, last, folder)
  good = saved_p_matrix (format);
  name = fullfile (folder, "damaged");
  accepted = refused = 0;
  warning ("off", "all");
  for seed = first:last
    write (fullfile (folder, "seed"), sprintf ("%d", seed));
    write (name, damaged (good, seed));
    try
      loaded = load (name);
    catch
      refused++;
      continue;
    end_try_catch
    accepted++;
    if (isstruct (loaded))
      cellfun (@use, struct2cell (loaded));
    endif
  endfor
  printf ("%s: %d accepted, %d refused\n", format, accepted, refused);
endfunction

## What has been loaded is a matrix like all others.
function use (x)
  if (! strcmp (class (x), "p_matrix") || numel (x) > 1e6)
    return;
  endif
  elements = full (x);
  assert (size (elements), size (x));
  assert (any (strcmp (class (elements), {"double", "single", "logical"})));
  assert (full ([x, x] + 1), [elements, elements] + 1);
  assert (full (x(:)), elements(:));
endfunction

function write (name, bytes)
  file = fopen (name, "w");
  fwrite (file, bytes);
  fclose (file);
endfunction

## Up to five changes: bytes, bits, pieces that loaders look for, repeated and missing parts.
function bytes = damaged (bytes, seed)
  rand ("twister", seed);
  below = @(n) floor (rand () * n);
  pieces = {"", "0", "-1", "3", "99999", "9999999999", "NaN", "1e999", "\n", "# ", "p_matrix", "cell", "matrix", "float matrix", ...
            "bool matrix", "complex matrix", "string", "struct", "sparse matrix", "range", "<cell-element>", "# columns: 0\n", ...
            char(zeros (1, 4)), char(255 * ones (1, 4)), char([2 0 0 0])};
  for change = 1:below (6)
    at = 1 + below (numel (bytes));
    to = min (at + below (20), numel (bytes));
    switch (below (6))
      case 0
        bytes(at) = char (below (256));
      case 1
        bytes(at) = char (bitxor (double (bytes(at)), 2 ^ below (8)));
      case 2
        bytes(at:to) = [];
      case 3
        bytes = [bytes(1:at), repmat(bytes(at:to), 1, 1 + below (3)), bytes(at+1:end)];
      case 4
        bytes = [bytes(1:at), pieces{1 + below(numel (pieces))}, bytes(at+1:end)];
      case 5
        piece = pieces{1 + below(numel (pieces))};
        bytes(at:min (at + numel (piece) - 1, end)) = piece(1:min (end, numel (bytes) - at + 1));
    endswitch
    if (isempty (bytes))
      return;
    endif
  endfor
endfunction
