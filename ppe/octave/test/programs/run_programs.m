## failed = run_programs (count, seed, first, shadow)
## Compares so many random programs, from the number first on, run plain and run with their sources wrapped,
## and prints each difference with a program as small as can be found.  failed counts the programs that differ
## in a way that documented_differences does not name.
function failed = run_programs (count, seed, first = 1, shadow = "")
  batch = 200;
  most_shrunk = 12;
  documented = documented_differences ();
  explained = zeros (1, rows (documented));
  total = struct ("statements", 0, "wrapped", 0, "crashes", 0);
  kinds = {};
  failed = 0;
  for from = first:batch:first+count-1
    numbers = from:min (from + batch, first + count) - 1;
    result = program_differences (num2cell ([repmat(seed, numel (numbers), 1), numbers'], 2)', shadow);
    total.statements += sum (cellfun (@numel, {result.lines}));
    total.wrapped += sum ([result.wrapped]);
    for k = 1:numel (result)
      if (! isempty (result(k).crash))
        total.crashes += 1;
        printf ("program %d of seed %d ends Octave itself: %s\n", numbers(k), seed, result(k).crash);
      endif
      if (isempty (result(k).text))
        continue;
      endif
      reason = explanation (documented, result(k));
      if (reason > 0)
        explained(reason) += 1;
        continue;
      endif
      failed += 1;
      kind = difference_kind (result(k).text);
      again = any (strcmp (kinds, kind));
      kinds{end+1} = kind;
      report (result(k), seed, numbers(k), ! again && numel (unique (kinds)) <= most_shrunk, shadow);
    endfor
    printf ("%d programs, %d statements, %d p_matrix values at their ends, %d differ\n", numbers(end) - first + 1, total.statements, ...
            total.wrapped, failed);
    fflush (stdout);
  endfor
  for k = find (explained)
    printf ("%d documented: %s\n", explained(k), documented{k,3});
  endfor
  if (total.wrapped < count / 2)
    error ("run_programs: only %d p_matrix values at the ends of %d programs: the wrapped programs are not wrapped", total.wrapped, count);
  endif
endfunction

## A difference of a kind that was seen before is only named.
function report (result, seed, number, shrink, shadow)
  printf ("program %d of seed %d differs: %s\n", number, seed, result.text);
  if (shrink)
    fflush (stdout);
    [lines, text] = shrink_program (result.lines, result.text, shadow);
    printf ("## %s\n%s", strrep (text, "\n", "\n## "), program_script (lines, text));
  elseif (result.step > 0)
    printf ("  %s\n", result.lines{result.step});
  else
    name = regexp (result.text, '^\w+', "match", "once");
    mentions = ! cellfun (@isempty, regexp (result.lines, ['\<' name '\>']));
    printf ("  %s\n", result.lines{mentions});
  endif
endfunction

## The row of the table that explains a difference, or 0.
function row = explanation (documented, result)
  lines = result.lines;
  if (result.step > 0)
    lines = lines(result.step);
  endif
  for row = 1:rows (documented)
    if (! isempty (regexp (result.text, documented{row,1}, "once")) && ! all (cellfun (@isempty, regexp (lines, documented{row,2}, "once"))))
      return;
    endif
  endfor
  row = 0;
endfunction

## A sample of what scripts/octave-programs compares.
%!test
%! assert (run_programs (150, 1), 0);

%!function folder = planted (name, body)
%!  folder = tempname ();
%!  mkdir (folder);
%!  file = fopen (fullfile (folder, [name ".m"]), "w");
%!  fprintf (file, "function r = %s (varargin)\n%s\nendfunction\n", name, body);
%!  fclose (file);
%!endfunction
%!function remove (folder, name)
%!  delete (fullfile (folder, [name ".m"]));
%!  rmdir (folder);
%!endfunction

## A wrong function is found, and the program that is printed is short.
%!test
%! folder = planted ("sum", "r = builtin (\"sum\", varargin{:}); if (numel (r) > 1) r(2) += 1; end");
%! clean = onCleanup (@() remove (folder, "sum"));
%! failed = 0;
%! text = evalc ("failed = run_programs (4, 1, 13, folder);");
%! assert (failed > 0);
%! script = regexp (text, "## plain\n(.*?)## wrapped\n(.*?)(?=\n\\d+ programs|\nprogram|$)", "tokens", "once");
%! assert (numel (strfind (script{2}, "\n")) <= 4);
%! assert (! isempty (regexp (script{2}, "sum|mean", "once")));
