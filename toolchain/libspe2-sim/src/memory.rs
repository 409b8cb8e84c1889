//! The memory of this process as the MFCs see it: an effective address is an address of the process.
//!
//! * An access to an address without memory, or without permission, is a fault of the SPE's command, never a
//!   fault of the process (`guard/guard.c`).
//! * A line is moved as a whole with respect to other SPEs: every access takes the lock of its line. With
//!   respect to the PPE program, which takes no locks, each aligned doubleword is moved at once.
//! * A reservation is lost when another SPE writes the line: the version of the line has changed. It is also
//!   lost when the contents of the line have changed, because the PPE program wrote it. A write of the PPE
//!   program that changes no byte is not found. A conditional store that changes one doubleword is atomic
//!   also to atomic instructions of the PPE program.
//! * A thread that sees a later store of an SPE sees the SPE's earlier stores too: each store follows a
//!   release fence, and each load is followed by an acquire fence. So a completion record that is put after
//!   the data, with a fence, tells that the data is there.
//! * The addresses of problem-state areas lead to registers.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use spu_sim::memory::{LINE_BYTES, Line, MainMemory, MemoryFault, Reservation};

use crate::guard;
use crate::problem_state;

/// Number of locks. A line loses its reservation when another line with the same lock is written, which costs
/// another attempt only.
const LOCKS: usize = 4096;

/// The one memory of the process.
#[derive(Debug)]
pub(crate) struct ProcessMemory {
    /// Versions of lines, counted up by every write of an SPE.
    versions: Box<[Mutex<u64>]>,
}

/// The memory of this process.
pub(crate) fn process_memory() -> Arc<ProcessMemory> {
    static MEMORY: OnceLock<Arc<ProcessMemory>> = OnceLock::new();
    let memory = MEMORY
        .get_or_init(|| Arc::new(ProcessMemory { versions: (0..LOCKS).map(|_| Mutex::new(0)).collect() }));
    Arc::clone(memory)
}

impl ProcessMemory {
    fn version(&self, ea: u64) -> MutexGuard<'_, u64> {
        // Neighbouring lines are spread as well as lines at a power of two.
        let line = ea / LINE_BYTES as u64;
        let spread = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
        self.versions[spread as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MainMemory for ProcessMemory {
    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        if problem_state::contains(ea) {
            let value = problem_state::get(ea).filter(|_| buffer.len() == 4);
            buffer.copy_from_slice(&value.ok_or(MemoryFault { ea, write: false })?.to_be_bytes());
            return Ok(());
        }
        let _version = self.version(ea);
        guard::load(ea, buffer)
    }

    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        if problem_state::contains(ea) {
            let fault = MemoryFault { ea, write: true };
            let value = <[u8; 4]>::try_from(data).map_err(|_| fault)?;
            return problem_state::put(ea, u32::from_be_bytes(value)).ok_or(fault);
        }
        let mut version = self.version(ea);
        *version += 1;
        guard::store(ea, data)
    }

    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault> {
        let version = self.version(ea);
        let mut line = [0; LINE_BYTES];
        guard::load(ea, &mut line)?;
        Ok(Reservation { ea, version: *version, line })
    }

    fn write_reserved(&self, reservation: &Reservation, line: &Line) -> Result<bool, MemoryFault> {
        let mut version = self.version(reservation.ea);
        if *version != reservation.version {
            return Ok(false);
        }
        let stored = guard::exchange(reservation.ea, &reservation.line, line)?;
        *version += u64::from(stored);
        Ok(stored)
    }

    fn is_reserved(&self, reservation: &Reservation) -> bool {
        let version = self.version(reservation.ea);
        let mut line = [0; LINE_BYTES];
        *version == reservation.version
            && guard::load(reservation.ea, &mut line).is_ok()
            && line == reservation.line
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

    use super::*;

    #[repr(align(128))]
    struct AlignedLine([AtomicU64; 16]);

    impl AlignedLine {
        fn new() -> AlignedLine {
            AlignedLine([const { AtomicU64::new(0) }; 16])
        }

        fn ea(&self) -> u64 {
            self.0.as_ptr().addr() as u64
        }
    }

    #[test]
    fn addresses_without_memory_fault() {
        let memory = process_memory();
        for ea in [0, 0x80, 0x7000_0000_0000_0000, u64::MAX - 127] {
            assert_eq!(memory.read(ea, &mut [0; 128]), Err(MemoryFault { ea, write: false }));
            assert_eq!(memory.write(ea, &[0; 16]), Err(MemoryFault { ea, write: true }));
            assert!(memory.reserve(ea).is_err());
        }
        // Constants can be read, but not written.
        static CONSTANT: [u8; 16] = [7; 16];
        let ea = CONSTANT.as_ptr().addr() as u64;
        let mut byte = [0];
        assert_eq!((memory.read(ea, &mut byte), byte), (Ok(()), [7]));
        assert_eq!(memory.write(ea, &[1]), Err(MemoryFault { ea, write: true }));
    }

    #[test]
    fn a_reservation_is_lost_to_every_writer() {
        let memory = process_memory();
        let line = AlignedLine::new();
        let reservation = memory.reserve(line.ea()).unwrap();
        assert!(memory.is_reserved(&reservation));
        memory.write(line.ea() + 8, &[0; 8]).unwrap();
        assert!(!memory.is_reserved(&reservation));

        let reservation = memory.reserve(line.ea()).unwrap();
        line.0[3].store(5, Relaxed);
        assert!(!memory.is_reserved(&reservation));
        assert_eq!(memory.write_reserved(&reservation, &[9; 128]), Ok(false));
        assert_eq!(line.0[3].load(Relaxed), 5);

        let reservation = memory.reserve(line.ea()).unwrap();
        assert_eq!(memory.write_reserved(&reservation, &[9; 128]), Ok(true));
        assert_eq!(line.0[15].load(Relaxed), 0x0909_0909_0909_0909);
    }

    /// A line with `number` in each doubleword.
    fn filled(number: u64) -> Line {
        let mut line = [0; LINE_BYTES];
        line.chunks_exact_mut(8).for_each(|piece| piece.copy_from_slice(&number.to_ne_bytes()));
        line
    }

    #[test]
    fn the_first_doubleword_of_a_line_is_stored_last_and_loaded_first() {
        const ROUNDS: u64 = 100_000;
        let (memory, put, got) = (process_memory(), AlignedLine::new(), AlignedLine::new());
        std::thread::scope(|scope| {
            scope.spawn(|| (1..=ROUNDS).for_each(|round| memory.write(put.ea(), &filled(round)).unwrap()));
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    got.0[1..].iter().for_each(|piece| piece.store(round, Relaxed));
                    got.0[0].store(round, Release);
                }
            });
            let (mut seen, mut line) = (0, [0; LINE_BYTES]);
            while seen < ROUNDS || line != filled(ROUNDS) {
                seen = put.0[0].load(Acquire);
                assert!(put.0[1..].iter().all(|piece| piece.load(Relaxed) >= seen), "{seen}");
                memory.read(got.ea(), &mut line).unwrap();
                let mut pieces =
                    line.chunks_exact(8).map(|piece| u64::from_ne_bytes(piece.try_into().unwrap()));
                let first = pieces.next().unwrap();
                assert!(pieces.all(|piece| piece >= first), "{first}");
            }
        });
    }

    #[test]
    fn counting_by_reservations_and_by_atomic_instructions_loses_nothing() {
        const ROUNDS: u64 = 2000;
        let line = AlignedLine::new();
        let by_reservation = || {
            let memory = process_memory();
            for _ in 0..ROUNDS {
                loop {
                    let reservation = memory.reserve(line.ea()).unwrap();
                    let mut new = reservation.line;
                    let (count, _) = new.split_first_chunk_mut::<8>().unwrap();
                    *count = (u64::from_ne_bytes(*count) + 1).to_ne_bytes();
                    if memory.write_reserved(&reservation, &new).unwrap() {
                        break;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(by_reservation);
            scope.spawn(by_reservation);
            scope.spawn(|| (0..ROUNDS).for_each(|_| _ = line.0[0].fetch_add(1, Relaxed)));
        });
        assert_eq!(line.0[0].load(Relaxed), 3 * ROUNDS);
    }
}
