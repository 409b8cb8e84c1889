## Plots of p_matrix values: the graphics objects hold what they hold for plain matrices.  Nothing is shown.

## Octave measures text with a font of its own, which is not always installed; any font does for that.
%!function files = font_files ()
%!  files = glob ({"/usr/share/fonts/*/*/*.otf", "/usr/share/fonts/*/*/*.ttf", "/usr/share/fonts/*/*.ttf"});
%!endfunction
%!function folder = font_folder ()
%!  folder = tempname ();
%!  mkdir (folder);
%!  for name = {"FreeSans", "FreeSansBold", "FreeSansOblique", "FreeSansBoldOblique"}
%!    symlink (font_files (){1}, fullfile (folder, [name{1} ".otf"]));
%!  endfor
%!endfunction
%!function remove (folder)
%!  confirm_recursive_rmdir (false, "local");
%!  rmdir (folder, "s");
%!endfunction

## What a graphics object and the objects in it hold.
%!function values = held (h)
%!  values = {};
%!  for name = {"xdata", "ydata", "zdata", "cdata", "udata", "ldata", "vertices", "faces", "facevertexcdata", "position", "sizedata", ...
%!              "levellist", "xlim", "ylim", "zlim", "clim", "xtick", "userdata", "linewidth", "color"}
%!    if (isprop (h, name{1}))
%!      values{end+1} = get (h, name{1});
%!      assert (! isa (values{end}, "p_matrix"), "%s of a %s is a p_matrix", name{1}, get (h, "type"));
%!    endif
%!  endfor
%!  if (isprop (h, "children"))
%!    values = [values, arrayfun(@held, get (h, "children").', "UniformOutput", false)];
%!  endif
%!endfunction
%!function values = drawn (draw, A, v)
%!  clf ();
%!  draw (A, v);
%!  values = held (gca ());
%!endfunction
%!function set_properties (v)
%!  h = plot (1:6);
%!  set (h, "ydata", v, "xdata", 2 * v, "linewidth", v(2));
%!  set (h, {"userdata"}, {v});
%!  set (gca (), struct ("xtick", {v}));
%!  axis ([v(1), v(6), v(1), 2 * v(6)]);
%!endfunction

%!testif ; ! isempty (font_files ()) && ! isempty (available_graphics_toolkits ())
%! folder = font_folder ();
%! clean = onCleanup (@() remove (folder));
%! setenv ("OCTAVE_FONTS_DIR", folder);
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! warning ("off", "all");
%! f = figure ("visible", "off");
%! shut = onCleanup (@() close (f));
%! A = magic (6);
%! v = 1:6;
%! calls = {@(A, v) plot(A), @(A, v) plot(A(:,1), A), @(A, v) plot(v, v .^ 2, "r--"), @(A, v) plot(v', A), @(A, v) plot(v, A, v), ...
%!          @(A, v) plot(v, single (A)), @(A, v) plot(v > 3), @(A, v) plot(v(2), v(3), "o"), @(A, v) plot(v, "linewidth", v(2)), ...
%!          @(A, v) line(v, v), @(A, v) line([v(1) v(2)], [v(3) v(4)], "color", v(1:3) / 6), @(A, v) plot3(v, v, v), ...
%!          @(A, v) bar(A), @(A, v) bar(v, A(:,1)), @(A, v) barh(v), @(A, v) hist(A), @(A, v) hist(A(:), v), ...
%!          @(A, v) surf(A), @(A, v) surf(v, v, A), @(A, v) mesh(A), @(A, v) surface(A), @(A, v) pcolor(A), @(A, v) surfl(A), ...
%!          @(A, v) contour(A), @(A, v) contour(A, v * 5), @(A, v) contourf(A), @(A, v) contour3(A), @(A, v) waterfall(A), ...
%!          @(A, v) image(A), @(A, v) imagesc(A), @(A, v) imagesc(v, v, A), @(A, v) imshow(A, []), @(A, v) imshow(A / 36), ...
%!          @(A, v) patch(v, v .^ 2, "r"), @(A, v) patch(A, A, A), @(A, v) fill(v, v .^ 2, "b"), @(A, v) area(v, A), ...
%!          @(A, v) errorbar(v, v, v / 10), @(A, v) errorbar(A, A / 10), @(A, v) semilogx(v, v), @(A, v) semilogy(v, v), ...
%!          @(A, v) loglog(v, v), @(A, v) stairs(v, v), @(A, v) stem(v, v), @(A, v) stem3(v, v, v), @(A, v) pie(v), ...
%!          @(A, v) polar(v, v), @(A, v) scatter(v, v), @(A, v) scatter(v, v, v, v), @(A, v) scatter3(v, v, v, v, v), ...
%!          @(A, v) quiver(v, v, v, v), @(A, v) ribbon(A), @(A, v) trisurf([1 2 3; 2 3 4], v, v, v), @(A, v) rose(v), ...
%!          @(A, v) triplot([1 2 3; 2 3 4], v, v), @(A, v) text(v, v, "a"), @(A, v) rectangle("position", v(1:4)), ...
%!          @(A, v) light("position", v(1:3)), @(A, v) spy(A > 10), @(A, v) feather(v), @(A, v) compass(v), ...
%!          @(A, v) pareto(v), @(A, v) fplot(@(x) x .^ 2, v(1:2)), @(A, v) colormap(A(:,1:3) / 36), @(A, v) set_properties(v)};
%! for i = 1:numel (calls)
%!   expected = drawn (calls{i}, A, v);
%!   actual = drawn (calls{i}, p_matrix (A), p_matrix (v));
%!   assert (isequaln (actual, expected), "%s differs", func2str (calls{i}));
%! endfor
%! drawn (@(A, v) colormap (A(:,1:3) / 36), p_matrix (A), p_matrix (v));
%! assert (colormap (), A(:,1:3) / 36);
%!
%! ## A pending value is computed when it is drawn, and stays what it is.
%! y = p_matrix (1:5) .^ 2;
%! assert (has_result (y), false);
%! h = plot (y);
%! assert (get (h, "ydata"), (1:5) .^ 2);
%! assert (has_result (y), true);
%! assert (class (y), "p_matrix");
%! c = {y};
%! set (h, {"ydata"}, c);
%! assert (class (c{1}), "p_matrix");

## The tables of p_profile.
%!testif ; ! isempty (font_files ()) && ! isempty (available_graphics_toolkits ())
%! lazy = without_immediate ();
%! folder = font_folder ();
%! clean = onCleanup (@() remove (folder));
%! setenv ("OCTAVE_FONTS_DIR", folder);
%! state = warning ();
%! restore = onCleanup (@() warning (state));
%! warning ("off", "all");
%! visible = get (0, "defaultfigurevisible");
%! unwind_protect
%!   set (0, "defaultfigurevisible", "off");
%!   p_profile on
%!   x = p_matrix (rand (150));
%!   y = x * x + 1;
%!   y(3);
%!   z = abs (y);
%!   p_profile off
%!   p_profile plot
%!   axes_of = findobj (gcf (), "type", "axes");
%!   assert (numel (axes_of), 2);
%!   labels = get (axes_of, "yticklabel");
%!   assert (any (strcmp (vertcat (labels{:}), "multiply")));
%!   ## What was not computed has no bar.
%!   assert (! any (strcmp (vertcat (labels{:}), "abs")));
%!   close (gcf ());
%! unwind_protect_cleanup
%!   set (0, "defaultfigurevisible", visible);
%! end_unwind_protect
%! p_profile reset
%! fail ("p_profile plot", "nothing has been noted");
