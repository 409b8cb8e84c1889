## names = loop_names ()
## The programs of this folder.
function names = loop_names ()
  names = {"power_iteration", "conjugate_gradients", "gmres_steps", "gram_schmidt", "gauss_rows", "column_scaling", "masks", ...
           "kalman_filter", "lstm", "softmax_batches", "game_of_life", "fdtd", "hidden_markov"};
endfunction

%!test
%! found = dir (fullfile (fileparts (which ("loop_names")), "*.m"));
%! assert (sort ([loop_names(), {"loop_names"}]), sort (cellfun (@(name) name(1:end-2), {found.name}, "UniformOutput", false)));
