//! A simulator of the Cell Broadband Engine's SPU and of the PowerXCell 8i's: instructions, pipeline timing,
//! MFC, mailboxes, and the library calls that the PPE serves.
//!
//! ```text
//!   instruction/ (isa, the table ──> decode, encode, disasm) ──> exec/* (one file a chapter of the ISA)
//!                                   │
//!   quad, fpscr, local_store ──> spu (registers, fetch loop, observers) <── timing/pipeline
//!                                   │
//!   mailbox ──> port (shared side) ─┴─ channels ── mfc/* ──> memory (the trait, RAM, windows on SPEs)
//!                                   │
//!   elf ──────────────────────────> spe (load, start, run) ──> machine (several SPEs in virtual time)
//!                                   │                             │
//!   calls/* (printf, files, ──────> program (run to the exit status)
//!           memory/address_space)
//! ```
//!
//! * One SPE without timing: [`spe::Spe`]. It may live on any thread; other threads reach it through its
//!   [`port::Port`].
//! * Several SPEs with timing, deterministic to the cycle: [`machine::Machine`].
//! * A program with its library calls: [`program`].
//! * The PPE's view of an SPE, its registers and proxy commands: [`proxy`].
//! * Main memory: a type with the trait [`memory::MainMemory`], and [`memory::address_space::AddressSpace`]
//!   if programs may allocate and map it.
//!
//! A fault of the simulated program is a value ([`spe::StopReason`]), never a panic.
//!
//! Sources are named where facts are used. "cell-facts" with a section is the project's collection of
//! hardware facts, each with its own source.
//!
//! # Example
//!
//! Three instructions, assembled by hand: load a constant, send it to the PPE, stop.
//!
//! ```
//! use std::sync::Arc;
//! use spu_sim::{
//!     channels::number::SPU_WR_OUT_MBOX,
//!     instruction::{decode::Instruction, encode::{blank, encode}, isa::Opcode},
//!     memory::Ram, spe::{Spe, SpeConfig, StopReason},
//! };
//!
//! let mut spe = Spe::new(&SpeConfig::default(), Arc::new(Ram::new(0, 4096)));
//! let code = [
//!     encode(&Instruction { t: 3, immediate: 42, ..blank(Opcode::Il) }),
//!     encode(&Instruction { t: 3, a: SPU_WR_OUT_MBOX, ..blank(Opcode::Wrch) }),
//!     encode(&Instruction { immediate: 0x11, ..blank(Opcode::Stop) }),
//! ];
//! for (address, word) in (0..).step_by(4).zip(code) {
//!     spe.ls().store_word(address, word);
//! }
//! assert_eq!(spe.run(100), StopReason::Stop(0x11));
//! assert_eq!(spe.port().read_out_mailbox(), Some(42));
//! ```

pub mod calls;
pub mod channels;
pub mod elf;
pub mod exec;
pub mod fpscr;
pub mod instruction;
pub mod local_store;
pub mod machine;
pub mod mailbox;
pub mod memory;
pub mod mfc;
pub mod port;
pub mod program;
pub mod proxy;
pub mod quad;
pub mod spe;
pub mod spu;
pub mod timing;
