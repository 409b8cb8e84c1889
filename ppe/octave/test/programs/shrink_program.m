## [lines, text] = shrink_program (lines, text, shadow)
## The smallest program found that still shows a difference of the kind of text: statements are left out,
## half of them at once and one at a time, and what is left becomes simpler (a call its argument, an operator
## one operand, a source a smaller one).
function [lines, text] = shrink_program (lines, text, shadow = "")
  kind = difference_kind (text);
  for round = 1:40
    tried = candidates (lines);
    if (isempty (tried))
      return;
    endif
    texts = {program_differences(tried, shadow).text};
    found = find (strcmp (cellfun (@difference_kind, texts, "UniformOutput", false), kind));
    if (isempty (found))
      return;
    endif
    [~, best] = min (cellfun (@length_of, tried(found)));
    lines = tried{found(best)};
    text = texts{found(best)};
  endfor
endfunction

## A statement counts more than its characters.
function n = length_of (lines)
  n = numel ([lines{:}]) + 20 * numel (lines);
endfunction

## Smaller programs, and not so many that a round takes long.
function list = candidates (lines)
  list = {};
  n = numel (lines);
  for part = [2 3 4]
    if (n >= 2 * part)
      edges = round (linspace (0, n, part + 1));
      for k = 1:part
        list{end+1} = lines([1:edges(k), edges(k+1)+1:n]);
        list{end+1} = lines(edges(k)+1:edges(k+1));
      endfor
    endif
  endfor
  for k = 1:n
    if (n > 1)
      list{end+1} = lines([1:k-1, k+1:n]);
    endif
  endfor
  if (n <= 8)
    for k = 1:n-1
      list{end+1} = inlined (lines, k);
    endfor
    for k = 1:n
      for text = simpler (lines{k})
        list{end+1} = lines;
        list{end}{k} = text{1};
      endfor
    endfor
  endif
  list = list(cellfun (@length_of, list) < length_of (lines));
  list = list(1:min (end, 120));
endfunction

## The value of an assignment put where its variable stands in what follows.
function lines = inlined (lines, k)
  parts = regexp (lines{k}, '^(\w+) = (.*);$', "tokens", "once");
  if (! isempty (parts))
    value = parts{2};
    if (isempty (regexp (value, '^[\w.]+$', "once")))
      value = ["(" value ")"];
    endif
    after = regexprep (lines(k+1:end), ['\<' parts{1} '\>'], strrep (strrep (value, '\', '\\'), "$", '\$'));
    lines = [lines(1:k-1), after];
  endif
endfunction

## Simpler forms of one statement.
function texts = simpler (line)
  texts = {};
  ## A pair of brackets with or without a name before it: what is inside, or each of its arguments.
  [from, to] = regexp (line, '(\<\w+)?\(');
  for k = 1:numel (from)
    [inside, last] = bracketed (line, to(k));
    if (last > 0)
      before = line(1:from(k)-1);
      after = line(last+1:end);
      for argument = arguments_of (inside)
        texts{end+1} = [before, strtrim(argument{1}), after];
      endfor
      texts{end+1} = [before, "2", after];
      texts{end+1} = [before, "(", inside, ")", after];
    endif
  endfor
  ## One operand less.
  texts = [texts, replaced(line, ' (\.?[-+*/\\]|[<>=!]=?|[&|]) (\w+(\([^()]*\))?|-?[\d.]+)')];
  texts = [texts, replaced(line, '(?<=[ (\[{])(\w+(\([^()]*\))?|-?[\d.]+) (\.?[-+*/\\]|[<>=!]=|[<>&|]) ')];
  texts = [texts, replaced(line, '(?<=\w)\([^()]*\)'), replaced(line, '''(?=[ ;)])'), replaced(line, '(?<=[ (])[-!+](?=\w)')];
  ## Smaller matrices.
  texts = [texts, replaced(line, ' -?[\d.]+(?=[^;\[]*\])'), replaced(line, ';[^;\[\]]*(?=\])')];
  texts = unique (texts);
endfunction

function texts = replaced (line, pattern)
  [from, to] = regexp (line, pattern);
  texts = {};
  for k = 1:numel (from)
    texts{end+1} = [line(1:from(k)-1), line(to(k)+1:end)];
  endfor
endfunction

## What stands in the brackets that open at a position, and where they close (0 when they do not).
function [inside, last] = bracketed (line, first)
  depth = cumsum ((line == "(") - (line == ")"));
  depth(1:first-1) = Inf;
  last = find (depth < depth(first), 1);
  inside = "";
  if (isempty (last))
    last = 0;
  else
    inside = line(first+1:last-1);
  endif
endfunction

function list = arguments_of (text)
  depth = cumsum (ismember (text, "([{") - ismember (text, ")]}"));
  commas = find (text == "," & depth == 0);
  edges = [0, commas, numel(text) + 1];
  list = {};
  for k = 1:numel (edges)-1
    list{end+1} = text(edges(k)+1:edges(k+1)-1);
  endfor
endfunction

## A function that ends the process is found too.
%!test
%! folder = tempname ();
%! mkdir (folder);
%! name = fullfile (folder, "fliplr.m");
%! file = fopen (name, "w");
%! fputs (file, "function r = fliplr (x)\n  if (rows (x) == 2 && isa (x, \"p_matrix\")) kill (getpid (), 9); end\n  r = x;\nendfunction\n");
%! fclose (file);
%! lines = {"a = P([1 2; 3 4]);", "b = 3;", "c = a + b;", "d = sum (c);", "if (b > 2) d = abs (fliplr (c)) + 1; end", "d = 4;"};
%! result = program_differences ({lines}, folder);
%! assert (strncmp (result.text, "crash: ", 7));
%! [lines, text] = shrink_program (lines, result.text, folder);
%! delete (name);
%! rmdir (folder);
%! assert (strncmp (text, "crash: ", 7));
%! assert (numel (lines) <= 2);
%! assert (any (! cellfun (@isempty, strfind (lines, "fliplr"))));
