## The examples of the manual: every block of Octave in its pages can be executed as it stands.

%!function blocks = examples (file)
%!  text = fileread (file);
%!  blocks = cellfun (@(token) token{1}, regexp (text, '(?<=\n)```octave\n(.*?)\n```', "tokens"), "UniformOutput", false);
%!endfunction
%!function run_example (text)
%!  ## A function of its own, so that no example has another's variables.
%!  evalc (text);
%!endfunction

%!test
%! folder = fullfile (fileparts (which ("run_octave")), "..", "..", "..", "manual");
%! count = 0;
%! pages = [dir(fullfile (folder, "*.md")); dir(fullfile (folder, "how-to", "*.md"))];
%! for page = pages.'
%!   for text = examples (fullfile (page.folder, page.name))
%!     try
%!       run_example (text{1});
%!     catch failure
%!       error ("%s: %s\n%s", page.name, failure.message, text{1});
%!     end_try_catch
%!     count++;
%!   endfor
%! endfor
%! assert (count >= 5);
