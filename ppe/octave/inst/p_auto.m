## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn  {} {} p_auto on
## @deftypefnx {} {} p_auto off
## @deftypefnx {} {@var{tf} =} p_auto ()
## @deftypefnx {} {} p_auto ("on", @var{elements})
## Lets scripts use p_matrix without any change.  While p_auto is on, the results of zeros, ones, rand, randn,
## eye, linspace and load are p_matrix values when they have at least @var{elements} elements (1000 unless
## given).  It is off at the start.
##
## Results with more than two dimensions are left as they are.  So are results of calls that name a class or
## use "like", and results that Octave's own functions ask for.
##
## @example
## @group
## p_auto on
## A = rand (500);
## class (A)   @result{} p_matrix
## p_auto off
## @end group
## @end example
## @seealso{p_matrix, p_config}
## @end deftypefn

function tf = p_auto (state, elements = 1000)
  if (nargin == 0)
    tf = __pm__ ("auto");
    return;
  endif
  if (! (ischar (state) && any (strcmp (state, {"on", "off"}))))
    error ("pmatrix:argument", "p_auto: STATE must be \"on\" or \"off\"");
  endif
  if (! (isnumeric (elements) && isscalar (elements) && elements >= 1 && elements == fix (elements)))
    error ("pmatrix:argument", "p_auto: ELEMENTS must be a whole number, at least 1");
  endif
  if (strcmp (state, "off"))
    elements = 0;
  endif
  __pm__ ("auto", elements);
endfunction

%!demo
%! p_auto on
%! A = rand (100);
%! disp (class (A))
%! p_auto off

%!function restore (was_on)
%!  if (was_on)
%!    p_auto on
%!  else
%!    p_auto off
%!  endif
%!endfunction

%!test
%! guard = onCleanup (@() restore (p_auto ()));
%! p_auto on
%! assert (p_auto (), true);
%! for f = {@() zeros(50), @() ones(1, 1000), @() rand(40), @() randn(40), @() eye(40), @() linspace(0, 1, 2000)}
%!   assert (class (f{1}()), "p_matrix");
%! endfor
%! for f = {@() zeros(5), @() ones(1, 999), @() zeros(50, "int8"), @() zeros(50, "like", 1), @() ones(10, 10, 10), @() rand(2)}
%!   assert (! strcmp (class (f{1}()), "p_matrix"));
%! endfor
%! rand ("twister", 5);
%! x = rand (40);
%! rand ("twister", 5);
%! p_auto off
%! assert (p_auto (), false);
%! assert (class (zeros (50)), "double");
%! assert (full (x), rand (40));

%!test
%! guard = onCleanup (@() restore (p_auto ()));
%! p_auto ("on", 4);
%! assert (class (zeros (2)), "p_matrix");
%! ## What Octave's own functions ask for is left alone.
%! assert (class (repmat ([1 2], 3, 3)), "double");
%! p_auto off

## The results have the elements that they have with p_auto off.  They are p_matrix values from the number of
## elements on.
%!function check_automatic (f, is_wrapped)
%!  p_auto off
%!  rand ("twister", 3);
%!  randn ("twister", 3);
%!  expected = f ();
%!  p_auto ("on", 4);
%!  rand ("twister", 3);
%!  randn ("twister", 3);
%!  result = f ();
%!  p_auto off
%!  assert (strcmp (class (result), "p_matrix"), is_wrapped);
%!  if (is_wrapped)
%!    assert (full (result), full (expected));
%!  else
%!    assert (result, expected);
%!  endif
%!endfunction
%!test
%! guard = onCleanup (@() restore (p_auto ()));
%! for f = {@() zeros(2), @() zeros(2, 3), @() ones(2), @() ones(2, 3), @() eye(2), @() eye(2, 3), @() rand(2, 3), @() randn(2, 3), ...
%!          @() linspace(0, 1, 5), @() linspace([1; 2], 3, 4)}
%!   check_automatic (f{1}, true);
%! endfor
%! for f = {@() zeros(1, 3), @() zeros(2, "int8"), @() zeros(2, 0), @() ones(1, 3), @() ones(2, "single"), @() eye(1), ...
%!          @() eye(3, "int8"), @() rand(), @() rand(3, "single"), @() rand("twister"), @() randn(), @() linspace(0, 1, 3)}
%!   check_automatic (f{1}, false);
%! endfor
%! assert (isdiag (eye (1)), true);

%!test
%! guard = onCleanup (@() restore (p_auto ()));
%! name = [tempname() ".mat"];
%! remove = onCleanup (@() delete (name));
%! big = magic (40);
%! small = 5;
%! text = "abc";
%! save ("-binary", name, "big", "small", "text");
%! p_auto on
%! s = load (name);
%! assert (class (s.big), "p_matrix");
%! assert (class (s.small), "double");
%! clear big small text
%! load (name, "big");
%! assert (full (big), magic (40));
%! assert (class (big), "p_matrix");
%! assert (exist ("small"), 0);
%! other = magic (50);
%! load ("-binary", name);
%! assert (class (big), "p_matrix");
%! assert ({small, text}, {5, "abc"});
%! assert (class (other), "double");
%! p_auto off

%!test
%! guard = onCleanup (@() restore (p_auto ()));
%! name = fullfile (tempdir (), "numbers for p-auto.txt");
%! remove = onCleanup (@() delete (name));
%! dlmwrite (name, magic (40), " ");
%! p_auto on
%! load (name);
%! x = load (name);
%! p_auto off
%! assert (full (numbers_for_p_auto), magic (40));
%! assert (class (numbers_for_p_auto), "p_matrix");
%! assert (class (x), "p_matrix");
%! assert (class (load (name)), "double");

%!error <STATE must be "on" or "off"> p_auto maybe
%!error <ELEMENTS must be a whole number> p_auto ("on", 0)
