## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## Writes the struct that p_profile gives, and the timeline, to a file: a page, a picture, or a timeline for
## other programs, by the end of its name.
function profile_export (s, file)
  if (! ischar (file) || isempty (file))
    error ("pmatrix:argument", "p_profile: FILE must be the name of a file");
  endif
  if (isempty (regexp (file, '\.html?$', "once")))
    __pm__ ("save timeline", make_absolute_filename (file));
    return;
  endif
  picture = [tempname(), ".svg"];
  remove = onCleanup (@() delete_if_there (picture));
  __pm__ ("save timeline", picture);
  page = profile_page (s, fileread (picture));
  ## A reader of the file sees the old page or the new one.
  beside = [file, ".new"];
  [id, message] = fopen (beside, "w");
  if (id < 0)
    error ("pmatrix:file", "p_profile: %s: %s", file, message);
  endif
  written = fputs (id, page);
  closed = fclose (id);
  [status, message] = rename (beside, file);
  if (written != 0 || closed != 0 || status != 0)
    error ("pmatrix:file", "p_profile: %s: it cannot be written", file);
  endif
endfunction

function delete_if_there (file)
  if (exist (file, "file"))
    delete (file);
  endif
endfunction
