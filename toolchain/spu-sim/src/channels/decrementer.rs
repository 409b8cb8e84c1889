//! The decrementer: a 32-bit counter that counts down at the time-base frequency (cell-facts A8). Time is
//! given in SPU cycles, so that it is deterministic.

/// The counter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decrementer {
    cycles_per_tick: u64,
    /// Value at `set_at`.
    value: u32,
    set_at: u64,
    /// Whether the program wrote it; before that it does not run.
    running: bool,
    /// Whether its event was reported since it was written.
    reported: bool,
}

impl Decrementer {
    pub(crate) fn new(cycles_per_tick: u64) -> Decrementer {
        Decrementer {
            cycles_per_tick: cycles_per_tick.max(1),
            value: u32::MAX,
            set_at: 0,
            running: false,
            reported: false,
        }
    }

    pub(crate) fn write(&mut self, value: u32, now: u64) {
        *self = Decrementer { value, set_at: now, running: true, reported: false, ..*self };
    }

    pub(crate) fn read(&self, now: u64) -> u32 {
        if self.running {
            self.value.wrapping_sub((now.saturating_sub(self.set_at) / self.cycles_per_tick) as u32)
        } else {
            self.value
        }
    }

    /// The cycle at which the value turns from 0 to -1, which raises the event; `None` if it is not running
    /// or has raised it.
    pub(crate) fn expires_at(&self) -> Option<u64> {
        (self.running && !self.reported)
            .then(|| self.set_at + (u64::from(self.value) + 1) * self.cycles_per_tick)
    }

    /// Whether the event has arisen since the last call.
    pub(crate) fn take_expired(&mut self, now: u64) -> bool {
        let expired = self.expires_at().is_some_and(|at| at <= now);
        self.reported |= expired;
        expired
    }

    /// Stops counting and raising events (the acknowledgement of its event with the event masked does so).
    pub(crate) fn stop(&mut self, now: u64) {
        self.value = self.read(now);
        self.running = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_ticks_down_and_reports_once() {
        let mut decrementer = Decrementer::new(40);
        decrementer.write(2, 1000);
        assert_eq!((decrementer.read(1039), decrementer.read(1040)), (2, 1));
        assert_eq!(decrementer.expires_at(), Some(1120));
        assert!(!decrementer.take_expired(1119));
        assert!(decrementer.take_expired(1120));
        assert!(!decrementer.take_expired(2000));
        assert_eq!(decrementer.read(1120), u32::MAX);
        decrementer.stop(1160);
        assert_eq!(decrementer.read(9999), u32::MAX - 1);
    }
}
