//! Checks of the graph's own counts, for tests.

use super::{Graph, OpId, State};

impl Graph {
    /// Works out from the nodes and the list what the graph counts, and compares.
    ///
    /// # Panics
    /// When a count is wrong, or the list is not in topological order.
    pub(crate) fn check(&self) {
        let (mut list, mut next) = (Vec::new(), self.first.unwrap_or(OpId::NONE));
        while next != OpId::NONE {
            assert_eq!(self.node(next).previous, list.last().copied().unwrap_or(OpId::NONE));
            list.push(next);
            next = self.node(next).next;
        }
        assert_eq!(self.last, list.last().copied());
        let position = |id| list.iter().position(|&other| other == id);
        let mut readers = vec![0; self.nodes.len()];
        for (place, &id) in list.iter().enumerate() {
            assert_eq!(self.node(id).state, State::Pending);
            for operand in self.node(id).what.operands {
                if operand != OpId::NONE {
                    readers[operand.index()] += 1;
                    assert!(self.node(operand).order < self.node(id).order);
                    assert!(position(operand).is_none_or(|before| before < place));
                    assert_ne!(self.node(operand).state, State::Free);
                }
            }
        }
        let mut bytes = 0;
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.state != State::Free) {
            assert_eq!(node.pending_readers, readers[index], "{node:?}");
            assert_eq!(node.state == State::Pending, position(OpId(index as u32)).is_some());
            if node.state == State::Pending || node.pending_readers > 0 {
                bytes += node.result_bytes();
            }
        }
        assert_eq!((self.pending.operations, self.pending.bytes), (list.len() as u64, bytes));
        assert!(self.given_up.operations <= self.pending.operations && self.given_up.bytes <= bytes);
    }
}
