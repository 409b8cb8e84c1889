## Moving elements and reducing columns and rows is recorded, and gives Octave's own class, size and bits.

%!shared p, q
%! p = p_matrix ([1 2 3; 4 5 6]);
%! q = p_matrix ([7 8 9; 1 2 3]);

## Recorded, not computed.
%!test
%! z = p + q;
%! pending = {z', z.', z(:), z(1,:), z(:,2), z(:,end:-1:1), z(1:2:end), z(2,1:2), reshape(z, 3, 2), reshape(z, [], 1), ...
%!            permute(z, [2 1]), vec(z), [z z], [z; z], [z, [1; 2]], [[1; 2], z], [z; 1 2 3], [1 2 3; z], [z [1; 2]; 1:4], ...
%!            horzcat(z, q), vertcat(z, q, [1 2 3]), cat(1, z, q), repmat(z, 2, 3), repmat(z, [1 2]), tril(z), triu(z, 1), ...
%!            diag(z), diag(z, 1), diag(z(:), -2), sum(z), sum(z, 2), prod(z), sumsq(z, 1), cumsum(z), cumsum(z, 2), ...
%!            any(z), all(z), max(z), min(z), max(z, [], 2), mean(z), mean(z, 2), mean(z(:)), norm(z(:)), norm(z(1,:), 2), ...
%!            norm(z, "fro"), sum(z(:)), z' * z, trace(z * z'), real(z), conj(z), fliplr(z), flipud(z), z(:)'};
%! for i = 1:numel (pending)
%!   if (has_result (pending{i}))
%!     error ("number %d was computed", i);
%!   endif
%! endfor
%! assert (has_result (z), false);

## A single element is computed at once, and is Octave's own.
%!test
%! z = p + q;
%! assert (z(2,3), 9);
%! assert (class (z(end)), "double");
%! assert (class (p(1,1:1)), "double");

%!function check (f, varargin)
%!  expected = f (varargin{:});
%!  pending = cellfun (@(x) p_matrix (x) .* 1, varargin, "UniformOutput", false);
%!  text = difference (expected, f (pending{:}));
%!  if (! isempty (text))
%!    error ("%s: %s", func2str (f), text);
%!  endif
%!endfunction

## Of pending operands, around the sides of blocks.
%!test
%! functions = {@(x) x', @(x) x(:), @(x) x(end:-1:1,:), @(x) x(:,end:-2:1), @(x) x(1:2:end,2:end), @(x) reshape (x, columns (x), []), ...
%!              @(x) sum (x), @(x) sum (x, 2), @(x) cumsum (x), @(x) cumsum (x, 2), @(x) prod (x), @(x) sumsq (x, 2), ...
%!              @(x) max (x), @(x) min (x, [], 2), @(x) any (x), @(x) all (x, 2), @(x) norm (x, "fro"), @(x) norm (x(:)), ...
%!              @(x) mean (x), @(x) mean (x, 2), @(x) [x; x], @(x) [x, x(:,1)], @(x) repmat (x, 2, 1), @(x) tril (x, 2), ...
%!              @(x) triu (x, -3), @(x) diag (x, 1), @(x) diag (x(:,1), -2), @(x) x(:)', @(x) x(:)(3:7:end)'};
%! rand ("seed", 11);
%! for side = [63 64 65 95 96 97 127 128 129]
%!   for shape = [side 3; 3 side; side side]'
%!     x = single (rand (shape') - 0.5);
%!     x(2,2) = NaN;
%!     x(3,1) = -0;
%!     for i = 1:numel (functions)
%!       check (functions{i}, x);
%!     endfor
%!   endfor
%! endfor

## Long columns and rows are chains.
%!test
%! rand ("seed", 12);
%! x = single (rand (70001, 2) - 0.5);
%! for f = {@(x) sum (x), @(x) cumsum (x), @(x) norm (x, "fro"), @(x) max (x), @(x) sum (x', 2), @(x) x', @(x) x(end:-1:1,:)}
%!   check (f{1}, x);
%! endfor

## Concatenation in all its forms.
%!test
%! warning ("off", "all", "local");
%! a = single ([1 2; 3 4]);
%! b = [5 6];
%! for f = {@(x) [x, [7; 8]], @(x) [x; 5 6], @(x) [[5 6]; x], @(x) [[5; 6], x, [7; 8]], @(x) [x, x; x, x], @(x) [[x; x], [1; 2; 3; 4]], ...
%!          @(x) [x, []], @(x) [[], x], @(x) [x; zeros(0, 2)], @(x) [x, true(2)], @(x) [true(2); x], @(x) [x, int8([1; 2])], @(x) [x, "ab"'], ...
%!          @(x) [1:2; x], @(x) [x; eye(2)], @(x) cat (2, x, x, x), @(x) cat (3, x, x), @(x) [x, [1; 2i]], @(x) [x(1,1), 2, 3]}
%!   check (f{1}, a);
%!   check (f{1}, double (a));
%! endfor
%! assert (class (full ([p_matrix(true) false])), "logical");
%! c = cell (1, 300);
%! c(:) = {p_matrix([1; 2])};
%! assert (full ([c{:}]), repmat ([1; 2], 1, 300));
%! assert (full (vertcat (c{:})), repmat ([1; 2], 300, 1));
%! m = [p, q];
%! m2 = [m; m];
%! assert (full ([m; 1:6]), [1:3 7:9; 4:6 1:3; 1:6]);
%! assert (size (m2), [4 6]);

## What turns out to be complex is computed by Octave, through these operations too.
%!test
%! x = [-1 4; 9 -16];
%! for f = {@(y) y', @(y) y.', @(y) y(:,1)', @(y) [y; y], @(y) [y, [1; 2]], @(y) sum (y), @(y) cumsum (y, 2), @(y) prod (y), @(y) sumsq (y), ...
%!          @(y) y(2,:), @(y) y(end:-1:1), @(y) reshape (y, 1, 4), @(y) repmat (y, 2, 2), @(y) tril (y), @(y) triu (y, 1), @(y) diag (y), ...
%!          @(y) diag (y(:)), @(y) max (y), @(y) any (y), @(y) norm (y, "fro"), @(y) real (y), @(y) imag (y), @(y) conj (y), @(y) mean (y), ...
%!          @(y) sum (real (y)), @(y) permute (y, [2 1])}
%!   expected = f{1}(x .^ 0.5);
%!   text = difference (expected, f{1}(p_matrix (x) .^ 0.5), 4);
%!   if (! isempty (text))
%!     error ("%s: %s", func2str (f{1}), text);
%!   endif
%!   ## And of a matrix that goes to the engine.
%!   y = repmat (x, 10, 10);
%!   if (! strncmp (func2str (f{1}), "@(y) [y, [1; 2]]", 15) && isempty (strfind (func2str (f{1}), "1, 4")))
%!     text = difference (f{1}(y .^ 0.5), f{1}(p_matrix (y) .^ 0.5), 64);
%!     if (! isempty (text))
%!       error ("%s of 20x20: %s", func2str (f{1}), text);
%!     endif
%!   endif
%! endfor

## A complex result of few elements meets a matrix that goes to the engine.
%!test
%! x = [-4 4];
%! y = ones (100, 2);
%! for f = {@(x, y) x + y, @(x, y) y .* x, @(x, y) [x; y], @(x, y) [y; x], @(x, y) repmat(x, 100, 1) - y, @(x, y) diag(x)(:)', ...
%!          @(x, y) y * x.', @(x, y) hypot(abs (x), y), @(x, y) -repmat(x, 50, 1)}
%!   text = difference (f{1}(x .^ 0.5, y), f{1}(p_matrix (x) .^ 0.5, p_matrix (y) .* 1), 4);
%!   if (! isempty (text))
%!     error ("%s: %s", func2str (f{1}), text);
%!   endif
%! endfor

## Norms.
%!test
%! rand ("seed", 13);
%! for n = [1 2 7 63 64 65 300 40000]
%!   x = rand (n, 1) - 0.5;
%!   for f = {@(x) norm (x), @(x) norm (x', 1), @(x) norm (x, 1), @(x) norm (x, Inf), @(x) norm (x, "fro"), @(x) norm (x, 3)}
%!     check (f{1}, x);
%!     check (f{1}, single (x));
%!   endfor
%! endfor

## Mistakes are Octave's to report, at once, with its own words.
%!error <vertical dimensions mismatch \(2x3 vs 1x2\)> [p + 1; 1 2]
%!error <horizontal dimensions mismatch \(2x3 vs 3x1\)> [p + 1, [1; 2; 3]]
%!error <can't reshape 2x3 array to 4x2 array> reshape (p + 1, 4, 2)
%!test
%! z = p + q;
%! plain = full (p) + full (q);
%! for text = {"z(3,1)", "z(1,4)", "z(7)", "z(0)", "z(1.5,:)", "z(:,0)", "z(1:3,:)", "z(:,2:5)", "z(2:9)"}
%!   expected = actual = "";
%!   try
%!     eval ([strrep(text{1}, "z", "plain") ";"]);
%!   catch failure
%!     expected = strrep (failure.message, "plain", "z");
%!   end_try_catch
%!   try
%!     eval ([text{1} ";"]);
%!   catch failure
%!     actual = failure.message;
%!   end_try_catch
%!   assert (actual, expected);
%! endfor

## A colon that is text is a colon.
%!test
%! restore = without_immediate ();
%! z = p_matrix (magic (20)) + 1;
%! x = z(":",20:-1:1);
%! assert (has_result (x), false);
%! assert (full (x), magic (20)(:,20:-1:1) + 1);
