## outcomes = run_batch (programs, wrapped, shadow)
## Runs programs (a cell of cells of statements) in an Octave process of their own: plain Octave without the
## package, or wrapped, with it, and with the folder shadow in front on its path.  outcomes is a cell of what
## run_program gives.  A program that ends the process has instead a struct with the field crash, what the
## process said last, and the programs after it get a new process.
function outcomes = run_batch (programs, wrapped, shadow = "")
  folder = tempname ();
  mkdir (folder);
  remove = onCleanup (@() remove_folder (folder));
  outcomes = {};
  texts = fullfile (folder, "programs");
  done = fullfile (folder, "outcomes");
  while (numel (outcomes) < numel (programs))
    remaining = programs(numel (outcomes)+1:end);
    save ("-binary", texts, "remaining");
    last_words = run_worker (texts, done, wrapped, shadow);
    got = {};
    if (exist (done, "file"))
      got = struct2cell (load (done))';
      delete (done);
    endif
    outcomes = [outcomes, got];
    if (numel (outcomes) < numel (programs))
      outcomes{end+1} = struct ("crash", last_words);
    endif
  endwhile
endfunction

function last_words = run_worker (texts, done, wrapped, shadow)
  here = fileparts (mfilename ("fullpath"));
  paths = {here, fullfile(here, "..", "differential")};
  setup = "env -u OCTAVE_VERSION_INITFILE";
  if (wrapped)
    setup = "";
    paths = [{shadow}, paths];
  endif
  paths = paths(! cellfun (@isempty, paths));
  code = sprintf ("addpath (%s); cd (\"%s\"); programs_worker (\"%s\", \"%s\", %d);", strjoin (cellfun (@(p) ["\"" p "\""], paths, ...
                  "UniformOutput", false), ", "), fileparts (texts), texts, done, wrapped);
  ## The limit is for a program that never ends; no program takes seconds.
  [status, output] = system (sprintf ("%s timeout -s KILL 900 octave-cli --no-init-file --no-history --eval '%s' 2>&1 </dev/null", setup, code));
  output = strrep (output, "error: ignoring const execution_exception& while preparing to exit\n", "");
  last_words = strtrim (sprintf ("status %d %s", status, output(max (1, end-600):end)));
endfunction

function remove_folder (folder)
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");
endfunction

%!test
%! programs = {{"a = 1;"}, {"a = 2;", "kill (getpid (), 9);"}, {"a = P(3);", "b = class (a);"}};
%! for wrapped = [false true]
%!   o = run_batch (programs, wrapped);
%!   assert (numel (o), 3);
%!   assert (o{1}.values, {1});
%!   assert (isfield (o{2}, "crash"));
%!   assert (o{3}.values{1}, 3);
%!   assert (o{3}.wrapped, double (wrapped));
%!   assert (strcmp (o{3}.values{2}, "p_matrix"), wrapped);
%! endfor
