## program = markov_chutes (type)
## The board game of 100 squares with chutes and ladders, for one player who has to reach square 100 exactly: 39.2
## moves on average, 7 at least.
##
## State k is square k - 1, so the first is beside the board.  The last state is no square, but counts moves: each
## move adds to it the chance that the game is not over.
function program = markov_chutes (type)
  program = markov ("small", type);
  program.inputs.steps = 999;
  program.inputs.transition = cast (moves (), type);
  program.inputs.start = cast ((1:102)' == 1, type);
  program.check = @check;
endfunction

function transition = moves ()
  ladders = [1 38; 4 14; 9 31; 21 42; 28 84; 36 44; 51 67; 71 91; 80 100];
  chutes = [16 6; 47 26; 49 11; 56 53; 62 19; 64 60; 87 24; 93 73; 95 75; 98 78];
  ends = 0:100;
  ends([ladders(:,1); chutes(:,1)] + 1) = [ladders(:,2); chutes(:,2)];
  transition = zeros (102);
  for square = 0:99
    for die = 1:6
      next = square;
      if (square + die <= 100)
        next = ends(square + die + 1);
      endif
      transition(next + 1,square + 1) += 1 / 6;
    endfor
  endfor
  transition(101,101) = 1;
  transition(102,[1:100, 102]) = 1;
endfunction

function [deviation, limit] = check (inputs, outputs)
  ## By another way: the mean numbers of moves from all squares solve linear equations.
  among = double (inputs.transition(1:100,1:100));
  mean_moves = (eye (100) - among.') \ ones (100, 1);
  deviation = abs (double (outputs.distribution(102)) / mean_moves(1) - 1);
  if (abs (mean_moves(1) - 39.2) > 0.05 || abs (sum (outputs.distribution(1:101)) - 1) > 1e-3)
    deviation = Inf;
  endif
  limit = limit_for (inputs.start, 1e-3, 1e-10);
endfunction

%!test check_real ("markov_chutes")
%!test
%! among = markov_chutes ("double").inputs.transition(1:101,1:101);
%! can_end = (among ^ 7)(101,1) > 0;
%! assert ([(among ^ 6)(101,1) > 0, can_end], [false, true]);
