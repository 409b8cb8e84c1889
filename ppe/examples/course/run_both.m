## [plain, wrapped] = run_both (name)
## What the course script of that name prints with plain matrices, and with its inputs wrapped.
function [plain, wrapped] = run_both (name)
  script = str2func (name);
  plain = evalc ("script (@(x) x)");
  wrapped = evalc ("script (@p_matrix)");
endfunction

%!function check (name)
%!  [plain, wrapped] = run_both (name);
%!  assert (numel (ostrsplit (plain, "\n")) > 6);
%!  assert (wrapped, plain);
%!  assert (evalc (sprintf ("source ('%s')", which (name))), wrapped);
%!endfunction
%!test check ("regression")
%!test check ("components")
%!test check ("heat")
%!test check ("life")
%!test check ("pagerank")
