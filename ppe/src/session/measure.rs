//! Measures block operations on an engine, on one MEU: the stages of operations alone, streams of operations, and
//! chains of products.

mod notes;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use spe_kernels::Processor;

use super::Options;
use super::timeline::not_written;
use crate::engine::{self, BlockAddress, Choice, Command, Engine, Task};
use crate::error::{Error, Result};
use crate::lower::{Axis, Program, Target, Venue};
use crate::matrix::Matrix;
use crate::operation::{KindSet, OpKind, Precision, Shape};
use crate::pool::Pool;
use crate::time::fitted::Met;
use crate::time::profile::{Profile, SAMPLES, Times, VIRTUAL_SAMPLES};
use crate::time::terms::Machine;
use crate::time::trials::{OF_PROGRAMS, Trial, trials};
use crate::time::{BlockSize, TimeModel};
use notes::Notes;

/// Operands come from matrices this many blocks wide and high, so that fetches have strides as in a real
/// product, and chains have so many parts.
const BLOCKS_WIDE: u32 = 8;

/// Operations of the shorter and of the longer stream. What each operation takes is the difference, so that the
/// beginning does not count.
const STREAMS: [u64; 2] = [4, 16];

/// Parts of the shorter and of the longer chain.
const CHAINS: [u32; 2] = [2, BLOCKS_WIDE];

/// The side of the largest block of a host's products, moves and reductions, which it executes in main memory. The
/// columns of the matrices are odd numbers of lines apart then, so that they do not share a few sets of the caches.
const HOST_SIDE: u16 = 252;

/// The kinds without which no model can be fitted.
const NEEDED: [OpKind; 2] = [OpKind::Multiply, OF_PROGRAMS];

/// A fitted model, and how well it meets what was measured.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The model.
    pub model: TimeModel,
    /// Row by row: what the model says, and what was measured.
    pub met: Vec<Met>,
    /// Trials with outliers, in words.
    pub outliers: Vec<String>,
}

/// Measures the engine of this name, and fits a time model. MEUs of a host execute products, moves and reductions in
/// main memory, and programs both in a local store and in main memory.
/// `processor` is that of a simulated Cell, whose times are virtual ones. Products and additions are measured, and
/// the given `kinds`; all other kinds have the times of the model that comes with pmatrix. What was measured when is written
/// to the file `timeline`, if there is one. `progress` is told how far it is, from 0 to 1.
///
/// # Errors
/// [`Error::Argument`] when there is no such engine, or its MEUs measure nothing; [`Error::Engine`] when it
/// fails, and when the measurements determine no model; [`Error::File`] when the timeline cannot be written.
pub fn measure_engine(
    name: &str,
    processor: Processor,
    kinds: KindSet,
    timeline: Option<&Path>,
    progress: &mut dyn FnMut(f64),
) -> Result<Measured> {
    let choice = Choice {
        meus: 1,
        cells: 1,
        kinds: KindSet::ALL,
        memory: None,
        chaos: None,
        processor,
        timing: true,
        ppe_factor: 0.0,
        compute: true,
        sabotage: None,
    };
    let target = engine::target(name, &choice)?;
    let make = || engine::make(name, &choice, target);
    let options = Options { profile: timeline.map(Path::to_owned), ..Options::default() };
    let notes = Notes::new(options.new_timeline(name, &target)?);
    let mut bench = Bench::new(target, make()?, make()?, notes)?;
    let measured = KindSet::from_iter(
        OpKind::ALL.into_iter().filter(|&kind| kinds.contains(kind) || NEEDED.contains(&kind)),
    );
    let profile = bench.measure(measured, progress)?;
    bench.notes.timeline.save().map_err(|error| not_written(&error))?;
    let known = if bench.is_virtual { TimeModel::of_cell(processor)? } else { TimeModel::of_host()? };
    // The figures of the memory are the machine's. No measurement of one SPE determines them all.
    let model = profile.fit(&known, known.memory)?;
    Ok(Measured { met: profile.met(&model), outliers: profile.outliers, model })
}

/// Engines with one MEU, and matrices for the operations.
struct Bench {
    target: Target,
    /// Its MEU measures the stages of each operation, and waits for each transfer meanwhile.
    profiling: Box<dyn Engine>,
    /// Its MEU works as always.
    plain: Box<dyn Engine>,
    /// Whether time is virtual.
    is_virtual: bool,
    notes: Notes,
}

impl Bench {
    fn new(
        target: Target,
        mut profiling: Box<dyn Engine>,
        plain: Box<dyn Engine>,
        notes: Notes,
    ) -> Result<Bench> {
        let is_virtual = profiling.ppe_clock().is_some();
        if !profiling.profile() {
            let name = profiling.name();
            return Err(Error::Argument(format!("the MEUs of engine '{name}' do not measure their stages")));
        }
        Ok(Bench { target, profiling, plain, is_virtual, notes })
    }

    /// Measures these kinds of operations, as far as the MEU executes them, in both precisions on blocks of many sizes.
    fn measure(&mut self, kinds: KindSet, progress: &mut dyn FnMut(f64)) -> Result<Profile> {
        let pool = Pool::new(0, false);
        let mut profile = Profile::default();
        let total = (OpKind::ALL.len() * Precision::ALL.len()) as f64;
        let machine = self.machine();
        let side = |precision| u16::try_from(self.target.blocks.side(precision)).unwrap_or(u16::MAX);
        let sides = Precision::ALL.map(side);
        let most = sides.into_iter().max().unwrap_or(0);
        let most = if machine == Machine::Host { most.max(HOST_SIDE) } else { most };
        let areas = [Area::new(most, false, &pool)?, Area::new(most, true, &pool)?];
        for (done, kind) in OpKind::ALL.into_iter().enumerate() {
            if !kinds.and(self.target.kinds).contains(kind) {
                continue;
            }
            for precision in Precision::ALL {
                progress((2 * done + precision as usize) as f64 / total);
                let side = match self.venue(kind) {
                    Venue::Memory => HOST_SIDE,
                    _ => sides[block_precision(kind, precision) as usize],
                };
                let area = &areas[usize::from(kind.is_partial())];
                for trial in trials(machine, kind, precision, side) {
                    self.notes.begin(&trial);
                    let samples = self.samples(&trial, area).map_err(|error| match error {
                        Error::Engine { engine, what } => {
                            let what = format!("{} {}: {what}", kind.name(), trial.text());
                            Error::Engine { engine, what }
                        }
                        error => error,
                    })?;
                    profile.add(trial, &samples)?;
                }
            }
        }
        progress(1.0);
        Ok(profile)
    }

    fn samples(&mut self, trial: &Trial, area: &Area) -> Result<Vec<Times>> {
        let samples = 0..=if self.is_virtual { VIRTUAL_SAMPLES } else { SAMPLES };
        match *trial {
            Trial::Stages(size) => {
                let program = Arc::new(Program::alone(size.kind, size.operand_precision));
                let blocks = area.blocks(&size, self.venue(size.kind));
                samples.map(|_| self.stages(&blocks.command(self.task(&size, &program)))).collect()
            }
            Trial::InMemory(size) => {
                let program = Arc::new(Program::alone(size.kind, size.operand_precision));
                let blocks = area.blocks(&size, Venue::Memory);
                samples
                    .map(|_| self.stages(&blocks.command((Task::Program(&program), Venue::Memory))))
                    .collect()
            }
            Trial::Program { precision, sides, steps, repeated } => {
                let program = Arc::new(Program::repeated(OF_PROGRAMS, precision, steps));
                let second = if repeated { (sides.0, 1) } else { sides };
                let size = BlockSize {
                    kind: OF_PROGRAMS,
                    precision,
                    operand_precision: precision,
                    result: sides,
                    operands: [sides, second],
                    products: 1,
                };
                let blocks = area.blocks(&size, Venue::LocalStore);
                samples
                    .map(|_| self.stages(&blocks.command((Task::Program(&program), Venue::LocalStore))))
                    .collect()
            }
            Trial::Stream(size) => {
                let program = Arc::new(Program::alone(size.kind, size.operand_precision));
                let blocks = area.blocks(&size, self.venue(size.kind));
                let task = self.task(&size, &program);
                samples
                    .map(|_| self.each(&blocks.command(task), &blocks.command(task), STREAMS, 1.0))
                    .collect()
            }
            Trial::Part(size) => {
                let blocks = area.blocks(&size, Venue::LocalStore);
                let chain = |parts| {
                    let axis = Axis::equal(parts, size.operands[0].1.into());
                    blocks.command((Task::Product(axis, None), Venue::LocalStore))
                };
                let [short, long] = CHAINS.map(chain);
                let parts = f64::from(CHAINS[1] - CHAINS[0]);
                let count = [STREAMS[0]; 2];
                samples.map(|_| self.each(&short, &long, count, STREAMS[0] as f64 * parts)).collect()
            }
        }
    }

    /// Whose times are measured.
    fn machine(&self) -> Machine {
        if self.target.spes { Machine::Spe } else { Machine::Host }
    }

    /// Where operations of this kind are measured.
    fn venue(&self, kind: OpKind) -> Venue {
        match self.machine() {
            Machine::Host if kind == OpKind::Multiply || kind.is_direct() => Venue::Memory,
            Machine::Host => Venue::LocalStore,
            Machine::Spe => self.target.venue(kind),
        }
    }

    fn task<'p>(&self, size: &BlockSize, program: &'p Arc<Program>) -> (Task<&'p Arc<Program>>, Venue) {
        let parameters = match size.kind {
            // The slowest view: a transpose.
            OpKind::View => [0, size.operands[0].0.into(), 1, 0],
            OpKind::Band => [i64::from(i32::MIN), 0, 0, 0],
            kind if kind.is_reduction() => [i64::from(size.result.1 == 1 && size.operands[0].1 > 1), 0, 0, 0],
            _ => [0; 4],
        };
        match size.kind {
            OpKind::Multiply => {
                let inner = size.operands[0].1.into();
                let axis = match size.products {
                    1 => Axis::whole(inner),
                    products => Axis::equal(products, inner),
                };
                (Task::Product(axis, None), self.venue(size.kind))
            }
            kind if kind.is_direct() => (Task::Direct { kind, parameters, origin: (0, 0) }, self.venue(kind)),
            _ => (Task::Program(program), Venue::LocalStore),
        }
    }

    /// The stages of an operation.
    fn stages(&mut self, command: &Command<'_>) -> Result<Times> {
        let begun = self.notes.timeline.begin();
        let engine = self.profiling.as_mut();
        engine.offer(0, command);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Err(fault) = engine.completed(0) {
                return Err(Error::Engine { engine: engine.name(), what: fault.what });
            }
            if let Some(times) = engine.last_times(0) {
                let times = times.into();
                self.notes.measured(begun, (!self.is_virtual).then_some(&times));
                return Ok(times);
            }
            engine.wait(Duration::from_millis(10));
        }
        Err(too_long(engine))
    }

    /// How much longer `counts[1]` operations like `long` take than `counts[0]` like `short`, for each operation
    /// that they are more, or for each of `parts`.
    fn each(
        &mut self,
        short: &Command<'_>,
        long: &Command<'_>,
        counts: [u64; 2],
        parts: f64,
    ) -> Result<Times> {
        let begun = self.notes.timeline.begin();
        let less = self.stream(short, counts[0])?;
        let more = self.stream(long, counts[1])?;
        self.notes.measured(begun, None);
        let further = (counts[1] - counts[0]).max(1) as f64 * parts;
        Ok(Times { ex: ((more - less) / further).max(1.0), ..Times::default() })
    }

    /// Nanoseconds of so many equal operations.
    fn stream(&mut self, command: &Command<'_>, count: u64) -> Result<f64> {
        let engine = self.plain.as_mut();
        let fault = |engine: &dyn Engine, what| Error::Engine { engine: engine.name(), what };
        let before = engine.completed(0).map_err(|found| fault(engine, found.what))?;
        let (begin, since) = (engine.now(), Instant::now());
        let mut offered = 0;
        while since.elapsed() < PATIENCE {
            while offered < count && engine.room(0) > 0 {
                engine.offer(0, command);
                offered += 1;
            }
            let completed = engine.completed(0).map_err(|found| fault(engine, found.what))?;
            if completed - before == count {
                return Ok(match self.is_virtual {
                    true => (engine.now() - begin) as f64,
                    false => since.elapsed().as_nanos() as f64,
                });
            }
            engine.wait(Duration::from_millis(10));
        }
        Err(too_long(engine))
    }
}

/// Longest operation or stream.
const PATIENCE: Duration = Duration::from_secs(60);

fn too_long(engine: &dyn Engine) -> Error {
    let what = format!("an operation has not completed within {} s", PATIENCE.as_secs());
    Error::Engine { engine: engine.name(), what }
}

/// Blocks of a conversion have the sizes of blocks in single precision.
fn block_precision(kind: OpKind, precision: Precision) -> Precision {
    if kind == OpKind::Convert { Precision::Single } else { precision }
}

/// Matrices in both precisions that hold operands and take results. Their elements are spread, or ones where an
/// operation has a domain.
struct Area {
    matrices: [[Matrix; 3]; 2],
}

/// The blocks of an operation.
struct Blocks {
    operands: Vec<BlockAddress>,
    results: [BlockAddress; 1],
}

impl Blocks {
    fn command<'b>(&'b self, (task, venue): (Task<&'b Arc<Program>>, Venue)) -> Command<'b> {
        Command { task, venue, results: &self.results, operands: &self.operands }
    }
}

impl Area {
    /// For blocks with this side, for operations that have a domain or not.
    fn new(side: u16, partial: bool, pool: &Pool) -> Result<Area> {
        // Functions take longer for some arguments than for others.
        let element = |row: usize, column: usize| match partial {
            true => 1.0,
            false => ((37 * row + 101 * column) % 1009) as f64 / 16.0 - 31.0,
        };
        let side = BLOCKS_WIDE * u32::from(side);
        let shape = Shape { rows: side, columns: side };
        let single = || Matrix::from_fn(shape, pool, |row, column| element(row, column) as f32);
        let double = || Matrix::from_fn(shape, pool, element);
        Ok(Area { matrices: [[single()?, single()?, single()?], [double()?, double()?, double()?]] })
    }

    fn block(
        &self,
        number: usize,
        (rows, columns): (u16, u16),
        precision: Precision,
        rows_touch: bool,
    ) -> BlockAddress {
        let matrix = &self.matrices[precision as usize][number];
        let stride_bytes =
            if rows == 1 && rows_touch { precision.element_bytes() } else { matrix.stride_bytes() };
        let stride_bytes = u32::try_from(stride_bytes).unwrap_or(u32::MAX);
        BlockAddress {
            ea: matrix.ea(0, 0),
            stride_bytes,
            rows: rows.into(),
            columns: columns.into(),
            precision,
            transposed: false,
        }
    }

    /// The blocks of a block operation.
    fn blocks(&self, size: &BlockSize, venue: Venue) -> Blocks {
        // The elements of a matrix of one row touch where MEUs address main memory, and products of one row are many.
        let rows_touch = venue == Venue::Memory && size.kind == OpKind::Multiply;
        let sides = size.operands.iter().enumerate().filter(|(_, sides)| sides.0 > 0);
        let operands =
            sides.map(|(number, &sides)| self.block(number, sides, size.operand_precision, rows_touch));
        Blocks {
            operands: operands.collect(),
            results: [self.block(2, size.result, size.precision, rows_touch)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Host;
    use crate::lower::BlockLimits;
    use crate::timeline::Timeline;

    #[test]
    fn a_model_can_be_fitted_to_small_blocks() {
        let blocks = BlockLimits { block_elements: [48 * 48; 2], ..BlockLimits::paper() };
        let target = Target { blocks, ..Host::in_local_stores(1, KindSet::ALL) };
        let mut last = -1.0;
        let host = || -> Box<dyn Engine> { Box::new(Host::new(target, None).unwrap()) };
        let notes = Notes::new(Timeline::new(None, String::new()).unwrap());
        let mut bench = Bench::new(target, host(), host(), notes).unwrap();
        let profile = bench.measure(KindSet::ALL, &mut |share| {
            assert!(share > last && share <= 1.0);
            last = share;
        });
        let profile = profile.unwrap();
        let model = profile.fit(&TimeModel::of_host().unwrap(), None).unwrap();
        let met = profile.met(&model);
        assert_eq!(met.len(), 2 * (OpKind::ALL.len() + 2));
        let sized =
            trials(Machine::Host, OpKind::Multiply, Precision::Double, 48).into_iter().find_map(|trial| {
                match trial {
                    Trial::Stream(size) => Some(size),
                    _ => None,
                }
            });
        assert!(model.estimate_in_memory(&sized.unwrap()).total() > 0);
    }
}
