## [passed, failed, inapplicable] = run_suite (chosen, explained)
## Runs the test blocks that come with the installed Octave, for the operators and functions that a p_matrix
## has.  Each block runs once as it is, and once with each matrix that it writes down wrapped.  No test of
## Octave's is kept: tests are read where they are installed.
##
## A block counts as not applicable when it names none of the functions, writes down no matrix, is about
## classes that cannot be wrapped, or does not pass as it is.  explained is a cell of {pattern of the block,
## pattern of the failure, reason}: a block that fails and matches both patterns is counted as not applicable,
## and the reason is printed.
function [passed, failed, inapplicable] = run_suite (chosen = {}, explained = suite_differences ())
  files = suite_files (chosen);
  folder = tempname ();
  mkdir (folder);
  clean = onCleanup (@() remove_folder (folder));
  shadow_assert (folder);
  state = warning ();
  restore = onCleanup (@() warning (state));
  warning ("off", "all");
  addpath (folder);
  off_path = onCleanup (@() rmpath (folder));

  passed = failed = inapplicable = 0;
  reasons = zeros (1, rows (explained));
  printf ("%-24s %8s %8s %8s\n", "test file", "passed", "failed", "not applicable");
  for file = files
    [~, name] = fileparts (file{1});
    count = [0, 0, 0];
    [blocks, functions] = blocks_of (file{1});
    for i = 1:numel (blocks)
      wrapped = wrap_literals (blocks{i});
      if (! applies (blocks{i}) || strcmp (wrapped, blocks{i}) || ! passes (folder, [functions, blocks{i}]))
        count(3) += 1;
        continue;
      endif
      [ok, text] = passes (folder, [functions, wrapped]);
      if (ok)
        count(1) += 1;
        continue;
      endif
      known = find (matches (blocks{i}, explained(:,1)) & matches (text, explained(:,2)), 1);
      if (isempty (known))
        count(2) += 1;
        printf ("%s\n", wrapped, text);
      else
        count(3) += 1;
        reasons(known) += 1;
      endif
    endfor
    printf ("%-24s %8d %8d %8d\n", name, count);
    fflush (stdout);
    passed += count(1);
    failed += count(2);
    inapplicable += count(3);
  endfor
  printf ("%-24s %8d %8d %8d\n", "all", passed, failed, inapplicable);
  for k = find (reasons)
    printf ("%4d not applicable: %s\n", reasons(k), explained{k,3});
  endfor
endfunction

function tf = matches (text, patterns)
  tf = cellfun (@(pattern) ! isempty (regexp (text, pattern, "once")), patterns);
endfunction

function remove_folder (folder)
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");
endfunction

## Tests compare with plain matrices: an assert in front of Octave's own looks at what a p_matrix stands for.
function shadow_assert (folder)
  original = fileread (which ("assert"));
  original = regexprep (original, '^%!.*$', "", "lineanchors", "dotexceptnewline");
  original = regexprep (original, '(?<![\w"])assert(?=\s*\()', "assert_plain");
  write_file (fullfile (folder, "assert_plain.m"), original);
  write_file (fullfile (folder, "assert.m"), ["function varargout = assert (varargin)\n" ...
    "  [varargout{1:nargout}] = assert_plain (plain (varargin){:});\n" ...
    "endfunction\n" ...
    "function x = plain (x)\n" ...
    "  if (iscell (x))\n" ...
    "    x = cellfun (@plain, x, \"UniformOutput\", false);\n" ...
    "  elseif (isa (x, \"p_matrix\"))\n" ...
    "    x = full (x);\n" ...
    "  endif\n" ...
    "endfunction\n"]);
  write_file (fullfile (folder, "wrapped__.m"), ["function x = wrapped__ (x)\n" ...
    "  if ((isfloat (x) || islogical (x)) && isreal (x) && ! issparse (x) && ndims (x) == 2)\n" ...
    "    x = p_matrix (x);\n" ...
    "  endif\n" ...
    "endfunction\n"]);
endfunction

function write_file (name, text)
  file = fopen (name, "w");
  fputs (file, text);
  fclose (file);
endfunction

## The test blocks of a file, and the functions that its blocks share.
function [blocks, functions] = blocks_of (file)
  text = fileread (file);
  lines = regexp (text, '^%!.*$', "match", "lineanchors", "dotexceptnewline");
  blocks = {};
  functions = "";
  current = "";
  kind = "";
  lines{end+1} = "%!test ";
  for i = 1:numel (lines)
    line = lines{i};
    starts = ! isempty (regexp (line, '^%!(test|assert|error|warning|testif|xtest|function|endfunction|shared|fail|demo)', "once"));
    if (starts)
      switch (kind)
        case {"test", "assert"}
          blocks{end+1} = current;
        case {"function", "shared"}
          functions = [functions, current];
      endswitch
      kind = regexp (line, '^%!(\w+)', "tokens", "once"){1};
      current = "";
      if (strcmp (kind, "endfunction"))
        functions = [functions, line, "\n"];
      endif
    endif
    current = [current, line, "\n"];
  endfor
endfunction

## Names the operators or functions of a p_matrix, and no class that cannot be wrapped.
function tf = applies (block)
  others = '\<(u?int(8|16|32|64)|sparse|complex|char|struct|cell2mat|intmax|intmin|bitshift|Inf\s*i|NA|like|typecast|matrix_type)\>|[0-9.][ij]\>|[0-9]i\>';
  tf = isempty (regexp (block, others, "once"));
endfunction

## The block with each matrix in brackets, and single or logical values made of one, wrapped.
function text = wrap_literals (block)
  text = "";
  quote = "";
  depth = 0;
  before = " ";
  for i = 1:numel (block)
    c = block(i);
    if (! isempty (quote))
      if (c == quote || c == "\n")
        quote = "";
      endif
    elseif (c == '"' || (c == "'" && isempty (regexp (before, '[\w)\]}''.]', "once"))))
      quote = c;
    elseif (c == "[" && depth == 0 && is_value (block, i))
      ## No space, which in brackets would begin another element.
      text = [text, "wrapped__("];
      depth = 1;
    elseif (c == "[" && depth > 0)
      depth += 1;
    elseif (c == "]" && depth > 0)
      depth -= 1;
      if (depth == 0)
        text = [text, "])"];
        before = ")";
        continue;
      endif
    endif
    text(end+1) = c;
    before = c;
  endfor
endfunction

## False for brackets on the left of an assignment, and for an empty pair, which deletes.
function tf = is_value (block, at)
  rest = block(at:end);
  closing = find (cumsum ((rest == "[") - (rest == "]")) == 0, 1);
  after = rest(closing+1:end);
  tf = isempty (regexp (after, '^\s*=[^=]', "once")) && isempty (regexp (rest, '^\[[\s;,]*\]', "once"));
endfunction

function [ok, text] = passes (folder, block)
  ## A function of a block must not be taken for that of another.
  name = fullfile (folder, "block.tst");
  log = fullfile (folder, "log");
  write_file (name, block);
  text = "";
  try
    [n, total] = test (name, "quiet", log);
    ok = n == total && total > 0;
  catch failure
    ok = false;
    text = failure.message;
  end_try_catch
  if (! ok && exist (log, "file"))
    text = [text, fileread(log)];
  endif
endfunction

%!test
%! [passed, failed] = run_suite ({"transpose", "dot"});
%! assert (passed > 5);
%! assert (failed, 0);
