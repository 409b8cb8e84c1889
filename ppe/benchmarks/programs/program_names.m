## names = program_names ()
## The nine programs, in the order of the paper.
function names = program_names ()
  names = {"dft", "synth", "hill", "hits", "kmeans", "leontief", "markov", "neural", "reachability"};
endfunction

%!assert (numel (program_names ()), 9)
