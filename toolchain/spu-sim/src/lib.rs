//! A simulator of the Cell Broadband Engine's SPU.

pub mod calls;
pub mod channels;
pub mod decode;
mod decrementer;
pub mod disasm;
pub mod elf;
pub mod encode;
pub mod exec;
pub mod fpscr;
pub mod isa;
pub mod local_store;
pub mod machine;
pub mod mailbox;
pub mod memory;
pub mod mfc;
pub mod port;
pub mod program;
pub mod quad;
pub mod spe;
pub mod spu;
pub mod timing;
