## program = dft (size, type)
## Discrete Fourier transform of n real signals of n samples, the columns of `signals`: the real part is a
## product with the cosines of all phases, the imaginary part one with their sines.  Time and frequency run
## from -n/2, so that phases stay small enough for single precision.
function program = dft (size, type)
  n = pick_size (size, 2496, 672);
  steps = cast (-n/2:n/2-1, type);
  program.inputs.times = steps;
  program.inputs.frequencies = steps.';
  program.inputs.signals = cast (fixed_random (n, n, 101) - 0.5, type);
  program.run = @transform;
  program.check = @check;
endfunction

function outputs = transform (inputs, wrap)
  frequencies = wrap (inputs.frequencies);
  times = wrap (inputs.times);
  signals = wrap (inputs.signals);

  phases = (frequencies * times) * (-2 * pi / columns (inputs.times));
  real_part = cos (phases) * signals;
  imaginary_part = sin (phases) * signals;

  outputs.real_part = full (real_part);
  outputs.imaginary_part = full (imaginary_part);
endfunction

## The library's fast transform counts from zero; shifting moves the origin to the centre.
function [deviation, limit] = check (inputs, outputs)
  spectrum = fftshift (fft (ifftshift (double (inputs.signals), 1)), 1);
  deviation = relative_error (double (outputs.real_part) + 1i * double (outputs.imaginary_part), spectrum);
  limit = limit_for (outputs.real_part, 2e-3, 1e-10);
endfunction
