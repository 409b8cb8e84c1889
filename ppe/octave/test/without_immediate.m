## restore = without_immediate ()
## Lets the engine record every operation, however little work it is, until the answer is cleared.
function restore = without_immediate ()
  before = p_config ("immediate");
  p_config ("immediate", false);
  restore = onCleanup (@() p_config ("immediate", before));
endfunction

%!test
%! restore = without_immediate ();
%! assert (has_result (p_matrix (ones (20)) + 1), false);
%! clear restore
%! assert (has_result (p_matrix (ones (20)) + 1), p_config ("immediate"));
