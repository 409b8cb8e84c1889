## program = hill_gettysburg (type)
## Lincoln's address at Gettysburg (1863) in the Hill cipher of three letters, with the key that textbooks take: the
## word "act" becomes "poh".  This word goes before the address.
function program = hill_gettysburg (type)
  program = hill ("small", type);
  text = ["act" tolower(fileread (data_file ("gettysburg.txt")))];
  letters = double (text(text >= "a" & text <= "z"));
  program.inputs.key = cast ([6 24 1; 13 16 10; 20 17 15], type);
  program.inputs.inverse = cast ([8 5 10; 21 8 21; 21 12 8], type);
  program.inputs.text = cast (reshape (letters, 3, []), type);
  against_text = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, against_text);
endfunction

function [deviation, limit] = check (inputs, outputs, against_text)
  [deviation, limit] = against_text (inputs, outputs);
  plain = char (outputs.plain(:).');
  ## The address has 165 letters e and 126 letters t; one t more is in "act".
  if (! strcmp (char (outputs.cipher(:,1).' + "a"), "poh") || sum (plain == "e") != 165 || sum (plain == "t") != 127)
    deviation = Inf;
  endif
endfunction

%!test check_real ("hill_gettysburg")
