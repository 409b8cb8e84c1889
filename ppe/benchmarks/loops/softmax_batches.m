## program = softmax_batches (n)
## Softmax regression on 10 classes with n features, trained by ten mini-batches of 32 samples; the loss is
## watched.
function program = softmax_batches (n)
  X = fixed_random (320, n, 691) - 0.5;
  Y = double (1 + mod (0:319, 10)' == 1:10);
  program.inputs = {X, Y, zeros(n, 10)};
  program.run = @train;
endfunction

function [W, losses] = train (X, Y, W)
  losses = [];
  for first = 1:32:rows (X)
    x = X(first:first+31,:);
    y = Y(first:first+31,:);
    scores = x * W;
    scores = scores - max (scores, [], 2);
    p = exp (scores);
    p = p ./ sum (p, 2);
    loss = -sum (sum (y .* log (p))) / rows (x);
    losses(end+1) = loss;
    W = W - 0.1 / rows (x) * (x' * (p - y));
    if (! isfinite (loss))
      break;
    endif
  endfor
endfunction
