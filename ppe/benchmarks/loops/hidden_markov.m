## program = hidden_markov (n)
## The forward pass of a hidden Markov model with n states: 20 observations of 8 kinds, scaled at each step.
function program = hidden_markov (n)
  A = fixed_random (n, n, 721);
  B = fixed_random (n, 8, 722);
  program.inputs = {A ./ sum(A, 2), B ./ sum(B, 2), ones(n, 1) / n};
  program.run = @forward;
endfunction

function [alpha, likelihood] = forward (A, B, alpha)
  likelihood = 0;
  for t = 1:20
    alpha = (A' * alpha) .* B(:,1 + mod (t * t, 8));
    scale = sum (alpha);
    if (scale == 0)
      break;
    endif
    alpha = alpha / scale;
    likelihood = likelihood + log (scale);
  endfor
endfunction
