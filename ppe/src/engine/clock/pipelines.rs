//! All MEUs in virtual time, with the memory that they share.

use super::executed::Executed;
use super::meu::{Meu, Operation};
use super::mfc::{Mfcs, Moved};
use crate::engine::report::Waits;
use crate::time::memory::Memory;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Pipelines {
    meus: Vec<Meu>,
    mfcs: Mfcs,
    now: f64,
}

impl Pipelines {
    /// So many MEUs, divided among so many Cells.
    pub(super) fn new(meus: usize, cells: usize, memory: Memory) -> Pipelines {
        let all = std::iter::repeat_with(Meu::new).take(meus).collect();
        Pipelines { meus: all, mfcs: Mfcs::new(memory, meus, cells), now: 0.0 }
    }

    pub(super) fn now(&self) -> f64 {
        self.now
    }

    /// Words in an MEU's mailbox.
    pub(super) fn words(&self, meu: usize) -> usize {
        self.meus[meu].words()
    }

    pub(super) fn completed(&self, meu: usize) -> u64 {
        self.meus[meu].completed()
    }

    pub(super) fn waits(&self, meu: usize) -> Waits {
        self.meus[meu].waits()
    }

    /// What an MEU has moved.
    pub(super) fn moved(&self, meu: usize) -> Moved {
        self.mfcs.moved(meu)
    }

    /// Lets MEUs note when they execute operations, or ends that, while nothing is outstanding.
    pub(super) fn note_executed(&mut self, on: bool) {
        self.meus.iter_mut().for_each(|meu| meu.note_executed(on));
    }

    /// What an MEU has noted; None when it notes nothing.
    pub(super) fn executed(&mut self, meu: usize) -> Option<&mut Executed> {
        self.meus[meu].executed()
    }

    pub(super) fn offer(&mut self, meu: usize, operation: Operation) {
        self.meus[meu].offer(operation, self.now);
        self.meus[meu].turn(meu, self.now, &mut self.mfcs);
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
        let state = |pipelines: &Pipelines| -> (u64, usize) {
            let sums = pipelines.meus.iter().map(|meu| (meu.completed(), meu.words()));
            sums.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        let before = state(self);
        while self.now < until {
            if self.next_end().is_none() && self.mfcs.next_event().is_none() {
                return false;
            }
            self.step(until, false);
            if before != state(self) {
                return true;
            }
        }
        true
    }

    /// When an MEU ends what it does. None when all MEUs wait.
    fn next_end(&self) -> Option<f64> {
        self.meus.iter().filter_map(|meu| meu.next_event(self.now)).min_by(f64::total_cmp)
    }

    /// Goes on until an MEU ends what it does or a command ends, not beyond `until`.
    fn step(&mut self, until: f64, ppe_works: bool) {
        let own = self.next_end().map_or(until, |end| end.min(until));
        let (end, woken) = match self.mfcs.advance(own) {
            Some((time, number)) => (time.max(self.now), Some(number)),
            None if own < f64::INFINITY => (own, None),
            // Nothing will happen any more.
            None => return,
        };
        let ns = end - self.now;
        if ns > 0.0 {
            self.meus.iter_mut().for_each(|meu| meu.pass(self.now, ns, ppe_works));
        }
        self.now = end;
        for (number, meu) in self.meus.iter_mut().enumerate() {
            if woken == Some(number) || meu.is_due(end) {
                meu.turn(number, end, &mut self.mfcs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mfc::Run;
    use super::super::mfc::tests::FIGURES;
    use super::*;

    fn operation(parts: &[f64]) -> Operation {
        let run = |lines| [Run { elements: 1, lines, home: None }].into();
        Operation {
            record_lines: 1,
            take_ns: 40.0,
            fetch: run(2),
            part_ns: 10.0,
            parts: parts.to_vec(),
            part_fetches: vec![run(8); parts.len() - 1],
            write_ns: 20.0,
            write: run(1),
            turn_ns: 5.0,
            ..Operation::default()
        }
    }

    fn makespan(pipelines: &mut Pipelines) -> f64 {
        while pipelines.pass_until_news(f64::INFINITY) {}
        pipelines.now()
    }

    /// Until the first operand is there: record, issue, operands.
    const FETCH: f64 = 130.0 + 40.0 + 30.0 + 5.0 + 10.0 + 100.0;

    #[test]
    fn stages_of_one_meu_overlap() {
        let run = |count: usize| {
            let mut pipelines = Pipelines::new(1, 1, FIGURES);
            for _ in 0..count {
                pipelines.offer(0, operation(&[1000.0]));
            }
            let end = makespan(&mut pipelines);
            assert_eq!(pipelines.completed(0), count as u64);
            (end, pipelines.waits(0))
        };
        let (one, waits) = run(1);
        assert_eq!(one, FETCH + 1000.0 + 20.0 + 30.0 + 5.0 + 100.0 + 100.0);
        assert_eq!(waits.busy_ns, 1065.0);
        // Each further one is taken before the execution, whose operands arrive meanwhile.
        let (four, waits) = run(4);
        let each = (four - one) / 3.0;
        assert!((each - 1000.0 - 40.0 - 25.0 - 130.0).abs() < 40.0, "{each}");
        assert_eq!(waits.busy_ns, 4.0 * 1065.0);
        assert_eq!(waits.total_ns(), four);
    }

    #[test]
    fn a_chain_waits_for_its_operands_and_an_idle_meu_for_the_ppe() {
        let mut pipelines = Pipelines::new(1, 1, FIGURES);
        pipelines.pass(70.0, true);
        pipelines.offer(0, operation(&[100.0, 100.0, 100.0]));
        let end = makespan(&mut pipelines);
        // Two lines at a time: eight lines take four times the latency.
        assert!(end > 70.0 + FETCH + 2.0 * 400.0, "{end}");
        let waits = pipelines.waits(0);
        assert_eq!((waits.ppe_ns, waits.busy_ns), (70.0, 40.0 + 2.0 * 10.0 + 300.0 + 25.0));
        assert_eq!(waits.total_ns(), end);
    }

    #[test]
    fn the_memory_is_shared_when_it_is_short() {
        let run = |meus: usize| {
            let mut pipelines = Pipelines::new(meus, 1, Memory { shared_ns: 60.0, ..FIGURES });
            for meu in 0..meus {
                pipelines.offer(
                    meu,
                    Operation {
                        fetch: [Run { elements: 1, lines: 100, home: None }].into(),
                        ..operation(&[1.0])
                    },
                );
            }
            makespan(&mut pipelines)
        };
        assert!(run(2) > 1.5 * run(1), "{} {}", run(2), run(1));
    }

    #[test]
    fn code_is_fetched_when_it_is_not_there() {
        use super::super::meu::Segment;
        let run = |overlays: [&'static str; 2]| {
            let mut pipelines = Pipelines::new(1, 1, FIGURES);
            for overlay in overlays {
                let segments = vec![Segment { overlay: Some(overlay), ns: 10.0 }];
                pipelines.offer(0, Operation { segments, ..operation(&[0.0]) });
            }
            makespan(&mut pipelines)
        };
        assert!(run(["A", "B"]) > run(["A", "A"]) + 1000.0);
    }

    #[test]
    fn a_timeline_shows_operations_one_after_the_other() {
        let mut pipelines = Pipelines::new(1, 1, FIGURES);
        pipelines.offer(0, operation(&[500.0]));
        makespan(&mut pipelines);
        assert!(pipelines.executed(0).is_none(), "nobody wants to know");
        pipelines.note_executed(true);
        let begun = pipelines.now();
        (0..2).for_each(|_| pipelines.offer(0, operation(&[500.0])));
        let end = makespan(&mut pipelines);
        let spans = pipelines.executed(0).map(|executed| executed.take(1000)).unwrap_or_default();
        let [first, second] = spans[..] else { panic!("{spans:?}") };
        assert_eq!((first.number, second.number, first.is_virtual), (1, 2, true));
        assert_eq!((first.start_ns, second.start_ns), (1000 + begun as u64, first.end_ns));
        assert_eq!(second.end_ns, 1000 + end as u64);
        for span in spans {
            let [fetch, execute, write] = span.stages_ns.unwrap_or_default().map(u64::from);
            assert!(execute >= 500 && write > 0, "{span:?}");
            assert!(fetch + execute + write <= span.end_ns - span.start_ns + 600, "{span:?}");
        }
    }
}
