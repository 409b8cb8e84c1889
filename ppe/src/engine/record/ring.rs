//! Which lines of a record ring are free.
//!
//! Records follow each other in the ring, and the lines of a record are neighbours. Where too few lines are
//! left before the end of the ring, a record begins at the start of the ring, and the lines before the end
//! stay unused. The lines of a record become free when its operation has been completed.

use spe_kernels::sys;

const LINES: u64 = sys::MEU_RING_LINES as u64;
const RECORD_LINES: u64 = sys::MEU_RECORD_LINES as u64;

/// See the module's documentation.
#[derive(Debug, Clone)]
pub(in crate::engine) struct Ring {
    /// Number of lines that records have taken, counted from the beginning, with the lines left unused.
    /// Modulo the length of the ring it is the next line.
    taken: u64,
    /// For each operation that may be outstanding, at its number modulo the length of the ring: the value of
    /// `taken` before its record.
    before: Box<[u64]>,
}

impl Ring {
    /// All lines are free.
    pub(in crate::engine) fn new() -> Ring {
        Ring { taken: 0, before: vec![0; LINES as usize].into() }
    }

    /// How many records of any length surely fit, when `offered` operations have been offered and `completed`
    /// of them completed.
    pub(in crate::engine) fn room(&self, offered: u64, completed: u64) -> usize {
        let used =
            if offered > completed { self.taken - self.before[(completed % LINES) as usize] } else { 0 };
        // These few records pass the end of the ring at most once.
        ((LINES - used).saturating_sub(RECORD_LINES - 1) / RECORD_LINES) as usize
    }

    /// Takes lines for the record of operation `number`, counted from 0, and returns the first line. The ring
    /// has room for it.
    pub(in crate::engine) fn take(&mut self, number: u64, lines: u32) -> u32 {
        self.before[(number % LINES) as usize] = self.taken;
        let left = LINES - self.taken % LINES;
        if left < u64::from(lines) {
            self.taken += left;
        }
        let first = self.taken % LINES;
        self.taken += u64::from(lines);
        first as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_lie_in_one_piece_and_share_no_line_with_an_outstanding_one() {
        let mut ring = Ring::new();
        let mut random = 1_u64;
        let mut outstanding: Vec<(u64, std::ops::Range<u32>)> = Vec::new();
        let (mut offered, mut completed, mut wraps, mut fullest) = (0, 0, 0, 0);
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (random >> 33) as u32;
            for _ in 0..ring.room(offered, completed).min(draw as usize % 4) {
                let lines = 1 + (draw >> 8) % sys::MEU_RECORD_LINES;
                let first = ring.take(offered, lines);
                assert!(first + lines <= sys::MEU_RING_LINES);
                wraps += u32::from(outstanding.last().is_some_and(|(_, before)| before.start > first));
                for (_, other) in &outstanding {
                    assert!(first + lines <= other.start || other.end <= first, "{first} {lines} {other:?}");
                }
                outstanding.push((offered, first..first + lines));
                offered += 1;
            }
            fullest = fullest.max(outstanding.iter().map(|(_, lines)| lines.len()).sum());
            completed += u64::from(draw >> 16) % 3;
            completed = completed.min(offered);
            outstanding.retain(|&(number, _)| number >= completed);
        }
        assert!(wraps > 10 && fullest > 100, "{wraps} {fullest}");
    }

    #[test]
    fn an_idle_ring_has_room_for_a_full_mailbox_of_the_longest_records() {
        let mut ring = Ring::new();
        for number in 0..1000 {
            assert!(ring.room(number, number) > sys::MEU_MAILBOX_DEPTH as usize);
            ring.take(number, 1 + (number % 6) as u32);
        }
    }
}
