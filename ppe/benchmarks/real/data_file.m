## path = data_file (name)
## The path of a file of data (data/README.md says where each is from).
function path = data_file (name)
  path = fullfile (fileparts (mfilename ("fullpath")), "data", name);
endfunction

%!assert (exist (data_file ("iris.csv"), "file"), 2)
