## memory_peak.m NAME TYPE
## Runs one of the nine programs at paper size with p_matrix only, and prints the most memory that the process
## ever had, beside what it had before (Octave, the package, and the inputs with what it took to make them).
## With PMATRIX_MAX_BYTES=54000000 and PMATRIX_MEUS=6 it works within the limits that it has on a PlayStation
## 3.

1;

function megabytes = resident (field)
  line = regexp (fileread ("/proc/self/status"), [field ":\\s+(\\d+) kB"], "tokens");
  megabytes = str2double (line{1}{1}) / 1024;
endfunction

here = fileparts (mfilename ("fullpath"));
addpath (here, fullfile (here, "..", "programs"));
args = argv ();
if (numel (args) != 2 || ! any (strcmp (args{1}, program_names ())))
  error ("usage: memory_peak NAME TYPE; the programs are %s", strjoin (program_names (), ", "));
endif
program = feval (args{1}, "paper", args{2});
before = [resident("VmRSS"), resident("VmHWM")];
outputs = program.run (program.inputs, @p_matrix);
printf ("%-13s %-6s  before %4.0f MB (at most %4.0f MB), at most %4.0f MB\n", args{:}, before, resident ("VmHWM"));
