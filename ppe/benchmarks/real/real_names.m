## names = real_names ()
## The nine programs on real data, in the order of program_names.
function names = real_names ()
  names = {"dft_sunspots", "synth_digits", "hill_gettysburg", "hits_packages", "kmeans_iris", "leontief_germany", ...
           "markov_chutes", "neural_digits", "reachability_packages"};
endfunction

## Each begins with the name of the program that it is.
%!assert (strtok (real_names (), "_"), program_names ())
