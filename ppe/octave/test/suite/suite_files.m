## files = suite_files (chosen)
## The installed Octave's files with test blocks that are run with wrapped matrices: all files, or the files
## of the given names, which are written without folder and extension.  An unknown name is an error that lists
## the names.  The package is not needed.
function files = suite_files (chosen = {})
  tests = fullfile (OCTAVE_HOME (), "share", "octave", OCTAVE_VERSION (), "etc", "tests");
  names = {"libinterp/corefcn/data.cc-tst", "libinterp/corefcn/mappers.cc-tst", "libinterp/corefcn/max.cc-tst", ...
           "libinterp/corefcn/dot.cc-tst", "libinterp/corefcn/tril.cc-tst", "libinterp/corefcn/kron.cc-tst", ...
           "libinterp/corefcn/det.cc-tst", "libinterp/corefcn/inv.cc-tst", "libinterp/corefcn/lu.cc-tst", ...
           "libinterp/corefcn/chol.cc-tst", "libinterp/corefcn/qr.cc-tst", "libinterp/corefcn/eig.cc-tst", ...
           "libinterp/corefcn/svd.cc-tst", "libinterp/corefcn/find.cc-tst", "libinterp/corefcn/bsxfun.cc-tst", ...
           "libinterp/corefcn/pinv.cc-tst", "libinterp/corefcn/filter.cc-tst", "libinterp/corefcn/cellfun.cc-tst", ...
           "fixed/index.tst", "fixed/logical-index.tst", "fixed/null-assign.tst", "fixed/slice.tst", "fixed/transpose.tst", ...
           "fixed/leftdiv.tst", "fixed/for.tst", "fixed/if.tst", "fixed/while.tst", "fixed/switch.tst", "fixed/struct.tst", ...
           "fixed/single-index.tst", "fixed/colon-op.tst", "fixed/diag-perm.tst", "fixed/range.tst"};
  files = fullfile (tests, names);
  functions = {"mean", "median", "std", "var", "repmat", "trace", "rot90", "fliplr", "flipud", "circshift", "cross", "null", "orth", ...
               "rank", "expm", "logm", "cond", "normalize", "cumtrapz", "trapz", "interp1", "polyfit", "polyval", "isequal", ...
               "triplequad", "idivide", "mod", "isrow", "vech", "blkdiag", "postpad", "prepad", "accumarray", "validatestring", ...
               "inputParser", "validateattributes", "issymmetric", "isdiag", "isbanded", "bounds", "range", "center", "cov", "corr"};
  files = [files, cellfun(@which, functions, "UniformOutput", false)];
  there = cellfun (@(file) exist (file, "file") == 2, files);
  files = files(there);
  if (isempty (chosen))
    return;
  endif
  [~, names] = cellfun (@fileparts, files, "UniformOutput", false);
  names = strtok (names, ".");
  unknown = setdiff (chosen, names);
  if (! isempty (unknown))
    error ("octave-suite: there is no test file '%s'; there are: %s", unknown{1}, strjoin (sort (names), " "));
  endif
  files = files(ismember (names, chosen));
endfunction

%!assert (numel (suite_files ({"data", "index"})), 2)
%!assert (numel (suite_files ()) > 50)
%!error <there is no test file 'nonsense'; there are: .* data .* mappers> suite_files ({"data", "nonsense"})
