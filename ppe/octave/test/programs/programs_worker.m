## programs_worker (texts, done, wrapped)
## The process of a batch (run_batch): runs the programs of the file texts, and adds the outcome of each, with
## its statements in the field lines, to the file done as soon as it is there, so that what a crash leaves
## says which program it was.
function programs_worker (texts, done, wrapped)
  programs = load (texts).remaining;
  state = warning ();
  warning ("off", "all");
  for k = 1:numel (programs)
    lines = programs{k};
    if (isnumeric (lines))
      lines = generate_program (lines(1), lines(2));
    endif
    text = plain_text (lines);
    if (wrapped)
      text = wrapped_text (lines);
    endif
    warning (state);
    for id = {"Octave:num-to-str", "Octave:str-to-num", "Octave:array-to-scalar", "Octave:imag-to-real", "Octave:int-convert-overflow"}
      warning ("on", id{1});
    endfor
    result = run_program (text);
    warning ("off", "all");
    result.lines = lines;
    outcome = struct (sprintf ("o%d", k), result);
    save ("-append", "-binary", done, "-struct", "outcome");
  endfor
endfunction

%!test
%! texts = tempname ();
%! done = tempname ();
%! remaining = {{"a = 1;"}, {"b = P(2);"}, [1 1]};
%! save ("-binary", texts, "remaining");
%! state = warning ();
%! programs_worker (texts, done, true);
%! warning (state);
%! outcomes = load (done);
%! delete (texts);
%! delete (done);
%! assert (fieldnames (outcomes), {"o1"; "o2"; "o3"});
%! assert (outcomes.o2.values, {2});
%! assert (outcomes.o3.lines, generate_program (1, 1));
