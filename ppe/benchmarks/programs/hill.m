## program = hill (size, type)
## Hill cipher: n blocks of n letters are encrypted with an n x n key modulo 26 and decrypted with its
## inverse.  All numbers are whole and small enough to be exact in single precision.
function program = hill (size, type)
  n = pick_size (size, 2496, 672);
  [key, inverse] = key_pair (n / 2);
  program.inputs.key = cast (key, type);
  program.inputs.inverse = cast (inverse, type);
  program.inputs.text = cast (double ("a") + floor (26 * fixed_random (n, n, 301)), type);
  program.run = @encrypt_and_decrypt;
  program.check = @check;
endfunction

function outputs = encrypt_and_decrypt (inputs, wrap)
  key = wrap (inputs.key);
  inverse = wrap (inputs.inverse);
  text = wrap (inputs.text);

  cipher = mod (key * (text - 97), 26);
  plain = mod (inverse * cipher, 26) + 97;

  outputs.cipher = full (cipher);
  outputs.plain = full (plain);
endfunction

function [deviation, limit] = check (inputs, outputs)
  deviation = nnz (outputs.plain != inputs.text);
  if (isequal (outputs.cipher, inputs.text - 97))
    deviation = Inf;
  endif
  limit = 0;
endfunction

## A key is the product [I A; 0 I] [I 0; B I] [I C; 0 I], whose factors are inverted by changing signs.
function [key, inverse] = key_pair (half)
  letter = @(seed) floor (26 * fixed_random (half, half, seed));
  [A, B, C] = deal (letter (302), letter (303), letter (304));
  I = eye (half);
  top = mod (I + A * B, 26);
  bottom = mod (I + B * A, 26);
  key = mod ([top, top * C + A; B, B * C + I], 26);
  inverse = mod ([I + C * B, -(C * bottom) - A; -B, bottom], 26);
endfunction
