## bench.m NAME|all SIZE TYPE
## Runs programs in plain Octave and with p_matrix and prints a line for each; the exit status is 1 when a
## check fails.

1;

function status = run_programs (names, size, type)
  printf ("%-13s %-6s %-6s %10s %10s %7s %9s %9s %5s %10s %11s %11s %9s\n", "program", "size", "type", "octave s", "p_matrix s", ...
          "ratio", "dev. oct.", "dev. p_m.", "check", "operations", "block ops", "block edges", "fallbacks");
  status = 0;
  for name = names
    r = compare_program (name{1}, size, type);
    printf ("%-13s %-6s %-6s %10.3f %10.3f %7.2f %9.2g %9.2g %5s %10d %11d %11d %9d\n", r.name, r.size, r.type, ...
            r.octave_seconds, r.pmatrix_seconds, r.ratio, r.octave_deviation, r.pmatrix_deviation, ...
            {"wrong", "ok"}{1 + r.ok}, r.operations, r.block_operations, r.block_edges, r.fallbacks);
    fflush (stdout);
    status |= ! r.ok;
  endfor
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
args = argv ();
if (numel (args) != 3)
  error ("usage: bench NAME|all SIZE TYPE");
endif
names = args(1);
if (strcmp (names, "all"))
  names = program_names ();
elseif (! any (strcmp (names, program_names ())))
  error ("there is no program \"%s\"; the programs are %s", names{1}, strjoin (program_names (), ", "));
endif
exit (run_programs (names, args{2:3}));
