//! The execution queue of one MEU (paper, "Execution Control" and its figure).

use std::collections::VecDeque;

/// Most unexecuted operations that the queue may hold: the entries of an SPE's inbound mailbox.
pub const QUEUE_DEPTH: usize = 4;

/// The operations offered to one MEU and not yet acknowledged, oldest first.
///
/// At the front are executed operations, whose completion has been seen but not acknowledged. Then come
/// executing operations, which the MEU has taken, and unexecuted operations, which are in its mailbox. An MEU
/// executes in order, so two counters tell the state of every operation.
#[derive(Debug, Default)]
pub struct ExecutionQueue {
    outstanding: VecDeque<u32>,
    /// Operations acknowledged since the queue was made.
    acknowledged: u64,
}

impl ExecutionQueue {
    /// Continues after operations that were acknowledged in an earlier queue of this MEU.
    #[must_use]
    pub fn after(acknowledged: u64) -> ExecutionQueue {
        ExecutionQueue { outstanding: VecDeque::with_capacity(2 * QUEUE_DEPTH), acknowledged }
    }

    /// Notes that an operation has been offered.
    pub fn offered(&mut self, operation: u32) {
        self.outstanding.push_back(operation);
    }

    /// Takes the oldest executed operation from the queue, when the MEU has completed `completed` operations
    /// in all.
    pub fn acknowledge(&mut self, completed: u64) -> Option<u32> {
        if completed <= self.acknowledged {
            return None;
        }
        let operation = self.outstanding.pop_front();
        assert!(operation.is_some(), "an MEU has completed more operations than it was offered");
        self.acknowledged += 1;
        operation
    }

    /// Takes all operations that have not been acknowledged.
    pub fn take_rest(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.outstanding.drain(..)
    }

    /// The operation that was offered as number `number`, counted from 0 over all queues of this MEU.
    #[must_use]
    pub fn numbered(&self, number: u64) -> Option<u32> {
        let position = number.checked_sub(self.acknowledged)?;
        self.outstanding.get(usize::try_from(position).ok()?).copied()
    }

    /// The oldest operation of the queue: if the MEU executes one, it is this operation.
    #[must_use]
    pub fn oldest(&self) -> Option<u32> {
        self.outstanding.front().copied()
    }

    /// Number of operations in the queue.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outstanding.len()
    }

    /// True when nothing is outstanding.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outstanding.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_leave_in_order_as_they_complete() {
        let mut queue = ExecutionQueue::after(10);
        for operation in [7, 3, 9] {
            queue.offered(operation);
        }
        assert_eq!(queue.acknowledge(10), None);
        assert_eq!(queue.acknowledge(12), Some(7));
        assert_eq!(queue.acknowledge(12), Some(3));
        assert_eq!(queue.acknowledge(12), None);
        assert_eq!(
            (queue.len(), queue.oldest(), queue.numbered(12), queue.numbered(11)),
            (1, Some(9), Some(9), None)
        );
        assert!(!queue.is_empty());
    }

    #[test]
    #[should_panic(expected = "more operations than it was offered")]
    fn an_mu_that_counts_wrong_is_noticed() {
        ExecutionQueue::after(0).acknowledge(1);
    }
}
