## difference = loop_difference (expected, actual)
## How far outputs are from expected outputs: the largest relative difference of elements, Inf for another
## class, size or NaN.
function difference = loop_difference (expected, actual)
  difference = 0;
  for k = 1:numel (expected)
    e = expected{k};
    a = actual{k};
    if (! strcmp (class (e), class (a)) || ! size_equal (e, a) || ! isequal (isnan (e), isnan (a)))
      difference = Inf;
    elseif (! isempty (e))
      e = double (e(! isnan (e)))(:);
      a = double (a(! isnan (a)))(:);
      differ = a != e;
      distances = abs (a(differ) - e(differ));
      difference = max ([difference; distances / max([abs(e); realmin])]);
      ## An infinite element is compared exactly: the distance of others to it is infinite, or no number.
      if (any (! isfinite (distances)))
        difference = Inf;
      endif
    endif
  endfor
endfunction

%!assert (loop_difference ({[1 2], true}, {[1 2], true}), 0)
%!assert (loop_difference ({[1 2]}, {[1 4]}), 1)
%!assert (loop_difference ({[1 2]}, {[1; 2]}), Inf)
%!assert (loop_difference ({[1 2]}, {single([1 2])}), Inf)
%!assert (loop_difference ({[1 NaN]}, {[1 2]}), Inf)
%!assert (loop_difference ({[NaN 0 Inf]}, {[NaN 0 Inf]}), 0)
%!assert (loop_difference ({[1 Inf]}, {[1 -Inf]}), Inf)
%!assert (loop_difference ({[1 Inf]}, {[1 2]}), Inf)
