//! Common subexpressions: an operation that has been recorded, and not been executed, is not recorded again.
//!
//! Programs repeat themselves: `exp (-x) ./ (1 + exp (-x))`. Operations have no side effects, so two equal
//! operations on equal operands have one result. The second recording returns the node of the first.
//!
//! The table has one entry for each value of a hash, which names the newest operation with this hash. Entries
//! are never removed. So an entry may name a node that has become free, or another operation, and every field
//! of the node is compared. Operands of an unfinished operation stay alive, so equal numbers are equal
//! values.

use super::{Graph, Node, Record, State};
use crate::operation::OpId;

/// Entries of the table. Equal operations mostly stand in one line of a program, or in neighbouring lines.
const ENTRIES: usize = 256;

#[derive(Debug)]
pub(crate) struct Common([OpId; ENTRIES]);

impl Default for Common {
    fn default() -> Common {
        Common([OpId::NONE; ENTRIES])
    }
}

fn entry(record: &Record) -> usize {
    let [a, b] = record.operands.map(|operand| u64::from(operand.0));
    let what = record.kind as u64 | (record.form as u64) << 8 | (record.class as u64) << 16;
    // Fibonacci hashing: the upper bits of the product depend on all bits of the factor.
    let mixed = (a ^ b.rotate_left(20) ^ what.rotate_left(40) ^ record.scalar.to_bits())
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 56) as usize % ENTRIES
}

impl Node {
    /// Whether this node is an operation whose result can still become a value of the program. An operation
    /// in a sealed trace keeps its result only if the program held it when the trace was sealed. An operation
    /// that has been given up does not count towards the limits, and a new operation shall.
    fn can_be_shared(&self, given_up_order: u64) -> bool {
        match self.state {
            State::Pending => self.order > given_up_order,
            State::InFlight => self.slot.is_some(),
            State::Free | State::Constant | State::Complete | State::Failed => false,
        }
    }
}

impl Record {
    /// Whether two operations are one operation on equal operands, wherever they stand in the program.
    fn equals(&self, other: &Record) -> bool {
        self.kind == other.kind
            && self.operands == other.operands
            && self.scalar.to_bits() == other.scalar.to_bits()
            && self.form == other.form
            && self.class == other.class
            && self.precision == other.precision
            && self.shape == other.shape
            && self.parameters == other.parameters
    }
}

impl Graph {
    /// A pending operation with one handle. With a table of common subexpressions it may be an operation that
    /// has been recorded before.
    pub(crate) fn record(&mut self, record: Record) -> OpId {
        let Some(common) = &self.common else { return self.add(record) };
        let entry = entry(&record);
        let id = common.0[entry];
        if let Some(node) = self.nodes.get_mut(id.index())
            && node.can_be_shared(self.given_up_order)
            && node.what.equals(&record)
        {
            node.handles += 1;
            return id;
        }
        let id = self.add(record);
        if let Some(common) = &mut self.common {
            common.0[entry] = id;
        }
        id
    }
}
