//! How long a Cell's memory flow controller (MFC) takes for transfers of one SPE: the figures of the machine,
//! and the time of one transfer that nothing else delays.
//!
//! An MFC takes commands in order. A list command has elements, one for each column whose neighbours do not touch
//! it in main memory, and each element moves whole lines. The MFC sends one line after the other, and waits
//! when as many lines are outstanding as it can have. A line arrives after the memory's latency. All SPEs share
//! the memory, which takes one line at a time (`engine/clock/mfc.rs`).

/// The figures of the machine, times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    /// From the request for a line until its data have moved.
    pub latency_ns: f64,
    /// Between two lines that one MFC sends.
    pub line_ns: f64,
    /// To fetch a list element.
    pub element_ns: f64,
    /// Between two commands of a busy MFC.
    pub command_ns: f64,
    /// From the command until an idle MFC sends the first line.
    pub decode_ns: f64,
    /// Between two lines that the memory takes, from all MFCs together.
    pub shared_ns: f64,
    /// Lines that one MFC has outstanding at most.
    pub outstanding: f64,
}

/// The coherent link between the two Cells of a blade (broadband interface, BIF): what it adds to the figures of a
/// memory, for a line that an SPE of one Cell moves from or to the memory of the other Cell.
///
/// Both figures are assumed. What is published of the link is the raw bandwidth of the pins: 25 GB/s into a chip and
/// 35 GB/s out of it for its two interfaces together, most of which a blade gives to this link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// By how much later a line has moved than a line of the own memory.
    pub latency_ns: f64,
    /// Between two lines that go in one direction.
    pub line_ns: f64,
}

impl Link {
    /// 20.5 GB/s in each direction, and 400 cycles for both crossings, of the command and of the data: what simulated SPEs
    /// take.
    pub const BLADE: Link = Link { latency_ns: 125.0, line_ns: 6.25 };
}

/// How many figures there are.
pub(super) const FIGURES: usize = 7;

impl Memory {
    /// From the figures in their order; None where one of them makes no sense.
    pub(super) fn from_figures(figures: [f64; FIGURES]) -> Option<Memory> {
        let [latency_ns, line_ns, element_ns, command_ns, decode_ns, shared_ns, outstanding] = figures;
        let sound = figures.iter().all(|&figure| figure >= 0.0) && line_ns > 0.0 && shared_ns > 0.0;
        let memory =
            Memory { latency_ns, line_ns, element_ns, command_ns, decode_ns, shared_ns, outstanding };
        (sound && (1.0..=1024.0).contains(&outstanding)).then_some(memory)
    }

    /// The figures in their order.
    pub(super) fn figures(&self) -> [f64; FIGURES] {
        let Memory { latency_ns, line_ns, element_ns, command_ns, decode_ns, shared_ns, outstanding } = *self;
        [latency_ns, line_ns, element_ns, command_ns, decode_ns, shared_ns, outstanding]
    }

    /// A transfer of so many lines by a list of so many elements; without elements it needs no list. Nothing
    /// else is under way. The line that finds no room waits until the line sent `outstanding` lines earlier has
    /// arrived.
    #[must_use]
    pub fn alone_ns(&self, elements: f64, lines: f64) -> f64 {
        if lines < 1.0 {
            return 0.0;
        }
        let apart = self.line_ns.max(self.shared_ns) + self.element_ns * elements / lines;
        let turns = ((lines - 1.0) / self.outstanding).floor();
        let rest = lines - 1.0 - turns * self.outstanding;
        let turn = self.latency_ns.max(apart * self.outstanding);
        let first = self.decode_ns + if elements > 0.0 { self.element_ns } else { 0.0 };
        first + turns * turn + rest * apart + self.latency_ns
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const MEMORY: Memory = Memory {
        latency_ns: 150.0,
        line_ns: 5.0,
        element_ns: 3.0,
        command_ns: 6.0,
        decode_ns: 9.0,
        shared_ns: 5.5,
        outstanding: 16.0,
    };

    #[test]
    fn a_transfer_waits_for_the_latency_once_in_as_many_lines_as_can_be_outstanding() {
        assert_eq!(MEMORY.alone_ns(0.0, 0.0), 0.0);
        assert_eq!(MEMORY.alone_ns(0.0, 1.0), 159.0);
        assert_eq!(MEMORY.alone_ns(0.0, 16.0), 9.0 + 15.0 * 5.5 + 150.0);
        assert_eq!(MEMORY.alone_ns(0.0, 17.0), 9.0 + 150.0 + 150.0);
        assert_eq!(MEMORY.alone_ns(32.0, 32.0), 9.0 + 3.0 + 150.0 + 15.0 * 8.5 + 150.0);
        assert_eq!(Memory::from_figures(MEMORY.figures()), Some(MEMORY));
        assert_eq!(Memory::from_figures([1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), None);
    }
}
