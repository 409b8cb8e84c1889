//! A random program, and what all its runs have in common.

use std::fs;
use std::path::Path;

use fastrand::Rng;
use pmatrix::lang::random::{RandomOptions, exact_operations, program};
use pmatrix::operation::{OpKind, Precision};

/// Sides around the cuts of blocks, from the smallest blocks to the blocks that engines choose.
const SIDES: [&[u32]; 6] = [
    &[0, 1, 2, 3],
    &[1, 3, 4, 5, 7, 8, 9],
    &[1, 15, 16, 17, 31, 32, 33],
    &[8, 63, 64, 65],
    &[1, 2, 95, 96, 97, 137],
    &[5, 127, 128, 129, 257],
];

/// A program and how it is read.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) text: String,
    pub(crate) precision: Precision,
    /// Whether every operation has bits that the reference defines for engines of this machine.
    pub(crate) exact: bool,
    /// Whether a simulated SPE executes it in little time.
    pub(crate) small: bool,
}

impl Case {
    pub(crate) fn new(seed: u64) -> Case {
        let mut random = Rng::with_seed(seed);
        let sides = SIDES[random.usize(..SIDES.len())];
        let exact = random.u32(..3) > 0;
        let small = sides[sides.len() - 1] <= 33;
        let length = random.usize(4..if small { 60 } else { 24 });
        let mut operations = if exact { exact_operations() } else { OpKind::ALL.to_vec() };
        if random.bool() {
            // A few kinds alone meet each other more often.
            random.shuffle(&mut operations);
            operations.truncate(random.usize(2..12));
        }
        let sides = (0..3).map(|_| sides[random.usize(..sides.len())]).collect();
        let options =
            RandomOptions { length, min_side: 1, sides, wild: true, seed, operations, ..Default::default() };
        let precision = Precision::ALL[random.usize(..Precision::ALL.len())];
        Case { seed, text: program(&options), precision, exact, small }
    }

    /// The case in a file that [`crate::shrink`] has written, and the number of the run.
    pub(crate) fn read(path: &Path) -> (Case, u64) {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let numbers = text.lines().next().and_then(|line| {
            let (seed, run) = line.strip_prefix(HEAD)?.split_once(", run ")?;
            Some((seed.parse().ok()?, run.parse().ok()?))
        });
        let (seed, number) =
            numbers.unwrap_or_else(|| panic!("{}: its first line is not '{HEAD}N, run N'", path.display()));
        (Case { text, ..Case::new(seed) }, number)
    }

    /// The text of a file that [`Case::read`] reads.
    pub(crate) fn to_file(&self, number: u64, remarks: &str) -> String {
        let remarks: String = remarks.lines().map(|line| format!("# {line}\n")).collect();
        format!("{HEAD}{}, run {number}\n{remarks}{}", self.seed, self.text)
    }
}

/// How a file begins.
const HEAD: &str = "# soak: seed ";
