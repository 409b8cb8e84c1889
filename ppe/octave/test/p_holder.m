## A class with a property that holds a p_matrix; for the test of properties.
classdef p_holder < handle
  properties
    value = [];
  endproperties
  methods
    function holder = p_holder (value)
      holder.value = value;
    endfunction
    function scale (holder, factor)
      holder.value = holder.value * factor;
    endfunction
  endmethods
endclassdef
