//! The Matrix Execution Unit (MEU) in C, and its safe face for the host.
//!
//! On a Cell the MEU is a program on an SPE ([`image`]). This crate also compiles the MEU's sources for the
//! host. There an MEU runs on a thread with a local store of its own ([`run_meu`]), and the kernels can be
//! called on slices ([`execute`]). `README.md` has the local-store map, the protocol, and how to add a
//! kernel.
//!
//! ```
//! use spe_kernels::{Block, BlockMut, Form, Opcode, execute};
//!
//! let (a, b) = ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]);
//! let mut sum = [0.0; 4];
//! execute(
//!     Opcode::Add,
//!     Form::Blocks,
//!     0.0,
//!     Block::new(&a, 4, 1, 4),
//!     Some(Block::new(&b, 4, 1, 4)),
//!     BlockMut::new(&mut sum, 4, 1, 4),
//! )
//! .unwrap();
//! assert_eq!(sum, [11.0, 22.0, 33.0, 44.0]);
//! ```

pub mod sys;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));

pub mod big_endian;
mod block;
mod caches;
pub mod definition;
mod execute;
mod image;
mod meu;
mod operation;
pub mod program;
pub mod spe;

pub use block::{Block, BlockMut, Element};
pub use caches::{ProductSides, last_cache_bytes, product_sides};
pub use execute::{
    PRODUCT_WORK_BYTES, VectorWidth, convert, convert_with, execute, execute_direct, execute_product,
    execute_product_of_blocks, execute_step_at, execute_with, products_need_pads,
};
pub use image::{MissingImage, Processor, image, overlays};
pub use meu::{LocalStore, Mailbox, MeuOptions, OmittedWait, run_meu};
pub use operation::{Form, Opcode, Precision, Status, is_on_spe, overlay};
pub use program::Program;
pub use sys::meu_parameters as MeuParameters;
