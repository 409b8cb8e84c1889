## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## A time in a unit that fits.
function text = human_time (seconds)
  units = {"s", "ms", "us"};
  i = 1;
  while (i < numel (units) && seconds < 0.9995 && seconds > 0)
    seconds *= 1000;
    i++;
  endwhile
  text = sprintf ("%.3g %s", seconds, units{i});
  if (seconds >= 1000)
    text = sprintf ("%.0f %s", seconds, units{i});
  endif
endfunction
