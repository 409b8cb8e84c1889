//! Affinity: which contexts of a gang want to run on neighbouring SPEs, as the kernel keeps it. All simulated
//! SPEs are equally near, so the wishes have no effect but the errors of wishes that cannot be met.

use crate::errno::Errno;

/// A context in the chain of neighbours.
#[derive(Debug)]
struct Link {
    context: usize,
    /// Whether a row of neighbours begins here.
    head: bool,
}

/// The wishes of a gang.
#[derive(Debug, Default)]
pub(crate) struct Affinity {
    /// All rows of neighbours, each row behind its predecessor. A context is named by its address.
    chain: Vec<Link>,
    /// The context that wants to be close to memory.
    memory: Option<usize>,
    /// Whether SPEs have been given to the chain, because one of its contexts has run.
    placed: bool,
}

impl Affinity {
    /// Whether a context with these wishes can be made, on chips with `spes` SPEs.
    ///
    /// # Errors
    /// EEXIST when its place is taken, or when the chain would have more contexts than a chip has SPEs; EBUSY
    /// when the gang has been given its SPEs already.
    pub(crate) fn check(&self, memory: bool, neighbour: Option<usize>, spes: usize) -> Result<(), Errno> {
        if memory && self.memory.is_some() {
            return Err(Errno(libc::EEXIST));
        }
        if (memory || neighbour.is_some()) && self.placed {
            return Err(Errno(libc::EBUSY));
        }
        let Some(neighbour) = neighbour else { return Ok(()) };
        let at = self.position(neighbour);
        if at.is_some_and(|at| !self.chain[at].head && !self.ends_row(at)) {
            return Err(Errno(libc::EEXIST));
        }
        let members = self.chain.len() + 1 + usize::from(at.is_none());
        if members > spes { Err(Errno(libc::EEXIST)) } else { Ok(()) }
    }

    /// Notes a context whose wishes have been checked.
    pub(crate) fn add(&mut self, context: usize, memory: bool, neighbour: Option<usize>) {
        if memory {
            self.memory = Some(context);
        }
        let Some(neighbour) = neighbour else { return };
        let at = self.position(neighbour).unwrap_or_else(|| {
            self.chain.push(Link { context: neighbour, head: true });
            self.chain.len() - 1
        });
        if self.ends_row(at) {
            self.chain.insert(at + 1, Link { context, head: false });
        } else {
            self.chain[at].head = false;
            self.chain.insert(at, Link { context, head: true });
        }
    }

    /// Forgets a context that is destroyed.
    pub(crate) fn remove(&mut self, context: usize) {
        self.chain.retain(|link| link.context != context);
        self.memory = self.memory.filter(|&memory| memory != context);
    }

    /// Notes that a context runs.
    pub(crate) fn runs(&mut self, context: usize) {
        self.placed |= self.position(context).is_some();
    }

    fn position(&self, context: usize) -> Option<usize> {
        self.chain.iter().position(|link| link.context == context)
    }

    fn ends_row(&self, at: usize) -> bool {
        self.chain.get(at + 1).is_none_or(|next| next.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXISTS: Result<(), Errno> = Err(Errno(libc::EEXIST));

    /// A gang with a row of the contexts 1 to `count`.
    fn row(count: usize) -> Affinity {
        let mut gang = Affinity::default();
        for context in 2..=count {
            assert_eq!(gang.check(false, Some(context - 1), 8), Ok(()), "{context}");
            gang.add(context, false, Some(context - 1));
        }
        gang
    }

    #[test]
    fn a_context_has_two_neighbours_at_most() {
        let mut gang = row(3);
        assert_eq!(gang.check(false, Some(2), 8), EXISTS);
        // Both ends of the row are free.
        for end in [1, 3] {
            assert_eq!(gang.check(false, Some(end), 8), Ok(()), "{end}");
        }
        gang.add(4, false, Some(1));
        assert_eq!(gang.check(false, Some(1), 8), EXISTS);
        // A second row.
        gang.add(6, false, Some(5));
        assert_eq!((gang.check(false, Some(5), 8), gang.check(false, Some(3), 8)), (Ok(()), Ok(())));
    }

    #[test]
    fn a_row_has_as_many_as_a_chip() {
        assert_eq!(row(8).check(false, Some(8), 8), EXISTS);
        assert_eq!(row(6).check(false, Some(6), 6), EXISTS);
        let mut gang = row(8);
        gang.remove(8);
        assert_eq!(gang.check(false, Some(7), 8), Ok(()));
    }

    #[test]
    fn one_context_is_close_to_memory() {
        let mut gang = Affinity::default();
        gang.add(1, true, None);
        assert_eq!(gang.check(true, None, 8), EXISTS);
        gang.remove(1);
        assert_eq!(gang.check(true, None, 8), Ok(()));
    }

    #[test]
    fn wishes_come_before_the_first_run() {
        let busy = Err(Errno(libc::EBUSY));
        let mut gang = row(2);
        gang.runs(9);
        assert_eq!(gang.check(false, Some(2), 8), Ok(()), "another context has no wishes");
        gang.runs(1);
        assert_eq!((gang.check(false, Some(2), 8), gang.check(true, None, 8)), (busy, busy));
        assert_eq!(gang.check(false, None, 8), Ok(()));
    }
}
