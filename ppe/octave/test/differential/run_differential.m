## failed = run_differential (names, sample, seed)
## The differential test of the operations with these names, or of all operations when there are no names.
## Each operation runs on a random sample of operand sets, of the size `sample` (Inf for all).  Prints how
## each operation fared and the sums; `failed` counts the differences.
function failed = run_differential (names = {}, sample = Inf, seed = 1)
  ## Octave warns of singular matrices in both runs.
  state = warning ();
  restore = onCleanup (@() warning (state));
  warning ("off", "all");
  if (isfinite (sample))
    printf ("  differential test: at most %d operand sets an operation, seed %d\n", sample, seed);
  endif
  table = operation_table ();
  if (! isempty (names))
    unknown = setdiff (names, {table.name});
    if (! isempty (unknown))
      error ("run_differential: unknown operation %s; there are: %s", unknown{1}, strjoin ({table.name}, "  "));
    endif
    table = table(ismember ({table.name}, names));
  endif

  rand ("twister", seed);
  total = struct ("compared", 0, "lazy", 0, "fallback", 0, "direct", 0, "limits", 0, "failed", 0);
  known = struct ();
  printf ("  %-24s %8s %8s %8s %8s %8s %8s\n", "operation", "compared", "lazy", "fallback", "direct", "limits", "differ");
  for i = 1:numel (table)
    family = strrep (table(i).family, " ", "_");
    if (! isfield (known, family))
      known.(family) = operand_sets (table(i).family);
    endif
    sets = known.(family);
    if (numel (sets) > sample)
      sets = sets(randperm (numel (sets), sample));
    endif
    count = compare_operation (table(i), sets);
    differ = numel (count.failures);
    printf ("  %-24s %8d %8d %8d %8d %8d %8d\n", table(i).name, count.compared, count.lazy, count.fallback, count.direct, ...
            count.limits, differ);
    if (differ > 0)
      printf ("    %s\n", count.failures{1:min (end, 8)});
    endif
    fflush (stdout);
    for field = {"compared", "lazy", "fallback", "direct", "limits"}
      total.(field{1}) += count.(field{1});
    endfor
    total.failed += differ;
  endfor
  printf ("  %-24s %8d %8d %8d %8d %8d %8d\n", "all", total.compared, total.lazy, total.fallback, total.direct, total.limits, ...
          total.failed);
  failed = total.failed;
endfunction

## A sample of everything; scripts/differential runs it all.  The seed of a failure is printed.
%!test
%! seed = mod (floor (now () * 86400), 1e6);
%! assert (run_differential ({}, 10, seed), 0);
%!error <unknown operation no_such> run_differential ({"no_such"})
