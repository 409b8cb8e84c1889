/* single.h - what multiply.c tells multiply_single.S. */
#ifndef PMATRIX_SINGLE_H
#define PMATRIX_SINGLE_H

/* Quadwords of a plan.  Each holds one number in all words, unless said otherwise.  INDEX is four times
 * (distance in a, address in b), halfwords in units of 16 bytes, of four turns: distances from where the last
 * turn of a tile finds its columns. */
#define SINGLE_TO 0        /* addresses of the first tile's 4 vectors, a word each */
#define SINGLE_TO_STEP 1   /* from one tile to the next */
#define SINGLE_START 2     /* INDEX of the tile before the first */
#define SINGLE_STEP 3      /* of INDEX, four turns */
#define SINGLE_TILE 4      /* of INDEX, one tile, less SINGLE_STEP */
#define SINGLE_COUNT 5     /* tiles in a strip */
#define SINGLE_STRIPS 6    /* strips */
#define SINGLE_STRIP 7     /* of INDEX, from behind a strip to the next */
#define SINGLE_STRIP_TO 8  /* of the result's addresses, likewise */
#define SINGLE_STRIDE 9    /* of the result */
#define SINGLE_VALID 10    /* columns of a tile that count */
#define SINGLE_PLAN 11     /* quadwords */

/* The state before the first tile, in bytes behind multiply_single_states: tiles of several turns, or of
 * one. */
#define SINGLE_TURNS 64
#define SINGLE_ONLY_TURN 80

/* The mode. */
#define SINGLE_MULTIPLY 4
#define SINGLE_ACCUMULATE 8

#endif
