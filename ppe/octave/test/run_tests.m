## Runs the test blocks of the package (test, test/differential, test/programs, test/suite, inst), of
## the benchmarks and of the examples, or the test blocks of the named files.
## Prints one line a file, what failed, and a closing line.  The exit status is 1 when a test failed, or when
## a test was skipped and the environment has REQUIRE_ALL=1.

1;

function files = test_files (chosen)
  here = fileparts (mfilename ("fullpath"));
  folders = {here, fullfile(here, "differential"), fullfile(here, "programs"), fullfile(here, "suite"), fullfile(here, "..", "inst"), ...
             fullfile(here, "..", "..", "benchmarks", "programs"), fullfile(here, "..", "..", "benchmarks", "measure"), ...
             fullfile(here, "..", "..", "benchmarks", "loops"), fullfile(here, "..", "..", "benchmarks", "real"), ...
             fullfile(here, "..", "..", "examples", "data"), fullfile(here, "..", "..", "examples", "course")};
  files = {};
  known = false (size (chosen));
  for i = 1:numel (folders)
    found = dir (fullfile (folders{i}, "*.m"));
    for k = 1:numel (found)
      [~, name] = fileparts (found(k).name);
      meant = strcmp (chosen, name) | strcmp (chosen, found(k).name);
      known |= meant;
      if ((isempty (chosen) || any (meant)) && ! strcmp (name, "run_tests"))
        files{end+1} = fullfile (folders{i}, found(k).name);
      endif
    endfor
  endfor
  if (! all (known))
    error ("there is no test file %s", strjoin (chosen(! known), ", "));
  endif
endfunction

function status = run_all (chosen)
  here = fileparts (mfilename ("fullpath"));
  addpath (here, fullfile (here, "differential"), fullfile (here, "programs"), fullfile (here, "suite"), ...
           fullfile (here, "..", "..", "benchmarks", "programs"), fullfile (here, "..", "..", "benchmarks", "measure"), ...
           fullfile (here, "..", "..", "benchmarks", "loops"), fullfile (here, "..", "..", "benchmarks", "real"), ...
           fullfile (here, "..", "..", "examples", "data"), fullfile (here, "..", "..", "examples", "course"));
  more off

  passed = failed = skipped = 0;
  for file = test_files (chosen)
    log = tempname ();
    remove = onCleanup (@() delete (log));
    start = tic ();
    [n, blocks, ~, ~, not_run, not_run_either] = test (file{1}, "quiet", log);
    [~, name] = fileparts (file{1});
    missing = not_run + not_run_either;
    if (blocks + missing == 0)
      continue;
    endif
    printf ("%-20s %4d passed, %d failed, %d skipped (%.1f s)\n", name, n, blocks - n, missing, toc (start));
    if (n < blocks || missing > 0)
      puts (fileread (log));
    endif
    fflush (stdout);
    passed += n;
    failed += blocks - n;
    skipped += missing;
  endfor

  if (skipped > 0)
    printf ("%d skipped\n", skipped);
  endif
  printf ("%d passed, %d failed\n", passed, failed);
  status = failed > 0 || passed == 0 || (skipped > 0 && strcmp (getenv ("REQUIRE_ALL"), "1"));
endfunction

exit (run_all (argv ()));
