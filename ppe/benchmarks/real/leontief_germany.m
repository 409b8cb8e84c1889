## program = leontief_germany (type)
## The German economy of 1995 in six sectors: from what sectors take of each other, and from final demand, follows
## what each produces.  The table has this figure as well.
function program = leontief_germany (type)
  program = leontief ("small", type);
  table = csvread (data_file ("germany.csv"), 1, 1);
  produced = table(:,8);
  program.inputs.terms = 100;
  program.inputs.consumption = cast (table(:,1:6) ./ produced.', type);
  program.inputs.identity = eye (6, type) + zeros (6, type);
  program.inputs.demand = cast (table(:,7), type);
  program.check = @(inputs, outputs) check (outputs, produced);
endfunction

function [deviation, limit] = check (outputs, produced)
  deviation = relative_error (outputs.production, produced);
  limit = limit_for (outputs.production, 1e-5, 1e-12);
endfunction

%!test check_real ("leontief_germany")
