## program = kmeans_iris (type)
## Fisher's 150 irises in three clusters by their four measures.  The best clusters are known: 50, 62 and 38 flowers,
## whose squared distances to their centres add up to 78.851441.
function program = kmeans_iris (type)
  program = kmeans ("small", type);
  table = csvread (data_file ("iris.csv"));
  ## The first three flowers, where the centres begin, are of three species.
  order = reshape (reshape (1:150, 50, 3).', 1, []);
  measures = table(order,1:4).';
  program.inputs = struct ("rounds", 15, "clusters", 3, "points", cast ([measures; ones(1, 150)], type));
  program.check = @check;
endfunction

function [deviation, limit] = check (inputs, outputs)
  points = double (inputs.points(1:end-1,:));
  centres = outputs.centres.';
  squares = sum (points .^ 2, 1) + sum (centres .^ 2, 1).' - 2 * centres.' * points;
  deviation = abs (sum (min (squares)) - 78.851441426146);
  if (! isequal (sort (outputs.members), [38; 50; 62]))
    deviation = Inf;
  endif
  limit = limit_for (inputs.points, 1e-3, 1e-9);
endfunction

%!test check_real ("kmeans_iris")
