//! How long the PPE takes for its own work, in virtual time.
//!
//! Virtual time has to be equal on every machine and in every run. So nothing is measured while a program
//! runs: each unit of the PPE's work costs a fixed time (`HOST`). The times were measured on one host with
//! `cargo bench -p pmatrix --bench stages`, and a [`factor`](PpeClock::factor) says how much longer the PPE
//! of a Cell takes.
//!
//! # The factor
//! No processor that is sold today was ever compared with a PPE, so [`FACTOR`] has three links:
//!
//! 1. In the integer part of NBench, compiled by GCC under Linux, the PPE of a PlayStation 3 reaches 6.803 and
//!    an Atom N270 with 1.6 GHz 7.267 (`www.tux.org/~mayer/linux/results2.html`).
//! 2. An Atom N270 computes with integers as fast as a Core 2 with 1200 MHz
//!    (`www.roylongbottom.org.uk/hyperthreading.htm`). So a PPE is a Core 2 with 1120 MHz.
//! 3. The rating that `7zz b -mmt1` prints is the frequency, in MHz, of a Core 2 that is as fast (manual of 7-Zip,
//!    "Benchmark"). The host of `HOST` has the rating `HOST_RATING`.
//!
//! In programs with doubles that no vector unit executes, a PPE takes 4.5 times as long as a core of a Xeon
//! with 2660 MHz, a Core 2 (`www.macresearch.org/science_on_a_g5_ps3_macpro_benchmarks`), so it is a Core 2
//! with 590 MHz: a factor twice as large. In Geekbench 2 a PPE reaches 0.786 of a PowerPC G5 with 1.6 GHz in
//! integers, and 0.696 in numbers (`www.primatelabs.ca/blog/2007/05/playstation-3-performance-may-2007`). So
//! the factor is uncertain by two, and benchmarks show results for half and for twice the factor.
//!
//! `scripts/ppe-instructions 6` counts 3946 instructions of the powerpc64 program to lower, schedule, offer and
//! acknowledge a block operation. At the factor they take 1.1 cycles each, and 2.2 at twice the factor. A
//! processor that issues in order rather takes the latter, so the factor is on the side that flatters.
//!
//! # Two hardware threads
//! The PPE has two hardware threads. The first records, lowers and schedules, in the order of the traces; it
//! also executes operations that SPEs do not have. The second is execution control. A chunk is offered when
//! the first thread has scheduled it, and the first thread goes on with the next chunk meanwhile. When the
//! program waits for a value, the first thread waits for all traces that are sealed by then. Both threads are
//! as fast as one thread alone would be, which flatters the PPE.

use std::collections::BTreeMap;
use std::fmt;

/// What one unit of the PPE's work takes on a host, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Costs {
    /// Recording an operation.
    record: f64,
    /// Lowering to one block operation.
    lower: f64,
    /// Scheduling one block operation by the heuristic, its estimated times included.
    schedule: f64,
    /// A byte of memory for results, when it is touched for the first time. The engine of a Cell asks for huge
    /// pages. Memory of results that are gone is used again (`pool.rs`), and costs nothing then.
    allocate: f64,
    /// Offering a block operation and acknowledging it, the writing of its record included.
    control: f64,
}

/// Measured on a core of an AMD EPYC with [`HOST_RATING`], by `cargo bench -p pmatrix --bench stages`.
const HOST: Costs = Costs { record: 130.0, lower: 50.0, schedule: 75.0, allocate: 0.02, control: 240.0 };

/// What 7-Zip says of the host (the mean of both ratings, `-md22`): MHz of a Core 2 that is as fast.
const HOST_RATING: f64 = 4100.0;

/// What 7-Zip would say of a PPE.
const PPE_RATING: f64 = 1200.0 * 6.803 / 7.267;

/// How much longer a PPE takes than the host on which `HOST` was measured.
pub const FACTOR: f64 = HOST_RATING / PPE_RATING;

/// The largest factor that an option may give.
pub const MOST_FACTOR: f64 = 1000.0;

/// What the PPE waits for at the registers of an SPE when it offers an operation, in nanoseconds: a read of
/// the mailbox's status of some 750 cycles, and a posted write of some 150 cycles. Both are assumed, and
/// depend on the bus, not on the speed of the PPE. Published is that an SPE begins a task about 500 ns after the
/// PPE has begun to send it, with the fetch of the task by the SPE (C. Wagner, cellspe-tasklib, 2007).
const MAILBOX_NS: u64 = 280;

/// Where the PPE's time went, in nanoseconds of virtual time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PpeTimes {
    /// How much longer the PPE takes than the host on which the costs were measured.
    pub factor: f64,
    /// Recording.
    pub record: u64,
    /// Lowering.
    pub lower: u64,
    /// Scheduling.
    pub schedule: u64,
    /// Memory for results.
    pub allocate: u64,
    /// Execution control.
    pub control: u64,
    /// Operations that the PPE executes.
    pub element: u64,
}

impl PpeTimes {
    /// The first hardware thread, and the second: no schedule makes a program faster than either.
    #[must_use]
    pub fn threads(&self) -> [u64; 2] {
        [self.record + self.lower + self.schedule + self.allocate + self.element, self.control]
    }
}

impl fmt::Display for PpeTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("recording", self.record),
            ("lowering", self.lower),
            ("scheduling", self.schedule),
            ("memory", self.allocate),
            ("control", self.control),
            ("operations", self.element),
        ];
        write!(f, "virtual ms at {:.2} times the host's:", self.factor)?;
        for (number, (name, ns)) in parts.into_iter().enumerate() {
            write!(f, "{} {name} {:.3}", if number > 0 { "," } else { "" }, ns as f64 / 1e6)?;
        }
        Ok(())
    }
}

/// The PPE's two hardware threads in virtual time. All times are nanoseconds since the engine was made.
#[derive(Debug)]
pub struct PpeClock {
    times: PpeTimes,
    /// When the first thread has done what it has been given.
    first: u64,
    /// Bytes that results have left, and that the next results take.
    free_bytes: u64,
    /// Bytes that are free when the last chunk has been executed.
    leaving_bytes: u64,
    /// When each trace that was executed had been executed, by its number.
    executed: BTreeMap<u64, u64>,
}

impl PpeClock {
    /// A PPE that takes `factor` times as long as the host.
    #[must_use]
    pub fn new(factor: f64) -> PpeClock {
        let times = PpeTimes { factor, ..PpeTimes::default() };
        PpeClock { times, first: 0, free_bytes: 0, leaving_bytes: 0, executed: BTreeMap::new() }
    }

    /// How much longer this PPE takes than the host.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.times.factor
    }

    /// Where its time went.
    #[must_use]
    pub fn times(&self) -> PpeTimes {
        self.times
    }

    fn cost(&self, units: u64, host_ns: f64) -> u64 {
        (units as f64 * host_ns * self.times.factor).round() as u64
    }

    /// The program has recorded this many operations. Before, it had waited for all traces up to the number
    /// `awaited`.
    pub fn recorded(&mut self, operations: u64, awaited: u64) {
        // A trace that has failed has no time, and nobody can wait for it.
        let executed = self.executed.range(..=awaited).next_back().map_or(0, |(_, &time)| time);
        let cost = self.cost(operations, HOST.record);
        self.times.record += cost;
        self.first = self.first.max(executed) + cost;
    }

    /// A chunk with this many block operations is lowered and scheduled. The operations write results of `bytes`,
    /// and after the chunk results of `released_bytes` are not needed any more. Returns when the chunk has been
    /// scheduled.
    ///
    /// Results that the program itself drops count as kept: when it drops them is a matter of real time.
    pub fn scheduled(&mut self, block_operations: u64, bytes: u64, released_bytes: u64) -> u64 {
        let used_again = bytes.min(self.free_bytes);
        // The chunk is scheduled while the chunk before it is executed, whose memory is not free yet.
        self.free_bytes = self.free_bytes - used_again + self.leaving_bytes;
        self.leaving_bytes = released_bytes;
        let [lower, schedule] = [HOST.lower, HOST.schedule].map(|cost| self.cost(block_operations, cost));
        let allocate = self.cost(bytes - used_again, HOST.allocate);
        self.times.lower += lower;
        self.times.schedule += schedule;
        self.times.allocate += allocate;
        self.first += lower + schedule + allocate;
        self.first
    }

    /// The trace with this number has been executed.
    pub fn executed(&mut self, trace: u64, now: u64) {
        // Only the last time is asked for: a later trace is executed later.
        self.executed.retain(|&other, _| other + 1 >= trace);
        self.executed.insert(trace, now);
    }

    /// What it takes to offer an operation to an MEU.
    pub fn offer(&mut self) -> u64 {
        let mailbox = if self.times.factor > 0.0 { MAILBOX_NS } else { 0 };
        let cost = self.cost(1, HOST.control / 2.0) + mailbox;
        self.times.control += cost;
        cost
    }

    /// What it takes to acknowledge this many operations.
    pub fn acknowledge(&mut self, operations: u64) -> u64 {
        let cost = self.cost(operations, HOST.control / 2.0);
        self.times.control += cost;
        cost
    }

    /// The PPE executes an operation that is offered to it now, and that takes the host this long. Returns when
    /// it has been executed.
    pub fn execute(&mut self, now: u64, host_ns: f64) -> u64 {
        let cost = self.cost(1, host_ns);
        self.times.element += cost;
        self.first = self.first.max(now) + cost;
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thread_works_in_order_and_waits_where_the_program_does() {
        let mut clock = PpeClock::new(2.0);
        clock.recorded(10, 0);
        let recorded = (10.0 * HOST.record * 2.0) as u64;
        let chunk = (100.0 * (HOST.lower + HOST.schedule) * 2.0) as u64;
        assert_eq!(clock.scheduled(100, 0, 0), recorded + chunk);
        // The next trace is recorded and lowered while the first one is executed.
        clock.recorded(10, 0);
        assert_eq!(clock.scheduled(100, 0, 0), 2 * (recorded + chunk));
        clock.executed(1, 10_000_000);
        // The program waited for the first trace.
        clock.recorded(10, 1);
        assert_eq!(clock.scheduled(100, 0, 0), 10_000_000 + recorded + chunk);
        assert_eq!(clock.execute(5, 100.0), 10_000_200 + recorded + chunk);
        let times = clock.times();
        assert_eq!(times.threads(), [3 * (recorded + chunk) + 200, 0]);
        assert_eq!(clock.offer() + clock.acknowledge(1), (HOST.control * 2.0) as u64 + MAILBOX_NS);
    }

    #[test]
    fn memory_costs_time_when_it_is_touched_for_the_first_time() {
        let mut clock = PpeClock::new(1.0);
        let mut allocate = |bytes, released| {
            let before = clock.times.allocate;
            clock.scheduled(0, bytes, released);
            clock.times.allocate - before
        };
        let fresh = |bytes: u64| (bytes as f64 * HOST.allocate).round() as u64;
        assert_eq!(allocate(1000, 600), fresh(1000));
        // What the first chunk leaves is not free while the first chunk is executed.
        assert_eq!(allocate(1000, 500), fresh(1000));
        assert_eq!(allocate(1000, 0), fresh(400));
        assert_eq!(allocate(300, 0), 0);
        assert_eq!(allocate(300, 0), fresh(100));
    }

    #[test]
    fn a_factor_of_zero_is_a_ppe_that_takes_no_time() {
        let mut clock = PpeClock::new(0.0);
        clock.recorded(10, 0);
        assert_eq!((clock.scheduled(100, 1 << 20, 0), clock.offer(), clock.acknowledge(7)), (0, 0, 0));
        assert_eq!(clock.execute(3, 1e9), 3);
        assert_eq!(clock.times(), PpeTimes::default());
    }
}
