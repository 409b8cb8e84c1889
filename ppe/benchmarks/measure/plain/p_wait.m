## p_wait (values...)
## The function of the package, for programs in plain Octave: everything has been computed.
function p_wait (varargin)
endfunction
