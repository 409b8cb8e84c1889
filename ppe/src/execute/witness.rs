//! What is told of block operations that have been executed: the counters, and the timeline while it is on.

use std::collections::VecDeque;

use crate::engine::Engine;
use crate::lower::{LoweredGraph, Venue};
use crate::stats::Executed;
use crate::timeline::{Counter, Noted, Span, Timeline, now_ns};

/// Where executed block operations are noted.
#[derive(Debug, Clone, Copy)]
pub struct Witness<'a> {
    /// Counts them.
    pub executed: &'a Executed,
    /// None while the timeline is off.
    pub timeline: Option<&'a Timeline>,
}

impl<'a> Witness<'a> {
    /// Notes operations in a timeline if it is on now.
    #[must_use]
    pub fn new(executed: &'a Executed, timeline: &'a Timeline) -> Witness<'a> {
        Witness { executed, timeline: Some(timeline).filter(|timeline| timeline.is_on()) }
    }

    /// Counts an operation.
    pub(super) fn count(&self, graph: &LoweredGraph, index: u32) {
        self.executed.add(graph.work(&graph.operations[index as usize]));
    }

    /// The time, if operations are noted in a timeline.
    pub(super) fn begin(&self) -> Option<u64> {
        self.timeline.map(|_| now_ns())
    }

    /// Notes an operation that the calling thread has executed since `begun`.
    pub(super) fn note(&self, graph: &LoweredGraph, index: u32, begun: Option<u64>) {
        if let (Some(timeline), Some(start_ns)) = (self.timeline, begun) {
            let span = Span { start_ns, end_ns: now_ns(), ..Span::default() };
            note(timeline, graph, index, None, span);
        }
    }
}

/// Notes an operation that a processor with this number, or the calling thread, has executed.
fn note(timeline: &Timeline, graph: &LoweredGraph, index: u32, processor: Option<(u32, bool)>, span: Span) {
    let operation = &graph.operations[index as usize];
    let site_of = |recorded: u32| &graph.trace.operations[recorded as usize].site;
    let own = operation.work.kind().map(|kind| (kind, site_of(operation.operation)));
    let steps = graph.steps(operation).iter().map(|step| (step.kind, site_of(step.operation)));
    // In main memory an MEU fetches nothing and writes nothing back.
    let stages_ns = span.stages_ns.filter(|_| operation.venue == Venue::LocalStore);
    let whole = &graph.trace.operations[operation.operation as usize];
    let noted = Noted {
        processor: processor.map(|(number, _)| number),
        is_ppe: processor.is_some_and(|(_, is_ppe)| is_ppe),
        trace: graph.trace.id,
        index,
        shape: whole.shape,
        block: (operation.rows, operation.columns),
        site: whole.site.clone(),
    };
    timeline.executed(Span { stages_ns, ..span }, noted, own.into_iter().chain(steps));
}

/// An operation that execution control has offered to a processor.
#[derive(Debug, Clone, Copy)]
struct Offered {
    index: u32,
    /// The operations that the processor had completed or was offered before.
    number: u64,
    offered_ns: u64,
    /// 0 until it is acknowledged.
    acknowledged_ns: u64,
}

/// Notes in a timeline what the processors of an engine execute. A processor that notes no spans counts as
/// executing an operation from the moment when it is offered, or when the operation before it was acknowledged,
/// until it is acknowledged.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    timeline: &'a Timeline,
    graph: &'a LoweredGraph,
    /// The engine's number of the processor of each stream; of a stream that nobody executes its own number.
    numbers: Vec<usize>,
    meus: usize,
    notes_spans: bool,
    /// For each processor the operations that have not been noted, oldest first.
    offered: Vec<VecDeque<Offered>>,
    /// For each processor the end of the last operation without a span, and the number of the next operation.
    ends_ns: Vec<u64>,
    next: Vec<u64>,
    outstanding: u64,
}

/// How often execution control looks for a span that is a moment late: some milliseconds.
const LOOKS: u32 = 10_000;

impl<'a> Streams<'a> {
    /// The streams of a graph, if the witness has a timeline. `completed` operations of each processor have been
    /// completed before.
    pub(super) fn new(
        witness: Witness<'a>,
        graph: &'a LoweredGraph,
        numbers: &[Option<usize>],
        engine: &mut dyn Engine,
        completed: Vec<u64>,
    ) -> Option<Streams<'a>> {
        let notes_spans = engine.note_spans(witness.timeline.is_some());
        let streams = completed.len();
        Some(Streams {
            timeline: witness.timeline?,
            graph,
            numbers: numbers.iter().enumerate().map(|(own, number)| number.unwrap_or(own)).collect(),
            meus: engine.target().meus,
            notes_spans,
            offered: vec![VecDeque::new(); streams],
            ends_ns: vec![0; streams],
            next: completed,
            outstanding: 0,
        })
    }

    pub(super) fn offered(&mut self, stream: usize, index: u32) {
        let number = self.next[stream];
        self.next[stream] += 1;
        self.outstanding += 1;
        self.timeline.counter(Counter::Queued, || self.outstanding);
        let (offered_ns, acknowledged_ns) = (now_ns(), 0);
        self.offered[stream].push_back(Offered { index, number, offered_ns, acknowledged_ns });
    }

    pub(super) fn acknowledged(&mut self, stream: usize, index: u32) {
        self.outstanding -= 1;
        self.timeline.counter(Counter::Queued, || self.outstanding);
        let acknowledged = self.offered[stream].iter_mut().find(|offered| offered.index == index);
        if let Some(offered) = acknowledged {
            offered.acknowledged_ns = now_ns();
        }
    }

    /// The processor of a stream is lost: what it held will be executed by another one.
    pub(super) fn lost(&mut self, stream: usize) {
        let held = self.offered[stream].len();
        self.offered[stream].retain(|offered| offered.acknowledged_ns > 0);
        self.outstanding -= (held - self.offered[stream].len()) as u64;
    }

    /// Notes the operations that have been executed. In the end, when all of them have been, it waits for the
    /// spans that are late.
    pub(super) fn note(&mut self, engine: &mut dyn Engine, is_end: bool) {
        for stream in 0..self.offered.len() {
            let has_spans = self.notes_spans && self.numbers[stream] < self.meus;
            let mut looks = if is_end { LOOKS } else { 1 };
            while has_spans && looks > 0 && !self.offered[stream].is_empty() {
                for span in engine.take_spans(self.numbers[stream]) {
                    let of_span = |offered: &Offered| offered.number == span.number;
                    if let Some(at) = self.offered[stream].iter().position(of_span)
                        && let Some(offered) = self.offered[stream].remove(at)
                    {
                        self.note_one(stream, offered.index, span);
                    }
                }
                looks -= 1;
                std::hint::spin_loop();
            }
            while let Some(&Offered { index, offered_ns, acknowledged_ns, number }) =
                self.offered[stream].front()
                && acknowledged_ns > 0
                && (!has_spans || is_end)
            {
                self.offered[stream].pop_front();
                let start_ns = offered_ns.max(self.ends_ns[stream]).min(acknowledged_ns);
                self.ends_ns[stream] = acknowledged_ns;
                let span = Span { number, start_ns, end_ns: acknowledged_ns, ..Span::default() };
                self.note_one(stream, index, span);
            }
        }
    }

    fn note_one(&self, stream: usize, index: u32, span: Span) {
        let number = self.numbers[stream];
        let processor = (number as u32, number >= self.meus);
        note(self.timeline, self.graph, index, Some(processor), span);
    }
}
