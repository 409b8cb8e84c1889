//! How many MEUs an operation can count on, while other operations of its level are executed at the same
//! time.
//!
//! The level of an operation is the length of the longest path of operations that lead to it. No operation of
//! a level depends on another one, so they can be executed side by side. A product among a thousand products
//! of its level is best executed by one MEU, in full blocks. A product that is alone in its level is cut for
//! all MEUs.

use super::super::target::{MemoryLimits, Target};
use super::memory::EACH;
use crate::trace::{Operand, Trace};

/// For each operation, its part of the work of its level.
fn parts(trace: &Trace) -> impl Iterator<Item = f64> {
    let mut levels: Vec<u32> = Vec::with_capacity(trace.operations.len());
    let mut totals: Vec<u64> = Vec::new();
    for operation in &trace.operations {
        let reads = operation.operands.into_iter().filter_map(|operand| match operand {
            Operand::Operation(index) => Some(levels[index as usize] + 1),
            _ => None,
        });
        let level = reads.max().unwrap_or(0);
        if totals.len() <= level as usize {
            totals.push(0);
        }
        let total = &mut totals[level as usize];
        *total = total.saturating_add(trace.work_of(operation));
        levels.push(level);
    }
    trace.operations.iter().zip(levels).map(move |(operation, level)| {
        let total = totals[level as usize].max(1);
        trace.work_of(operation) as f64 / total as f64
    })
}

/// For each operation, the MEUs that it would have if the MEUs were divided among the operations of its level
/// by their work: at least 1.
pub(in crate::lower) fn meus(trace: &Trace, meus: usize) -> Vec<u32> {
    parts(trace).map(|part| ((part * meus as f64).round() as u32).max(1)).collect()
}

/// For each operation, the pieces of its result, if the operations of its level together had twice as many pieces as
/// there are MEUs, divided by their work: at least 1. Empty if each operation has all MEUs to itself.
pub(in crate::lower) fn pieces(trace: &Trace, meus: usize) -> Vec<u32> {
    let wanted = (EACH * meus) as f64;
    let pieces: Vec<u32> = parts(trace).map(|part| ((part * wanted).ceil() as u32).max(1)).collect();
    if pieces.iter().all(|&pieces| pieces as usize == EACH * meus) { Vec::new() } else { pieces }
}

impl Target {
    /// The target as an operation sees it that has so many of the MEUs, and their share of the bandwidth.
    pub(in crate::lower) fn with_share(&self, meus: u32) -> Target {
        let meus = meus as usize;
        let bandwidth = self.bandwidth.map(|bandwidth| bandwidth * meus as f64 / self.meus as f64);
        Target { meus, bandwidth, ..*self }
    }

    /// The target as an operation in memory sees it whose result shall have so many pieces.
    pub(in crate::lower) fn with_pieces(&self, pieces: u32) -> Target {
        let memory = self.memory.map(|memory| MemoryLimits { pieces: Some(pieces), ..memory });
        Target { memory, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::Fixture;
    use super::{meus, pieces};
    use crate::operation::{OpKind, Precision};

    #[test]
    fn operations_of_a_level_share_the_meus_by_their_work() {
        let f = Fixture::new();
        let a = f.constant(12, 12, Precision::Double);
        let product = |a, b| f.binary(OpKind::Multiply, a, b);
        let many: Vec<_> = (0..20).map(|_| product(&a, &a)).collect();
        let two = [product(&many[0], &a), product(&many[1], &a)];
        // An addition takes a twelfth of the work of the product.
        let (alone, small) = (product(&two[0], &two[1]), f.binary(OpKind::Add, &two[0], &two[1]));
        let trace = f.recorder.seal_all().unwrap();
        assert_eq!(meus(&trace, 8), [vec![1; 20], vec![4, 4], vec![7, 1]].concat());
        assert_eq!(meus(&trace, 1), vec![1; 24]);
        assert_eq!(pieces(&trace, 2), [vec![1; 20], vec![2, 2], vec![4, 1]].concat());
        drop((many, two, alone, small));
    }
}
