## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} p_info (@var{X})
## @deftypefnx {} {} p_info (@var{X})
## What is known of a p_matrix without computing it: a struct, or without output argument a line of text.
##
## @table @asis
## @item class, size
## of its elements
## @item has_result
## whether they have been computed
## @item operations
## how many operations are pending below it, its own included
## @item bytes
## bytes of their results
## @item file, line
## where it was recorded; empty and 0 when that is not known, or the value has its result
## @end table
##
## @example
## @group
## z = p_matrix (rand (100)) * 2 + 1;
## p_info (z).operations   @result{} 2
## p_info (z)
##      @result{} 100x100 double, pending: 2 operations, 160000 bytes
## @end group
## @end example
## @seealso{has_result, p_profile, p_wait}
## @end deftypefn

function s = p_info (X)
  if (nargin != 1)
    print_usage ();
  endif
  information = __pm__ ("information", X);
  if (nargout > 0)
    s = information;
    return;
  endif
  printf ("%dx%d %s, ", information.size, information.class);
  if (information.has_result)
    puts ("computed\n");
    return;
  endif
  printf ("pending: %d operations, %d bytes", information.operations, information.bytes);
  if (information.line > 0 && ! isempty (information.file))
    printf (", recorded at line %d of %s", information.line, information.file);
  elseif (information.line > 0)
    printf (", recorded at line %d", information.line);
  endif
  puts ("\n");
endfunction

%!demo
%! z = p_matrix (rand (100)) * 2 + 1;
%! p_info (z)
%! z(1);
%! p_info (z)

%!test
%! before = p_config ("immediate");
%! p_config ("immediate", false);
%! unwind_protect
%!   a = p_matrix (ones (20));
%!   z = (a + 1) .* (a - 1);
%!   s = p_info (z);
%!   assert (s.class, "double");
%!   assert (s.size, [20 20]);
%!   assert (s.operations, 3);
%!   assert (s.bytes, 3 * 3200);
%!   assert (has_result (z), false);
%!   z(1);
%!   assert (p_info (z).operations, 0);
%!   assert (p_info (z).has_result, true);
%!   assert (p_info (z).line, 0);
%! unwind_protect_cleanup
%!   p_config ("immediate", before);
%! end_unwind_protect

%!test
%! z = single (2) * (p_matrix ([1 2; 3 4]) + 1);
%! z = z .* z;
%! assert (p_info (z).operations, 3);
%! assert (p_info (z).class, "single");
%! assert (has_result (z), false);
%! assert (evalc ("p_info (z)"), "2x2 single, pending: 3 operations, 64 bytes\n");
%! z(1);
%! assert (evalc ("p_info (z)"), "2x2 single, computed\n");
%!error <Invalid call> p_info ()
%!error <must be a p_matrix, not a matrix> p_info ([1 2])
