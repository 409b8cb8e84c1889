//! libspe2 on simulated SPEs: a shared library with the binary interface of libspe2 2.x, whose SPEs are
//! simulated by `spu-sim`. Programs written against libspe2, and this project's own Cell engine, run with it
//! unchanged on a machine without SPEs.
//!
//! ```text
//!   abi (the exported functions) ──> context (contexts, gangs: affinity) ── image ── run/ (stops, callback, stdio)
//!                                        │                                          │          │
//!                                        │                                 spu_sim::spe   spu_sim::calls
//!                                        ├── event ── proxy_dma                                │
//!                                        └── problem_state ── memory ── address_space ─────────┘
//!                                                           └── guard (C: faults and traps)
//! ```
//!
//! * Types and constants come from `ppu-sys`. Its table of functions makes the compiler check that every
//!   function is exported with the right type.
//! * One thread of the PPE program runs one SPE, as with the real library; SPEs run in parallel.
//! * An effective address is an address of this process. DMA to an address that the process cannot access is
//!   an exception of the SPE.
//! * SPEs are big-endian on any host. A PPE program on a little-endian host has to swap the bytes of shared
//!   data itself.
//!
//! # Environment
//!
//! | variable | meaning |
//! |---|---|
//! | `LIBSPE2_SIM_SPES` | usable SPEs, 1 to 128 (8; a PlayStation 3 has 6; 16 are two chips) |
//! | `LIBSPE2_SIM_CPU` | `celledp` (PowerXCell 8i) or `cell` |
//! | `LIBSPE2_SIM_TIMING` | `1`: each context counts cycles by the pipeline model, without DMA, and prints them at its end |
//! | `LIBSPE2_SIM_REORDER` | a seed: MFCs run commands late and in another order that fences and barriers allow |
//! | `LIBSPE2_SIM_LIMIT` | most instructions of one run, which then fails with ETIME |
//! | `LIBSPE2_SIM_QUIET` | `1`: errors of SPE programs are not printed to standard error |
//!
//! # Where it differs from the real library
//!
//! * A DMA exception is always a result of `spe_context_run`, and an exception of a proxy command is the
//!   error EIO; neither is a signal to the process. An invalid instruction is a result too
//!   (`SPE_RUNTIME_ERROR`), where the kernel sends SIGILL without `SPE_EVENTS_ENABLE`.
//! * `spe_mfcio_tag_status_read` honours its mask without `SPE_MAP_PS`, too. `SPE_TAG_ANY` does not wait for
//!   all tag groups.
//! * `realloc` of an SPE program in main memory gets the whole address. Open streams belong to a context,
//!   files to the process.
//! * An SPE program can make the system calls that `spu_sim::calls` serves.
//! * `spe_cpu_info_get` counts the simulated SPEs, and not files of the kernel.
//! * Destroying a running context ends its run (EINTR) instead of leaving it.
//! * An event handler that is destroyed listens to nothing any more.
//! * A pointer to a destroyed context, gang or event handler gives ESRCH. A gang with contexts cannot be
//!   destroyed (EBUSY).
//! * There are no isolated SPEs (ENODEV), no priorities, and as many SPEs run as there are threads.
//! * The decrementer counts instructions (or cycles with timing), not time.

mod abi;
mod address_space;
mod affinity;
mod context;
mod errno;
mod event;
mod guard;
mod image;
mod memory;
mod problem_state;
mod proxy_dma;
mod run;
mod settings;

pub use abi::functions;
