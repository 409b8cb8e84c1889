## [images, digits] = read_digits ()
## The 1,797 handwritten digits of data/digits.txt: a column of 64 pixels from 0 to 16 for each image, and a row of
## the digits that they show.
function [images, digits] = read_digits ()
  text = reshape (fileread (data_file ("digits.txt")), 66, []);
  images = text(1:64,:) - "a";
  digits = text(65,:) - "0";
endfunction

## Number of images of each digit, as the description of the data has it.
%!test
%! [images, digits] = read_digits ();
%! assert (accumarray (digits.' + 1, 1).', [178 182 177 183 181 182 181 179 174 180]);
%! assert ([min(images(:)), max(images(:))], [0, 16]);
