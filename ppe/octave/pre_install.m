## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## pkg install calls this before it compiles, which it does in silence.
function pre_install (desc)
  printf ("%s %s: compiling for Octave %s takes about half a minute on two idle processors ...\n", desc.name, desc.version, version ());
  fflush (stdout);
endfunction
