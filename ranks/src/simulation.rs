//! A trace on a simulated cluster (`shim/simulation.c`): lowering, insertion, caching and scheduling are those of ranks, and
//! the simulator says how long operations and transfers take. No matrix has elements.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::sync::Arc;

use pmatrix::engine::Host;
use pmatrix::lower::{MemoryLimits, ShardLimits};
use pmatrix::matrix::{Layout, Matrix};
use pmatrix::pool::Pool;
use pmatrix::time::TimeModel;
use pmatrix::wire::configuration::Configuration;
use pmatrix::wire::saved::Saved;

use super::insert::Inserter;
use super::record::Record;
use super::shards::Shards;
use super::shim::Ranks;

unsafe extern "C" {
    fn ranks_now() -> f64;
    fn ranks_meet();
}

fn now() -> f64 {
    // SAFETY: StarPU has been started.
    unsafe { ranks_now() }
}

/// The contract is that of `simulation.h`.
#[unsafe(no_mangle)]
unsafe extern "C" fn ranks_nanoseconds(record: *const c_void) -> f64 {
    // SAFETY: the shim got the record from `insert`, and its operation has not ended.
    unsafe { &*record.cast::<Record>() }.nanoseconds as f64
}

/// The contract is that of `simulation.h`.
#[unsafe(no_mangle)]
unsafe extern "C" fn ranks_forget(record: *mut c_void) {
    // SAFETY: `insert` made the pointer from a box, and the shim hands it to one call.
    drop(unsafe { Box::from_raw(record.cast::<Record>()) });
}

/// The contract is that of `simulation.h`.
#[unsafe(no_mangle)]
unsafe extern "C" fn ranks_simulate(file: *const c_char, side: c_int) -> c_int {
    // SAFETY: it is an argument of the program.
    let file = unsafe { CStr::from_ptr(file) };
    match simulate(&file.to_string_lossy(), side as u32) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("simulated rank: {error}");
            1
        }
    }
}

fn simulate(file: &str, side: u32) -> io::Result<()> {
    let wrong = |error: pmatrix::error::Error| io::Error::other(error.to_string());
    let saved = Saved::decode(&std::fs::read(file)?).map_err(wrong)?;
    let shards = ShardLimits { side };
    shards.validate().map_err(wrong)?;
    let host = Host::in_memory(1, MemoryLimits::default());
    let configuration = Configuration::of_kernels(&host, shards);
    let configuration = configuration.ok_or_else(|| io::Error::other("the host's target has no shards"))?;
    let target = configuration.target().map_err(wrong)?;
    let model = TimeModel::of_host().map_err(wrong)?;
    let (trace, pool) = (Arc::new(saved.trace.trace), Pool::new(0, false));
    let ranks = Ranks::start(None)?;
    ranks.begin();
    for constant in &trace.constants {
        let matrix = Arc::new(Matrix::elsewhere(constant.shape, constant.precision, Layout::Touching));
        for shard in Shards::of(&matrix, &shards.grid(constant.shape), &ranks).all() {
            if ranks.is_here(shard.owner) {
                ranks.open(shard.handle(&ranks), true, (0, 0), |_, _| {})?;
            }
        }
        _ = constant.slot.set(matrix);
    }
    // SAFETY: StarPU has been started, and nothing is under way.
    unsafe { ranks_meet() };
    ranks.begin();
    let begun = now();
    Inserter::new(&ranks, &model).trace(&trace, &target, &pool, &Arc::default())?;
    ranks.wait()?;
    let took = now() - begun;
    let (place, sent) = (ranks.place, ranks.sent_bytes());
    println!("rank {} of {} workers: {took:.0} us, {sent} bytes sent", place.rank, place.workers);
    // SAFETY: StarPU has been started, and nothing is under way.
    unsafe { ranks_meet() };
    drop(trace);
    ranks.stop();
    Ok(())
}
