//! The trace language: the front end for tests and benchmarks (paper, "Testing and Debugging").
//!
//! # Grammar
//! ```text
//! program    = { [ statement ] ( newline | ";" | "," ) }
//! statement  = name "=" expression                    shown unless ";" follows
//!            | expression                             shown as `ans`, or under its name
//!            | "print" "(" expression { "," expression } ")"    elements only, a row a line
//!            | "force" "(" expression { "," expression } ")"    execute now what these need
//!            | "save" "(" expression "," expression ")"         file, value
//! expression = conjunction { "|" conjunction }
//! conjunction = comparison { "&" comparison }
//! comparison = sum { ( "==" | "!=" | "~=" | "<" | "<=" | ">" | ">=" ) sum }
//! sum        = product { ( "+" | "-" ) product }
//! product    = signed { ( "*" | ".*" | "/" | "./" ) signed }
//! signed     = { "-" | "+" | "!" | "~" } power
//! power      = primary { "'" | ".'" | ".^" { "-" | "+" | "!" | "~" } primary }
//! primary    = number | text | name | "(" expression ")" | matrix | name "(" [ expression { "," expression } ] ")"
//! matrix     = "[" { row ( ";" | newline ) } "]"
//! row        = { [ "-" | "+" ] ( number | "NaN" | "Inf" | "pi" | "e" ) [ "," ] }
//! ```
//! `#` and `%` begin a comment, `...` continues a line, text stands in `"` or `'`.  All operators associate to the left.  The
//! divisor of `/` is a scalar.  There is no matrix power and no subscript.  A quote transposes where it follows a value without a
//! blank.  Parentheses, calls and signs may be
//! nested [`MAX_NESTING`] deep.
//!
//! # Values
//! A number that stands alone (`2`, `-3 / 7`, `n` after `n = 5;`) is computed at once, is a double of Octave's, and combines with a
//! matrix by the operation's scalar form.  A matrix is written out, made by a constructor, loaded, or recorded as an operation.
//! Literals and constructors have the precision that the program is run with; a conversion changes it.
//!
//! # Functions
//! | | |
//! |---|---|
//! | `MADD MSUB MMUL` | sum, difference and product of two matrices |
//! | `SADD SSUB SMUL SDIV SPOW SMOD SEQ SNE` | a matrix and a number, in either order |
//! | `TIMES DIVIDE POWER MOD EQ NE` | element by element, with any operands |
//! | `ABS SIN COS SIGN ROUND` | on one matrix |
//! | `plus minus mtimes times rdivide power mod eq ne abs sin cos sign round uminus` | Octave's names |
//! | `lt le gt ge and or not max min rem atan2 hypot floor ceil fix isnan isinf isfinite` | likewise; `max` and `min` of two |
//! | `sqrt exp expm1 log log2 log10 log1p tan asin acos atan sinh cosh tanh asinh acosh atanh` | likewise |
//! | `single double` | conversion |
//! | `zeros ones eye` | `(n)` or `(n, m)` |
//! | `range` | `(first, last)`: the row first, first + 1, ... |
//! | `rand` | `(n, m, seed)`: reproducible numbers of [0, 1) |
//! | `load` | `(file)`: see [`files`] |
//! | `copy transposed` | computed now; the result is a new constant.  They prepare input. |
//! | `transpose` | `(x)`; also written `x'` |
//! | `reshape repmat` | `(x, n, m)` |
//! | `slice` | `(x, first row, last row, first column, last column)` from 1 on, and the steps, of rows and columns |
//! | `horzcat vertcat` | `(x, y)` |
//! | `tril triu diag diagonalof` | `(x)` or `(x, k)`; `diag` takes a vector, `diagonalof` is Octave's `diag` of a matrix |
//! | `sum prod sumsq cumsum any all maximum minimum` | `(x)` or `(x, dimension)`; the last two are Octave's `max` and `min` of one value |
//! | `norm` | `(x)`: the Euclidean norm of all elements |

pub mod ast;
pub mod construct;
pub mod direct;
pub mod display;
mod error;
pub mod files;
pub mod functions;
mod lexer;
mod parser;
pub mod programs;
pub mod random;
mod run;
pub mod table;

pub use error::{Cause, Position, ProgramError};
pub use parser::{MAX_NESTING, parse};
pub use run::{RunOptions, Runner};
