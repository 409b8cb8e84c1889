## power.m [N [I]]
## The motivating example of the paper: B = A^I for a random N x N matrix, by repeated multiplication.  Only
## the line that makes A differs from plain Octave.

args = argv ();
n = 100;
i = 3;
if (numel (args) >= 1)
  n = str2double (args{1});
endif
if (numel (args) >= 2)
  i = str2double (args{2});
endif
if (! (n >= 1 && n == fix (n) && i >= 1 && i == fix (i)))
  error ("usage: power.m [N [I]], whole numbers from 1");
endif

A = p_matrix (rand (n));

B = A;
for k = 1:i-1
  B = B * A;
endfor

printf ("%d multiplications recorded; B has a result: %d\n", i - 1, has_result (B));

## Taking an element computes all that B depends on.
printf ("B(1,1) = %g\n", B(1,1));
printf ("B has a result: %d\n", has_result (B));

plain = full (A);
expected = plain;
for k = 1:i-1
  expected = expected * plain;
endfor
difference = norm (full (B) - expected, "fro") / norm (expected, "fro");
printf ("relative difference from plain Octave: %.2g\n", difference);
if (! (difference < 1e-10))
  error ("the result differs from plain Octave's");
endif
