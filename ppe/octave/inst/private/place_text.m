## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## The line of a script, in words; "" when it is unknown.
function where = place_text (place)
  where = "";
  if (place.line > 0)
    where = sprintf ("line %d", place.line);
    if (! isempty (place.file))
      [~, name, extension] = fileparts (place.file);
      where = [where " of " name extension];
    endif
  endif
endfunction
