//! Measures the stage times of block operations on an engine, one operation at a time on one MEU.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spe_kernels::Processor;

use crate::engine::{self, BlockAddress, Choice, Command, Engine, Task};
use crate::error::{Error, Result};
use crate::lower::{Axis, Program, Venue};
use crate::matrix::Matrix;
use crate::operation::{KindSet, OpKind, Precision, Shape};
use crate::pool::Pool;
use crate::time::profile::{Profile, SAMPLES, sizes};
use crate::time::{BlockSize, StageTimes, TimeModel};

/// Operands come from matrices this many blocks wide, so that fetches have strides as in a real product.
const BLOCKS_WIDE: u32 = 4;

/// Measures the engine of this name, as far as its MEUs copy blocks to a local store, and fits a time model.
/// `processor` is that of a simulated Cell, whose times are virtual ones. `progress` is told how far it is,
/// from 0 to 1.
///
/// # Errors
/// [`Error::Argument`] when there is no such engine, or its MEUs measure nothing; [`Error::Engine`] when it
/// fails, and when the measurements determine no model.
pub fn measure_engine(name: &str, processor: Processor, progress: &mut dyn FnMut(f64)) -> Result<TimeModel> {
    // What a model tells is how long a local store takes.
    let choice = Choice {
        meus: 1,
        kinds: KindSet::ALL,
        memory: None,
        chaos: None,
        processor,
        timing: true,
        ppe_factor: 0.0,
        sabotage: None,
    };
    let target = engine::target(name, &choice)?;
    let mut engine = engine::make(name, &choice, target)?;
    measure(engine.as_mut(), progress)?.fit(&TimeModel::of_host()?)
}

/// Measures every kind of operation that an engine's MEUs execute, in both precisions on blocks of many
/// sizes.
fn measure(engine: &mut dyn Engine, progress: &mut dyn FnMut(f64)) -> Result<Profile> {
    if !engine.profile() {
        let name = engine.name();
        return Err(Error::Argument(format!("the MEUs of engine '{name}' do not measure their stages")));
    }
    let target = *engine.target();
    let pool = Pool::new(0, false);
    let mut profile = Profile::default();
    let total = (OpKind::ALL.len() * Precision::ALL.len()) as f64;
    for (done, kind) in OpKind::ALL.into_iter().enumerate() {
        if !target.kinds.contains(kind) {
            continue;
        }
        for precision in Precision::ALL {
            progress((2 * done + precision as usize) as f64 / total);
            let side =
                u16::try_from(target.blocks.side(block_precision(kind, precision))).unwrap_or(u16::MAX);
            let area = Area::new(side, &pool)?;
            for size in sizes(kind, precision, side) {
                let (program, operands) = (program(&size), area.operands(&size));
                let results = [area.block(2, size.result, size.precision)];
                let command = Command {
                    task: task(&size, &program),
                    venue: if kind.is_direct() { target.venue(kind) } else { Venue::LocalStore },
                    results: &results,
                    operands: &operands,
                };
                for _ in 0..=SAMPLES {
                    profile.add(size, run(engine, &command)?);
                }
            }
        }
    }
    progress(1.0);
    Ok(profile)
}

/// Blocks of a conversion have the sizes of blocks in single precision.
fn block_precision(kind: OpKind, precision: Precision) -> Precision {
    if kind == OpKind::Convert { Precision::Single } else { precision }
}

/// Matrices of ones, in both precisions, that hold operands and take results.
struct Area {
    matrices: [[Matrix; 3]; 2],
}

impl Area {
    fn new(side: u16, pool: &Pool) -> Result<Area> {
        let shape = Shape { rows: BLOCKS_WIDE * u32::from(side), columns: u32::from(side) };
        let single = || Matrix::from_fn(shape, pool, |_, _| 1f32);
        let double = || Matrix::from_fn(shape, pool, |_, _| 1f64);
        Ok(Area { matrices: [[single()?, single()?, single()?], [double()?, double()?, double()?]] })
    }

    fn block(&self, number: usize, (rows, columns): (u16, u16), precision: Precision) -> BlockAddress {
        let matrix = &self.matrices[precision as usize][number];
        let stride_bytes = u32::try_from(matrix.stride_bytes()).unwrap_or(u32::MAX);
        BlockAddress {
            ea: matrix.ea(0, 0),
            stride_bytes,
            rows: rows.into(),
            columns: columns.into(),
            precision,
            transposed: false,
        }
    }

    /// The operands of a block operation.
    fn operands(&self, size: &BlockSize) -> Vec<BlockAddress> {
        let sides = size.operands.iter().enumerate().filter(|(_, sides)| sides.0 > 0);
        sides.map(|(number, &sides)| self.block(number, sides, size.operand_precision)).collect()
    }
}

/// A block operation alone. An element-wise operation is a program of one step.
fn program(size: &BlockSize) -> Arc<Program> {
    Arc::new(Program::alone(size.kind, size.operand_precision))
}

fn task<'p>(size: &BlockSize, program: &'p Arc<Program>) -> Task<&'p Arc<Program>> {
    let parameters = match size.kind {
        // The slowest view: a transpose.
        OpKind::View => [0, size.operands[0].0.into(), 1, 0],
        OpKind::Band => [i64::from(i32::MIN), 0, 0, 0],
        _ => [0; 4],
    };
    match size.kind {
        OpKind::Multiply => Task::Product(Axis::whole(size.operands[0].1.into()), None),
        kind if kind.is_direct() => Task::Direct { kind, parameters, origin: (0, 0) },
        _ => Task::Program(program),
    }
}

fn run(engine: &mut dyn Engine, command: &Command<'_>) -> Result<StageTimes> {
    engine.offer(0, command);
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if let Err(fault) = engine.completed(0) {
            return Err(Error::Engine { engine: engine.name(), what: fault.what });
        }
        if let Some(times) = engine.last_times(0) {
            return Ok(times);
        }
        engine.wait(Duration::from_millis(10));
    }
    Err(Error::Engine { engine: engine.name(), what: "an operation has not completed within 10 s".into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Host;
    use crate::lower::{BlockLimits, Target};

    #[test]
    fn a_model_can_be_fitted_to_small_blocks() {
        let blocks = BlockLimits { block_elements: [48 * 48; 2], ..BlockLimits::paper() };
        let target = Target { blocks, ..Host::in_local_stores(1, KindSet::ALL) };
        let mut last = -1.0;
        let mut engine = Host::new(target, None).unwrap();
        let profile = measure(&mut engine, &mut |share| {
            assert!(share > last && share <= 1.0);
            last = share;
        });
        let model = profile.unwrap().fit(&TimeModel::of_host().unwrap()).unwrap();
        let size = sizes(OpKind::Multiply, Precision::Double, 48)[20];
        assert!(model.estimate(&size).total() > 0);
    }
}
