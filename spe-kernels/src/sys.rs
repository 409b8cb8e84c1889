//! The protocol and the C functions, as bindgen reads them from `include/meu.h` and `host/run.h`.
#![allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    non_camel_case_types,
    non_upper_case_globals,
    clippy::all,
    clippy::undocumented_unsafe_blocks
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
