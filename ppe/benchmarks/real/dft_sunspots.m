## program = dft_sunspots (type)
## The spectrum of the yearly number of sunspots from 1700 to 2007.  The Sun's activity is known to rise and fall
## with a period of 11 years, so this is the strongest frequency.
function program = dft_sunspots (type)
  program = dft ("small", type);
  table = csvread (data_file ("sunspots.csv"));
  ## The program takes an even number of samples.
  number = table(1:308,2);
  steps = cast (-154:153, type);
  program.inputs = struct ("times", steps, "frequencies", steps.', "signals", cast (number - mean (number), type));
  against_library = program.check;
  program.check = @(inputs, outputs) check (inputs, outputs, against_library);
endfunction

function [deviation, limit] = check (inputs, outputs, against_library)
  [deviation, limit] = against_library (inputs, outputs);
  strength = hypot (double (outputs.real_part), double (outputs.imaginary_part));
  [~, strongest] = max (strength(inputs.frequencies > 0));
  ## 28 periods in 308 years.
  if (strongest != 28)
    deviation = Inf;
  endif
endfunction

%!test check_real ("dft_sunspots")
