//! Several SPEs in one deterministic virtual time, with timed pipelines and a shared memory system.
//!
//! The machine repeatedly chooses the memory event or the SPE with the smallest time. A memory event is a line that has
//! moved, or an MFC that may send its next line. An SPE runs until the next event, or until it would get further ahead
//! of another SPE than [`LOOKAHEAD`]. Ties go to events, then to the SPE with the lower number. SPEs may run ahead on
//! threads ([`Machine::with_threads`]). Nothing depends on threads or clocks, so every run takes equal cycles.

mod ahead;
mod node;

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

use crate::{
    channels::number::{MFC_CMD, MFC_WR_LIST_STALL_ACK},
    elf::Image,
    exec::Flow,
    memory::MainMemory,
    mfc::{Kind, Order, Work},
    port::Port,
    spe::{Arguments, Spe, SpeConfig, StopReason},
    timing::{
        bandwidth::Bandwidth,
        constants::{
            ATOMIC, LIST_ELEMENT, LOOKAHEAD, MFC_COMMAND, MFC_DECODE, MFC_LINE, MFC_OUTSTANDING_LINES,
        },
        pipeline::{Counts, Pipeline},
    },
};
use ahead::Threads;
use node::{Activity, Flight, Node, Slot};

/// Why [`Machine::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineEvent {
    /// An SPE stopped. It runs again after [`Machine::resume`].
    Stopped {
        /// Which.
        spe: usize,
        /// Why.
        reason: StopReason,
    },
    /// An SPE wrote a mailbox that the PPE reads.
    Mailbox {
        /// Which.
        spe: usize,
    },
    /// The time limit was reached.
    Time,
    /// All SPEs are stopped.
    Idle,
    /// SPEs wait for channels, and nothing in the machine will serve them.
    Deadlock {
        /// The first SPE that waits.
        spe: usize,
        /// The channel that it waits for.
        channel: u8,
    },
}

/// SPEs that share memory and time.
#[derive(Debug)]
pub struct Machine {
    slots: Vec<Slot>,
    threads: Option<Threads>,
    bandwidth: Bandwidth,
    flights: BinaryHeap<Reverse<Flight>>,
    next_number: u64,
    now: u64,
}

impl Machine {
    /// As many SPEs as there are ports. `config.order` is replaced by timed operation.
    pub fn new(
        config: &SpeConfig,
        memory: Arc<dyn MainMemory>,
        ports: Vec<Arc<Port>>,
        profile: bool,
    ) -> Machine {
        let spes = ports.into_iter().map(|port| (port, Arc::clone(&memory))).collect();
        Machine::with_memories(config, spes, profile)
    }

    /// [`Machine::new`], where each SPE's MFC reaches a memory of its own, which shares the bandwidth of main
    /// memory.
    pub fn with_memories(
        config: &SpeConfig,
        spes: Vec<(Arc<Port>, Arc<dyn MainMemory>)>,
        profile: bool,
    ) -> Machine {
        let config = SpeConfig { order: Order::Timed, ..config.clone() };
        let slots: Vec<Slot> = spes
            .into_iter()
            .map(|(port, memory)| {
                Slot::Here(Box::new(Node {
                    spe: Spe::with_port(&config, memory, port),
                    pipeline: if profile {
                        Pipeline::with_profile(config.cpu)
                    } else {
                        Pipeline::new(config.cpu)
                    },
                    activity: Activity::Stopped,
                    mfc_ready: 0,
                    mfc_idle: true,
                    outstanding: 0,
                    quiet_since: 0,
                    at_channel: false,
                    held: None,
                }))
            })
            .collect();
        Machine {
            bandwidth: Bandwidth::new(slots.len(), 1),
            slots,
            threads: None,
            flights: BinaryHeap::new(),
            next_number: 0,
            now: 0,
        }
    }

    /// Divides the SPEs among so many Cells, which have a main memory each: the first SPEs are those of the first Cell.
    #[must_use]
    pub fn with_cells(self, cells: usize) -> Machine {
        Machine { bandwidth: Bandwidth::new(self.slots.len(), cells), ..self }
    }

    /// Lets SPEs run ahead on `threads` threads, beside the thread that calls [`Machine::run`]. No cycle depends on
    /// that. SPEs must not reach each other but through channels and the MFC.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Machine {
        Machine { threads: (threads > 0).then(|| Threads::new(threads)), ..self }
    }

    /// The SPE number `index`.
    ///
    /// # Panics
    /// If there is no such SPE, or it runs ahead. All functions with an index panic where there is none.
    pub fn spe(&self, index: usize) -> &Spe {
        &self.node(index).spe
    }

    /// The SPE number `index`, to be changed while it is stopped.
    pub fn spe_mut(&mut self, index: usize) -> &mut Spe {
        &mut self.home(index).spe
    }

    /// The pipeline of an SPE that does not run ahead, with its counts.
    pub fn pipeline(&self, index: usize) -> &Pipeline {
        &self.node(index).pipeline
    }

    /// The counts of an SPE, also of one that runs ahead.
    pub fn counts(&self, index: usize) -> Counts {
        match &self.slots[index] {
            Slot::Ahead(traveller) => traveller.counts(),
            _ => *self.node(index).pipeline.counts(),
        }
    }

    /// Number of SPEs.
    pub fn spes(&self) -> usize {
        self.slots.len()
    }

    /// The virtual time in cycles: no SPE is behind it.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Loads a program into an SPE and lets it run from now on.
    pub fn start(&mut self, index: usize, image: &Image, arguments: Arguments) {
        self.home(index).spe.start(image, arguments);
        self.resume(index);
    }

    /// Lets a stopped SPE go on.
    pub fn resume(&mut self, index: usize) {
        let now = self.now;
        let node = self.home(index);
        node.pipeline.wait_for_channel(now);
        node.activity = Activity::Running;
    }

    /// Stops an SPE, whatever it is doing.
    pub fn stop(&mut self, index: usize) {
        let node = self.home(index);
        node.activity = Activity::Stopped;
        node.held = None;
    }

    /// Runs until something happens that concerns the PPE, but no SPE beyond cycle `until` by more than the
    /// instruction at hand. The PPE acts at [`Machine::now`].
    pub fn run(&mut self, until: u64) -> MachineEvent {
        loop {
            self.wake_served();
            self.send_ahead();
            let event = self.next_event();
            let runner = self.next_runner();
            if let Some((horizon, index)) = self.last_ahead() {
                // Whoever runs or moves data needs to know what comes before.
                let first = event.map_or(until, |(time, _)| time.min(until));
                let runs = runner.is_some_and(|(time, _)| time < first && time < horizon + LOOKAHEAD);
                if horizon < first && !runs {
                    let needed = runner.map_or(first, |(time, _)| time.min(first));
                    self.await_ahead(index, needed);
                    continue;
                }
            }
            match (event, runner) {
                (Some((time, _)), _) if time >= until && runner.is_none_or(|(at, _)| at >= until) => {
                    return self.reached(until);
                }
                (None, Some((time, _))) if time >= until => return self.reached(until),
                (Some((time, event)), runner) if runner.is_none_or(|(at, _)| time <= at) => {
                    self.now = self.now.max(time);
                    self.handle(time, event);
                }
                (event, Some((time, index))) => {
                    self.now = self.now.max(time);
                    let mut limit = until.min(event.map_or(u64::MAX, |(time, _)| time.max(1)));
                    if let Some(other) = self.next_runner_after(index) {
                        limit = limit.min(other + LOOKAHEAD);
                    }
                    if let Some((horizon, _)) = self.last_ahead() {
                        limit = limit.min(horizon + LOOKAHEAD);
                    }
                    if let Some(event) = self.run_spe(index, limit.max(time + 1)) {
                        return event;
                    }
                }
                (None, None) if self.last_ahead().is_some() => return self.reached(until),
                (None, None) => return self.stuck(until),
                (Some(_), None) => unreachable!("an event without a runner was handled above"),
            }
        }
    }

    /// Runs until cycle `until`, or until an SPE stops. Where nothing happens before, time passes all the same.
    pub fn pass(&mut self, until: u64) -> Option<MachineEvent> {
        while self.now < until {
            match self.run(until) {
                MachineEvent::Time | MachineEvent::Mailbox { .. } => {}
                MachineEvent::Idle | MachineEvent::Deadlock { .. } => self.now = until,
                stopped @ MachineEvent::Stopped { .. } => return Some(stopped),
            }
        }
        None
    }

    fn reached(&mut self, until: u64) -> MachineEvent {
        self.now = self.now.max(until);
        MachineEvent::Time
    }

    /// Nothing runs and nothing moves, so only an event of a decrementer can wake an SPE.
    fn stuck(&mut self, until: u64) -> MachineEvent {
        let expiry = self
            .here()
            .filter(|(_, node)| matches!(node.activity, Activity::Blocked { channel: 0, .. }))
            .filter_map(|(index, node)| {
                node.spe.spu().channels().decrementer_event_at().map(|at| (at, index))
            })
            .min();
        if let Some((at, index)) = expiry {
            if at >= until {
                return self.reached(until);
            }
            self.now = self.now.max(at);
            self.wake(index, at);
            return self.run(until);
        }
        let blocked = self.here().find_map(|(spe, node)| match node.activity {
            Activity::Blocked { channel, .. } => Some(MachineEvent::Deadlock { spe, channel }),
            _ => None,
        });
        blocked.unwrap_or(MachineEvent::Idle)
    }

    /// Wakes the SPEs whose ports changed since they blocked.
    fn wake_served(&mut self) {
        for index in 0..self.slots.len() {
            if let Slot::Here(node) = &self.slots[index]
                && let Activity::Blocked { seen, .. } = node.activity
                && node.spe.port().generation() != seen
            {
                self.wake(index, self.now);
            }
        }
    }

    fn wake(&mut self, index: usize, time: u64) {
        let node = self.home(index);
        if matches!(node.activity, Activity::Blocked { .. }) {
            node.pipeline.wait_for_channel(time);
            node.activity = Activity::Running;
            node.quiet_since = time;
        }
    }

    /// The earliest memory event.
    fn next_event(&self) -> Option<(u64, MemoryEvent)> {
        let landing = self.flights.peek().map(|Reverse(flight)| (flight.done, MemoryEvent::Landing));
        let sending = self
            .here()
            .filter(|(_, node)| !node.mfc_idle && node.outstanding < MFC_OUTSTANDING_LINES)
            .map(|(index, node)| (node.mfc_ready, MemoryEvent::Send(index)))
            .min_by_key(|&(time, _)| time);
        match (landing, sending) {
            (Some(landing), Some(sending)) => Some(if landing.0 <= sending.0 { landing } else { sending }),
            (landing, sending) => landing.or(sending),
        }
    }

    fn running(&self) -> impl Iterator<Item = (u64, usize)> {
        self.here()
            .filter(|(_, node)| node.activity == Activity::Running)
            .map(|(index, node)| (node.next_cycle(), index))
    }

    fn next_runner(&self) -> Option<(u64, usize)> {
        self.running().min()
    }

    fn next_runner_after(&self, index: usize) -> Option<u64> {
        self.running().filter(|&(_, other)| other != index).map(|(time, _)| time).min()
    }

    fn handle(&mut self, time: u64, event: MemoryEvent) {
        match event {
            MemoryEvent::Landing => {
                let Some(Reverse(flight)) = self.flights.pop() else { return };
                let node = self.home(flight.spe);
                let ls = Arc::clone(node.spe.port().ls());
                let notable = node.spe.mfc_mut().complete(flight.issued, &ls);
                node.pipeline.take_local_store(time);
                node.outstanding -= 1;
                // Something behind a fence may be free to go, and the SPU may be waiting for this.
                node.mfc_idle = false;
                node.mfc_ready = node.mfc_ready.max(time);
                if notable {
                    self.wake(flight.spe, time);
                }
            }
            MemoryEvent::Send(index) => self.send(index, time),
        }
    }

    /// Lets an MFC send its next line at cycle `time`.
    fn send(&mut self, index: usize, time: u64) {
        let node = self.home(index);
        let ls = Arc::clone(node.spe.port().ls());
        match node.spe.mfc_mut().next_work(&ls) {
            Work::Chunk(issued) => {
                node.outstanding += 1;
                node.mfc_ready = time + MFC_LINE;
                let route = match issued.kind {
                    Kind::CacheHint | Kind::Barrier => None,
                    _ => Some(node.spe.spu().channels().mfc().memory().route(issued.chunk.ea)),
                };
                let writes = issued.kind != Kind::Get;
                let done = route.map_or(time, |route| self.bandwidth.request(index, route, writes, time));
                self.flights.push(Reverse(Flight { done, number: self.next_number, spe: index, issued }));
                self.next_number += 1;
            }
            Work::ElementFetched => node.mfc_ready = time + LIST_ELEMENT,
            Work::CommandIssued => {
                node.mfc_ready = time + MFC_COMMAND;
                // A command without data ends here.
                self.wake(index, time);
            }
            Work::Idle => {
                node.mfc_idle = true;
                // A stall ends here.
                self.wake(index, time);
            }
        }
    }

    /// Lets an SPE run up to cycle `limit`.
    fn run_spe(&mut self, index: usize, limit: u64) -> Option<MachineEvent> {
        /// Instructions between two looks at the clock; the cycle limit usually comes first.
        const SLICE: u64 = 1 << 20;
        let node = self.home(index);
        if node.spe.port().take_stop_request() {
            node.activity = Activity::Stopped;
            return Some(MachineEvent::Stopped { spe: index, reason: StopReason::Requested });
        }
        let seen = node.spe.port().generation();
        let before = node.spe.spu().instructions;
        node.at_channel = false;
        let flow = match node.held.take() {
            Some(flow) => flow,
            None => match node.spe.spu_mut().run(&mut node.pipeline, SLICE, limit) {
                flow @ (Flow::Next | Flow::Jump(_) | Flow::Yield(_) | Flow::Blocked(_)) => flow,
                // The PPE hears of the end when virtual time has come to it for all SPEs.
                end => {
                    node.held = Some(end);
                    return None;
                }
            },
        };
        if !matches!(flow, Flow::Next | Flow::Jump(_)) {
            node.quiet_since = node.pipeline.cycle();
        }
        match flow {
            Flow::Next | Flow::Jump(_) => {
                // At the end of a slice the next instruction may well issue before the limit.
                if node.spe.spu().instructions - before < SLICE {
                    node.pipeline.skip_to(limit);
                }
                None
            }
            Flow::Yield(channel) => {
                if matches!(channel, MFC_CMD | MFC_WR_LIST_STALL_ACK) {
                    if node.spe.mfc_mut().atomic.take_issued() {
                        node.pipeline.wait_for_channel(node.pipeline.cycle() + ATOMIC);
                        return None;
                    }
                    // A busy MFC decodes the command while it works on earlier commands.
                    if std::mem::take(&mut node.mfc_idle) {
                        node.mfc_ready = node.mfc_ready.max(node.pipeline.cycle() + MFC_DECODE);
                    }
                    return None;
                }
                let cycle = node.pipeline.cycle();
                self.now = self.now.max(cycle);
                Some(MachineEvent::Mailbox { spe: index })
            }
            Flow::Blocked(channel) => {
                node.activity = Activity::Blocked { channel, seen };
                None
            }
            flow => {
                node.activity = Activity::Stopped;
                let (cycle, reason) = (node.pipeline.cycle(), node.spe.stop_reason(flow));
                self.now = self.now.max(cycle);
                reason.map(|reason| MachineEvent::Stopped { spe: index, reason })
            }
        }
    }
}

/// A thing that happens in the memory system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemoryEvent {
    /// The first line on its way arrives.
    Landing,
    /// This MFC may send.
    Send(usize),
}

#[cfg(test)]
mod ahead_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod transfer_tests;
