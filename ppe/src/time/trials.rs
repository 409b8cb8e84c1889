//! What is measured for a model: operations, programs, streams of operations and chains of products, of sizes
//! that tell the terms of the forms apart.

use super::BlockSize;
use super::terms::{Machine, Strips};
use crate::operation::{OpKind, Precision};

/// The kind whose programs determine the program's own work. Its steps are short.
pub const OF_PROGRAMS: OpKind = OpKind::Add;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trial {
    /// The stages of an operation alone; of a chain of two products, the execution of the second.
    Stages(BlockSize),
    /// The execution of a program of one step in main memory.
    InMemory(BlockSize),
    /// The execution of a program of so many additions. The last input has one column if it is `repeated`.
    Program {
        /// Precision of all blocks.
        precision: Precision,
        /// Rows and columns of the blocks.
        sides: (u16, u16),
        /// Number of steps.
        steps: u8,
        /// Whether the last input has one column, which is repeated.
        repeated: bool,
    },
    /// What each operation of a long stream takes.
    Stream(BlockSize),
    /// What each further part of a chain takes. `products` is 1.
    Part(BlockSize),
}

impl Trial {
    /// In words.
    #[must_use]
    pub fn text(&self) -> String {
        let of_size = |size: &BlockSize| {
            let ((rows, columns), (_, inner)) = (size.result, size.operands[0]);
            match size.kind {
                OpKind::Multiply => format!("{rows}x{inner}x{columns}"),
                _ => {
                    let (rows, columns) = size.operands[0].max((rows, columns));
                    format!("{rows}x{columns}")
                }
            }
        };
        match self {
            Trial::Stages(size) if size.products > 1 => format!("{}, added", of_size(size)),
            Trial::Stages(size) => of_size(size),
            Trial::InMemory(size) => format!("{} in memory", of_size(size)),
            Trial::Program { sides: (rows, columns), steps, repeated, .. } => {
                format!("{steps} steps {rows}x{columns}{}", if *repeated { ", repeated" } else { "" })
            }
            Trial::Stream(size) => format!("stream of {}", of_size(size)),
            Trial::Part(size) => format!("part of {}", of_size(size)),
        }
    }

    /// The kind of operation, and the precision in which it is executed.
    #[must_use]
    pub fn kind(&self) -> (OpKind, Precision) {
        match self {
            Trial::Stages(size) | Trial::InMemory(size) | Trial::Stream(size) | Trial::Part(size) => {
                (size.kind, size.precision)
            }
            Trial::Program { precision, .. } => (OF_PROGRAMS, *precision),
        }
    }

    /// The strips of a program.
    pub(super) fn strips(&self) -> Option<Strips> {
        match *self {
            Trial::Program { precision, sides, steps, repeated } => {
                Some(Strips::new(sides, precision, !repeated, steps.into()))
            }
            _ => None,
        }
    }
}

/// What is measured for one kind and precision, on blocks whose sides are at most `side`: thin blocks, blocks with
/// ragged edges, and blocks of whole tiles. A view transposes its operand. Reductions go along columns and along
/// rows. A host has no chains: all parts of a product are one inner side to it. It executes programs in main memory
/// too.
#[must_use]
pub fn trials(machine: Machine, kind: OpKind, precision: Precision, side: u16) -> Vec<Trial> {
    match (kind, machine) {
        (OpKind::Multiply, Machine::Spe) => of_products(precision, side),
        (OpKind::Multiply, Machine::Host) => of_products_of_host(precision, side),
        (OF_PROGRAMS, machine) => {
            let alone = of_elements(kind, precision, side);
            let in_memory =
                alone.iter().map(|&size| Trial::InMemory(size)).filter(|_| machine == Machine::Host);
            let stages = alone.iter().map(|&size| Trial::Stages(size));
            stages.chain(of_programs(precision, side)).chain(in_memory).collect()
        }
        _ => of_elements(kind, precision, side).into_iter().map(Trial::Stages).collect(),
    }
}

fn product(precision: Precision, (rows, inner, columns): (u16, u16, u16), products: u32) -> BlockSize {
    BlockSize {
        kind: OpKind::Multiply,
        precision,
        operand_precision: precision,
        result: (rows, columns),
        operands: [(rows, inner), (inner, columns)],
        products,
    }
}

fn of_products(precision: Precision, side: u16) -> Vec<Trial> {
    let step = (side / 6).max(1);
    let lengths = [3, step, 3 * step, 4 * step + 5, side].map(|length| length.min(side));
    let mut trials = Vec::new();
    for rows in lengths {
        for columns in lengths {
            for inner in [4, step + 1, 3 * step, side] {
                trials.push(Trial::Stages(product(precision, (rows, inner, columns), 1)));
                // Parts begin at whole vectors.
                if inner.is_multiple_of(4) {
                    trials.push(Trial::Stages(product(precision, (rows, inner, columns), 2)));
                }
            }
        }
    }
    // Their execution takes longer than their transfers.
    let half = side / 2 / 4 * 4;
    for (rows, inner, columns) in
        [(side, side, side), (side, half, side), (half, half, half), (side, half, half), (half, side, side)]
    {
        let size = product(precision, (rows, inner / 4 * 4, columns), 1);
        trials.extend([Trial::Stream(size), Trial::Part(size)]);
    }
    trials
}

/// Thin products and products of tiles.
fn of_products_of_host(precision: Precision, side: u16) -> Vec<Trial> {
    let [third, half] = [side / 3, side / 2];
    let mut trials = Vec::new();
    for rows in [1, 3, third + 5, half, side] {
        for columns in [1, 3, 10, 17, third + 5, side] {
            for inner in [4, third + 1, side] {
                let [rows, columns, inner] = [rows, columns, inner].map(|length| length.clamp(1, side));
                trials.push(Trial::Stages(product(precision, (rows, inner, columns), 1)));
            }
        }
    }
    // Short ones: what is done for each operation is to be seen beside them.
    let streams = [(half, half, 1), (third, third, 1), (third, third, 3), (half, third, 1)];
    trials.extend(streams.map(|sides| Trial::Stream(product(precision, sides, 1))));
    trials
}

fn of_programs(precision: Precision, side: u16) -> impl Iterator<Item = Trial> {
    let sides = [(side, side), (side / 2, side / 2), (side / 4, 3), (side, side / 4), (7, side / 2)];
    sides.into_iter().flat_map(move |sides| {
        [1, 2, 4, 8].into_iter().flat_map(move |steps| {
            [false, true].map(|repeated| Trial::Program { precision, sides, steps, repeated })
        })
    })
}

fn of_elements(kind: OpKind, precision: Precision, side: u16) -> Vec<BlockSize> {
    let sides = [
        (1, 1),
        (3, 2),
        (side / 6, 4),
        (side / 3 + 1, 5),
        (side / 3, side / 6),
        (side / 2, side / 6),
        (5, side / 2),
        (side, 6),
        (1, side),
        (side, 1),
        (side / 2, side / 3),
    ];
    let precisions = match (kind, precision) {
        (OpKind::Convert, Precision::Single) => (Precision::Double, precision),
        (OpKind::Convert, _) => (Precision::Single, precision),
        _ => (precision, precision),
    };
    let mut sizes = Vec::new();
    for (rows, columns) in sides.map(|(rows, columns)| (rows.max(1), columns.max(1))) {
        let mut add = |result, operands| {
            let (operand_precision, precision) = precisions;
            sizes.push(BlockSize { kind, precision, operand_precision, result, operands, products: 1 });
        };
        let (one, sides) = ((0, 0), (rows, columns));
        match kind {
            OpKind::View => add(sides, [(columns, rows), one]),
            OpKind::Diagonal => add(sides, [(rows, 1), one]),
            OpKind::Norm => add((1, 1), [sides, one]),
            kind if kind.is_reduction() => {
                add((1, columns), [sides, one]);
                // Of one column a reduction goes along the column.
                if columns > 1 {
                    add((rows, 1), [sides, one]);
                }
            }
            kind if kind.is_unary() || kind.is_direct() => add(sides, [sides, one]),
            _ => add(sides, [sides, sides]),
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_trials_of_many_sizes() {
        for kind in OpKind::ALL {
            for precision in Precision::ALL {
                let of = [Machine::Spe, Machine::Host].map(|machine| trials(machine, kind, precision, 64));
                assert!(of.iter().all(|trials| trials.len() >= 10), "{}", kind.name());
                for trial in of.iter().flatten() {
                    assert_eq!(trial.kind(), (kind, precision));
                    assert!(!trial.text().is_empty());
                    if let Trial::Stages(size) = trial {
                        let sides = size.operands.iter().chain([&size.result]);
                        assert!(sides.into_iter().all(|&(rows, columns)| rows <= 64 && columns <= 64));
                    }
                }
            }
        }
    }
}
