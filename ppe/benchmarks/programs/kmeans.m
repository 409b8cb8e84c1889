## program = kmeans (size, type)
## Lloyd's k-means on points of the plane, a fixed number of rounds, from the first points as centres.  The program
## itself takes points of any number of coordinates, with a last row of ones.
##
## Which centre is nearest is found without a minimum.  Apart from a term common to all centres, the squared
## distance of the point p to the centre c is -2 c'p + |c|^2, a product with [p; 1].  One product gives the
## differences of each pair of centres.  The signs of one centre's differences add up to k-1 exactly where the
## centre beats all other centres.  A second product with the points sums coordinates and members of each
## cluster.
function program = kmeans (size, type)
  n = pick_size (size, 400000, 8000);
  k = 8;

  middle = 10 * fixed_random (2, k, 501);
  spread = 3 * (fixed_random (2, n, 502) + fixed_random (2, n, 503) + fixed_random (2, n, 504) - 1.5);
  points = middle(:,1 + mod (0:n-1, k)) + spread;

  program.inputs.rounds = 5;
  program.inputs.clusters = k;
  program.inputs.points = cast ([points; ones(1, n)], type);
  program.run = @cluster;
  program.check = @check;
endfunction

function outputs = cluster (inputs, wrap)
  k = inputs.clusters;
  n = columns (inputs.points);
  type = class (inputs.points);

  points = wrap (inputs.points);
  rows_of_points = wrap (inputs.points.');
  add_up = wrap (cast (kron (eye (k), ones (1, k)), type));
  all_won = wrap ((k - 1) * ones (k, n, type));

  centres = double (inputs.points(1:end-1,1:k)).';
  for round = 1:inputs.rounds
    distances = [-2 * centres, sum(centres .^ 2, 2)];
    pairs = repmat (distances, k, 1) - kron (distances, ones (k, 1));
    won = add_up * sign (wrap (cast (pairs, type)) * points);
    member = won == all_won;
    sums = double (full (member * rows_of_points));
    centres = sums(:,1:end-1) ./ max (sums(:,end), 1);
  endfor

  outputs.centres = centres;
  outputs.members = sums(:,end);
endfunction

function [deviation, limit] = check (inputs, outputs)
  points = double (inputs.points(1:2,:));
  k = inputs.clusters;
  centres = points(:,1:k);
  for round = 1:inputs.rounds
    [~, nearest] = min (sum (centres .^ 2, 1).' - 2 * centres.' * points);
    members = max (accumarray (nearest.', 1, [k, 1]), 1).';
    for axis = 1:2
      centres(axis,:) = accumarray (nearest.', points(axis,:).', [k, 1]).' ./ members;
    endfor
  endfor
  deviation = max (max (abs (outputs.centres - centres.'))) / 10;
  limit = limit_for (inputs.points, 1e-3, 1e-8);
endfunction
