## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## 1234567 as 1,234,567.
function text = grouped (n)
  text = regexprep (sprintf ("%d", n), '(\d)(?=(\d{3})+$)', '$1,');
endfunction
