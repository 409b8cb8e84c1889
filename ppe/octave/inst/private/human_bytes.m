## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## A number of bytes in a unit that fits.
function text = human_bytes (bytes)
  units = {"bytes", "kB", "MB", "GB", "TB"};
  i = 1;
  while (i < numel (units) && bytes >= 999.5)
    bytes /= 1000;
    i++;
  endwhile
  text = sprintf ("%.3g %s", bytes, units{i});
endfunction
