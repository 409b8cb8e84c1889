//! MEUs in virtual time: each fetches, executes and writes back one operation after the other, and all share
//! the bandwidth of main memory.
//!
//! An MEU takes a word from its mailbox as the MEU's program does (`spe-kernels/meu/main.c`): when it has
//! nothing to do, or at the beginning of the last part of what it executes. It fetches the operands of the
//! next operation during an execution, and writes a result back while it executes the next operation. A transfer
//! takes the time that the time model says, unless all transfers together would need more than the bandwidth of
//! the memory. Then the bandwidth is shared: none gets more than it needs, and none that wants more gets less
//! than another.

use std::collections::VecDeque;

use crate::engine::report::Waits;

/// What a transfer alone takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Transfer {
    pub(super) ns: f64,
    pub(super) bytes: f64,
}

impl Transfer {
    /// One transfer after the other.
    pub(super) fn and(self, other: Transfer) -> Transfer {
        Transfer { ns: self.ns + other.ns, bytes: self.bytes + other.bytes }
    }

    /// So many of them.
    pub(super) fn times(self, count: f64) -> Transfer {
        Transfer { ns: self.ns * count, bytes: self.bytes * count }
    }

    /// Bytes in a nanosecond.
    fn rate(self) -> f64 {
        if self.ns > 0.0 { self.bytes / self.ns } else { 0.0 }
    }
}

/// The stages of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stages {
    /// Operands; of a chain, those of the first part.
    pub(super) fetch: Transfer,
    /// Execution, without waiting for operands.
    pub(super) execute_ns: f64,
    /// Parts of a chain; 1 for everything else.
    pub(super) parts: f64,
    /// What is fetched during the execution.
    pub(super) beside: Transfer,
    /// Results.
    pub(super) write: Transfer,
}

/// A transfer under way.
#[derive(Debug, Clone, Copy)]
struct Moving {
    transfer: Transfer,
    /// What is left to do of the time that it takes alone.
    left_ns: f64,
}

impl Moving {
    fn new(transfer: Transfer) -> Moving {
        Moving { transfer, left_ns: transfer.ns }
    }

    fn is_done(&self) -> bool {
        self.left_ns <= TINY_NS
    }
}

/// Less than this is nothing: rounding.
const TINY_NS: f64 = 1e-3;

/// Before it goes on with an execution, an MEU that has taken a word waits for the record of the next operation, and
/// issues the fetches. Assumed: about what a line from memory and some hundred instructions take.
const TURN_NS: f64 = 300.0;

#[derive(Debug, Clone, Copy)]
struct Executing {
    stages: Stages,
    until: f64,
    beside: Moving,
    /// When the MEU looks whether there is a further word. Infinite when it has looked.
    look: f64,
}

#[derive(Debug, Default)]
struct Meu {
    /// Words that it has not taken.
    mailbox: VecDeque<Stages>,
    fetching: Option<(Stages, Moving)>,
    fetched: Option<Stages>,
    executing: Option<Executing>,
    /// It waits until the write back before this one has ended.
    executed: Option<Stages>,
    writing: Option<Moving>,
    completed: u64,
    waits: Waits,
}

impl Meu {
    /// Does all that takes no time. True when something has changed.
    fn turn(&mut self, now: f64) -> bool {
        let mut changed = false;
        if self.writing.is_some_and(|write| write.is_done()) {
            self.writing = None;
            self.completed += 1;
            changed = true;
        }
        if let Some((stages, fetch)) = self.fetching
            && fetch.is_done()
        {
            (self.fetching, self.fetched) = (None, Some(stages));
            changed = true;
        }
        if let Some(executing) = self.executing
            && now >= executing.until - TINY_NS
            && executing.beside.is_done()
        {
            (self.executing, self.executed) = (None, Some(executing.stages));
            changed = true;
        }
        if self.writing.is_none()
            && let Some(stages) = self.executed.take()
        {
            self.writing = Some(Moving::new(stages.write));
            changed = true;
        }
        if self.executing.is_none()
            && self.executed.is_none()
            && let Some(stages) = self.fetched.take()
        {
            let last_part = stages.execute_ns * (stages.parts - 1.0) / stages.parts;
            self.executing = Some(Executing {
                stages,
                until: now + stages.execute_ns,
                beside: Moving::new(stages.beside),
                look: now + last_part,
            });
            changed = true;
        }
        changed | self.take_word(now)
    }

    /// Takes a word from the mailbox, if the MEU looks there now.
    fn take_word(&mut self, now: f64) -> bool {
        let looks = match &mut self.executing {
            Some(executing) if now >= executing.look - TINY_NS => {
                executing.look = f64::INFINITY;
                true
            }
            Some(_) => false,
            None => self.executed.is_none(),
        };
        if !looks || self.fetching.is_some() || self.fetched.is_some() {
            return false;
        }
        let Some(stages) = self.mailbox.pop_front() else { return false };
        self.fetching = Some((stages, Moving::new(stages.fetch)));
        if let Some(executing) = &mut self.executing {
            executing.until += TURN_NS;
        }
        true
    }

    fn transfers(&self) -> impl Iterator<Item = &Moving> {
        let fetching = self.fetching.iter().map(|(_, fetch)| fetch);
        let beside = self.executing.iter().map(|executing| &executing.beside);
        fetching.chain(beside).chain(&self.writing).filter(|moving| !moving.is_done())
    }

    fn transfers_mut(&mut self) -> impl Iterator<Item = &mut Moving> {
        let fetching = self.fetching.iter_mut().map(|(_, fetch)| fetch);
        let beside = self.executing.iter_mut().map(|executing| &mut executing.beside);
        fetching.chain(beside).chain(&mut self.writing).filter(|moving| !moving.is_done())
    }

    /// Notes that time has passed. `ppe_works`: the PPE could not offer anything meanwhile.
    fn pass(&mut self, now: f64, ns: f64, ppe_works: bool) {
        let waits = &mut self.waits;
        let to = match &self.executing {
            Some(executing) if now < executing.until => &mut waits.busy_ns,
            Some(_) => &mut waits.data_ns,
            None if self.executed.is_some() || self.fetching.is_some() => &mut waits.data_ns,
            None if ppe_works => &mut waits.ppe_ns,
            None => &mut waits.operands_ns,
        };
        *to += ns;
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Pipelines {
    meus: Vec<Meu>,
    /// Of main memory, in bytes a nanosecond.
    bandwidth: f64,
    now: f64,
}

impl Pipelines {
    pub(super) fn new(meus: usize, bandwidth: f64) -> Pipelines {
        Pipelines { meus: std::iter::repeat_with(Meu::default).take(meus).collect(), bandwidth, now: 0.0 }
    }

    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Words in an MEU's mailbox.
    pub(super) fn words(&self, meu: usize) -> usize {
        self.meus[meu].mailbox.len()
    }

    pub(super) fn completed(&self, meu: usize) -> u64 {
        self.meus[meu].completed
    }

    pub(super) fn waits(&self, meu: usize) -> Waits {
        self.meus[meu].waits
    }

    pub(super) fn offer(&mut self, meu: usize, stages: Stages) {
        self.meus[meu].mailbox.push_back(stages);
        while self.meus[meu].turn(self.now) {}
    }

    /// Lets time pass until this moment.
    pub(super) fn pass(&mut self, until: f64, ppe_works: bool) {
        while self.now < until {
            self.step(until, ppe_works);
        }
    }

    /// Lets time pass until an MEU has taken a word or completed an operation, not beyond `until`. False when
    /// no MEU does anything.
    pub(super) fn pass_until_news(&mut self, until: f64) -> bool {
        let state = |pipelines: &Pipelines| {
            pipelines.meus.iter().map(|meu| meu.completed + meu.mailbox.len() as u64 * (1 << 40)).collect()
        };
        let before: Vec<u64> = state(self);
        while self.now < until {
            if self.next_event().is_none() {
                return false;
            }
            self.step(until, false);
            if before != state(self) {
                return true;
            }
        }
        true
    }

    /// The share of its own speed that a transfer with this rate gets.
    fn share(level: f64, rate: f64) -> f64 {
        if rate > level { level / rate } else { 1.0 }
    }

    /// What a transfer gets at most, in bytes a nanosecond, so that all together take the bandwidth.
    fn level(&self) -> f64 {
        let mut rates: Vec<f64> =
            self.meus.iter().flat_map(Meu::transfers).map(|moving| moving.transfer.rate()).collect();
        if rates.iter().sum::<f64>() <= self.bandwidth {
            return f64::INFINITY;
        }
        rates.sort_by(f64::total_cmp);
        let mut left = self.bandwidth;
        for (number, rate) in rates.iter().enumerate() {
            let level = left / (rates.len() - number) as f64;
            if *rate > level {
                return level;
            }
            left -= rate;
        }
        f64::INFINITY
    }

    /// When something ends or an MEU looks at its mailbox. None when no MEU does anything.
    fn next_event(&self) -> Option<f64> {
        let level = self.level();
        let of_meu = |meu: &Meu| {
            let ends = meu.executing.iter().flat_map(|executing| [executing.until, executing.look]);
            let ends = ends.filter(|end| *end > self.now && end.is_finite());
            let transfers = meu
                .transfers()
                .map(|moving| self.now + moving.left_ns / Pipelines::share(level, moving.transfer.rate()));
            ends.chain(transfers).min_by(f64::total_cmp)
        };
        self.meus.iter().filter_map(of_meu).min_by(f64::total_cmp)
    }

    /// Goes on to the next event, not beyond `until`.
    fn step(&mut self, until: f64, ppe_works: bool) {
        let level = self.level();
        let end = self.next_event().map_or(until, |event| event.min(until));
        let ns = end - self.now;
        for meu in &mut self.meus {
            meu.pass(self.now, ns, ppe_works);
            for moving in meu.transfers_mut() {
                moving.left_ns -= ns * Pipelines::share(level, moving.transfer.rate());
            }
        }
        self.now = end;
        for meu in &mut self.meus {
            while meu.turn(end) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(fetch: f64, execute_ns: f64, write: f64) -> Stages {
        let transfer = |ns| Transfer { ns, bytes: 10.0 * ns };
        Stages {
            fetch: transfer(fetch),
            execute_ns,
            parts: 1.0,
            beside: Transfer::default(),
            write: transfer(write),
        }
    }

    fn makespan(pipelines: &mut Pipelines) -> f64 {
        while pipelines.pass_until_news(f64::INFINITY) {}
        pipelines.now()
    }

    #[test]
    fn stages_of_one_meu_overlap() {
        let mut pipelines = Pipelines::new(1, 25.6);
        for _ in 0..3 {
            pipelines.offer(0, stages(100.0, 1000.0, 50.0));
        }
        assert_eq!(pipelines.words(0), 2);
        assert_eq!(makespan(&mut pipelines), 100.0 + 3000.0 + 2.0 * TURN_NS + 50.0);
        assert_eq!(pipelines.completed(0), 3);
        let Waits { busy_ns, data_ns, operands_ns, ppe_ns } = pipelines.waits(0);
        assert_eq!((busy_ns, data_ns, operands_ns, ppe_ns), (3000.0 + 2.0 * TURN_NS, 100.0, 50.0, 0.0));
    }

    #[test]
    fn the_bandwidth_is_shared_when_it_is_short() {
        // Each alone moves 10 bytes a nanosecond.
        for (bandwidth, slower) in [(25.6, 1.0), (20.0, 1.0), (10.0, 2.0)] {
            let mut pipelines = Pipelines::new(2, bandwidth);
            for meu in 0..2 {
                pipelines.offer(meu, stages(1000.0, 1.0, 0.0));
            }
            assert!((makespan(&mut pipelines) - 1000.0 * slower - 1.0).abs() < 1e-2, "{bandwidth}");
        }
        // What one does not need the other gets.
        let mut pipelines = Pipelines::new(2, 11.0);
        pipelines.offer(0, Stages { fetch: Transfer { ns: 1000.0, bytes: 2000.0 }, ..stages(0.0, 1.0, 0.0) });
        pipelines.offer(1, stages(1000.0, 1.0, 0.0));
        assert!((makespan(&mut pipelines) - 1101.0).abs() < 1e-2);
    }

    #[test]
    fn a_chain_waits_for_its_operands_and_an_idle_meu_for_the_ppe() {
        let mut pipelines = Pipelines::new(1, 25.6);
        let beside = Transfer { ns: 500.0, bytes: 100.0 };
        pipelines.pass(70.0, true);
        pipelines.offer(0, Stages { parts: 4.0, beside, ..stages(10.0, 400.0, 0.0) });
        assert_eq!(makespan(&mut pipelines), 70.0 + 10.0 + 500.0);
        let Waits { busy_ns, data_ns, operands_ns, ppe_ns } = pipelines.waits(0);
        assert_eq!((busy_ns, data_ns, operands_ns, ppe_ns), (400.0, 110.0, 0.0, 70.0));
    }
}
