//! How a program is run: the options of its session, and what happens meanwhile.

use std::fmt;
use std::time::Duration;

use fastrand::Rng;
use pmatrix::engine::sabotage::{Manner, Sabotage};
use pmatrix::operation::Precision;
use pmatrix::schedule::schedulers;
use pmatrix::session::{Options, Processor};
use pmatrix::trace::Limits;

use crate::program::Case;

/// What happens while a program runs. MEUs that are lost are an option of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disturbance {
    None,
    /// A thread that computes without end beside it.
    Busy,
    /// Executions are given up so many times.
    Cancelled(u32),
    /// The system refuses all allocations but so many.
    NoMemory(u64),
    /// The program ends early, at this part of its statements in percent, and its values are dropped.
    Abandoned(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) options: Options,
    pub(crate) disturbance: Disturbance,
    /// Where the time of a disturbance is drawn from.
    pub(crate) seed: u64,
}

/// One of these.
fn one<T: Clone>(random: &mut Rng, from: &[T]) -> T {
    from[random.usize(..from.len())].clone()
}

impl Setting {
    /// All that is drawn depends on the seed, the number of the run, and the most MEUs.
    pub(crate) fn new(seed: u64, number: u64, case: &Case, most_meus: usize) -> Setting {
        let mut random = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number) ^ 0x50a4);
        let engine = match random.u32(..24) {
            0..=2 if case.small => "sim",
            3..=6 => "clock",
            _ => "host",
        };
        let mut options = Options {
            engine: engine.into(),
            meus: random.usize(1..=most_meus),
            scheduler: schedulers()[random.usize(..schedulers().len())].name().into(),
            overlap: random.u32(..4) > 0,
            immediate: random.u32(..3) == 0,
            common: random.u32(..4) > 0,
            chunk_operations: one(&mut random, &[2048, 1, 5, 64]),
            poison: true,
            validate: random.u32(..4) == 0,
            even: random.bool(),
            steps: one(&mut random, &[Options::default().steps, 1, 3]),
            ..Options::default()
        };
        if random.u32(..4) > 0 {
            options.block_elements = Some(one(&mut random, &[64, 256, 1024]));
            options.divisor = Some(4);
            options.chain = one(&mut random, &[None, Some(1), Some(2), Some(3)]);
            options.stretch = one(&mut random, &[None, Some(true), Some(false)]);
        }
        if random.u32(..3) == 0 {
            options.limits = Limits {
                operations: one(&mut random, &[1, 2, 7, 40, 1 << 20]),
                depth: one(&mut random, &[1, 3, 1 << 20]),
                bytes: one(&mut random, &[1 << 10, 1 << 14, 1 << 18, 1 << 40]),
            };
            options.keep_bytes = one(&mut random, &[0, 1 << 16, 1 << 24]);
        }
        options.processor = one(&mut random, &[Processor::CellBe, Processor::PowerXCell8i]);
        match engine {
            "host" if random.bool() => {
                options.memory = None;
                options.chaos = random.bool().then(|| random.u64(..));
                options.meu_kinds =
                    one(&mut random, &["all", "all", "paper", "multiply,sum,view", "multiply,add,equal"])
                        .parse()
                        .unwrap();
            }
            "sim" if random.bool() => {
                (options.timing, options.overlap) = (true, false);
                options.cells = cells(&mut random, options.meus);
            }
            "sim" => options.chaos = random.bool().then(|| random.u64(..)),
            "clock" => {
                options.memory = None;
                options.cells = cells(&mut random, options.meus);
            }
            _ => {}
        }
        if engine != "clock" && random.u32(..4) == 0 {
            options.sabotage = Some(sabotage(&mut random, &options));
        }
        if options.sabotage.is_some_and(|sabotage| sabotage.manner == Manner::Hang) {
            if crate::variable("HANGS") == Some(0) {
                options.sabotage = None;
            } else {
                options.patience = Duration::from_millis(if engine == "sim" { 600 } else { 150 });
            }
        }
        let disturbance = match random.u32(..24) {
            0 => Disturbance::Busy,
            1..=3 if options.overlap => Disturbance::Cancelled(random.u32(1..9)),
            4..=6 if engine != "clock" => Disturbance::NoMemory(1 << random.u32(..12)),
            7..=9 => Disturbance::Abandoned(random.usize(..100)),
            _ => Disturbance::None,
        };
        Setting { options, disturbance, seed: random.u64(..) }
    }

    /// The setting whose bits a program has to have: the definition of all results where this machine has it, else one
    /// MEU.
    pub(crate) fn expected(&self, case: &Case) -> Options {
        let undisturbed = Options {
            sabotage: None,
            patience: Options::default().patience,
            limits: Limits::default(),
            chaos: None,
            overlap: false,
            timing: false,
            cells: 1,
            ..self.options.clone()
        };
        match self.options.engine.as_str() {
            // A Cell BE takes denormal operands of double precision for zeros, and the reference does not.
            "sim" if case.precision == Precision::Double && self.options.processor == Processor::CellBe => {
                Options { meus: 1, immediate: false, ..undisturbed }
            }
            "sim" => Options { engine: "reference".into(), arithmetic: "spu".into(), ..undisturbed },
            _ if case.exact => Options { engine: "reference".into(), ..undisturbed },
            _ => Options { engine: "host".into(), meus: 1, immediate: false, ..undisturbed },
        }
    }
}

/// One Cell, or two where the MEUs can be divided among them.
fn cells(random: &mut Rng, meus: usize) -> usize {
    if meus.is_multiple_of(2) { 1 + random.usize(..2) } else { 1 }
}

fn sabotage(random: &mut Rng, options: &Options) -> Sabotage {
    // What hangs takes as long as the patience.
    let manner = if random.u32(..12) == 0 {
        Manner::Hang
    } else {
        one(random, &[Manner::Stop, Manner::Fault, Manner::Damage])
    };
    let meu = (random.u32(..4) > 0).then(|| random.usize(..options.meus));
    // Of several MEUs that hang, a reset waits for the second for long.
    let meu = if manner == Manner::Hang { meu.or(Some(0)) } else { meu };
    let most = 1 << random.u32(1..7);
    Sabotage { meu, step: random.u64(..most), manner }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {:?}", self.disturbance, self.options)
    }
}
