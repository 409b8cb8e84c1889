## program = kalman_filter (n)
## A Kalman filter with n states and about n / 4 measurements; fewer steps where a step has much to multiply.
function program = kalman_filter (n)
  m = ceil (n / 4);
  steps = max (2, min (20, ceil (1000 / n)));
  F = 0.9 * eye (n) + 0.1 / n * fixed_random (n, n, 671);
  H = eye (m, n) + 0.1 / n * fixed_random (m, n, 672);
  program.inputs = {F, H, 0.01 * eye(n), 0.1 * eye(m), fixed_random(m, steps, 673)};
  program.run = @estimate;
endfunction

function [x, P, distance] = estimate (F, H, Q, R, measured)
  n = rows (F);
  x = zeros (n, 1);
  P = eye (n);
  distance = 0;
  for step = 1:columns (measured)
    x = F * x;
    P = F * P * F' + Q;
    y = measured(:,step) - H * x;
    S = H * P * H' + R;
    K = P * H' / S;
    x = x + K * y;
    P = (eye (n) - K * H) * P;
    distance = distance + y' * (S \ y);
  endfor
endfunction
