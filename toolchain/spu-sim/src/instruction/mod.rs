//! Instructions: the table of the instruction set, and what is derived from the table alone.
//!
//! | module | task |
//! |---|---|
//! | [`isa`] | the table: names, opcodes, forms, classes, register fields |
//! | [`decode`] | a word becomes an instruction |
//! | [`encode`] | an instruction becomes a word |
//! | [`disasm`] | an instruction as text |

pub mod decode;
pub mod disasm;
pub mod encode;
pub mod isa;
