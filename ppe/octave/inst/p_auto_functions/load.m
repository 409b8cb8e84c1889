## Copyright (C) 2026 The pmatrix authors
## SPDX-License-Identifier: GPL-3.0-or-later

## -*- texinfo -*-
## @deftypefn {} {@var{s} =} load (@dots{})
## Octave's own @code{load}, whose larger matrices are p_matrix values while @code{p_auto} is on.
##
## @example
## p_auto on
## load results.mat
## @end example
## @seealso{p_auto}
## @end deftypefn

function varargout = load (varargin)
  value = builtin ("load", varargin{:});
  if (isstruct (value))
    names = fieldnames (value);
    for i = 1:numel (names)
      value.(names{i}) = __pm__ ("auto", {}, {value.(names{i})}){1};
    endfor
  else
    value = __pm__ ("auto", {}, {value}){1};
  endif

  if (nargout > 0)
    varargout{1} = value;
  elseif (isstruct (value))
    for i = 1:numel (names)
      assignin ("caller", names{i}, value.(names{i}));
    endfor
  else
    ## A file of numbers becomes a variable with the name of the file.
    files = varargin(! strncmp (varargin, "-", 1));
    [~, name] = fileparts (files{1});
    assignin ("caller", regexprep (name, {'[^a-zA-Z0-9_]', '^(?=[0-9])'}, {"_", "X"}), value);
  endif
endfunction

%!test
%! guard = onCleanup (@() p_auto ("off"));
%! name = [tempname() ".txt"];
%! remove = onCleanup (@() delete (name));
%! m = magic (3);
%! few = [1 2];
%! save ("-text", name, "m", "few");
%! p_auto ("on", 4);
%! s = load (name);
%! assert (class (s.m), "p_matrix");
%! assert (full (s.m), magic (3));
%! assert (class (s.few), "double");
%! clear m few
%! load (name, "m");
%! assert (class (m), "p_matrix");
%! assert (exist ("few"), 0);
%! clear m
%! load ("-text", name);
%! assert (full (m), magic (3));
%! assert (few, [1 2]);
