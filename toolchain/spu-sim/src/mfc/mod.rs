//! The memory flow controller: a queue of up to 16 commands from the SPU, tag groups, and the atomic unit.
//!
//! Commands of the queue may run in any order that fences and barriers allow (cell-facts B5); [`Order`]
//! chooses one. With [`Order::Timed`] the queue does nothing by itself: the virtual-time machine asks for
//! chunks, moves them when their time has come, and reports completion.

pub(crate) mod atomic;
mod command;

use std::{collections::VecDeque, sync::Arc};

use atomic::Atomic;
pub use command::{
    Chunk, Command, Issuer, Kind, LIST_ELEMENT_BYTES, MAX_TRANSFER_BYTES, MfcFault, Operation, Parameters,
    Step,
};

use crate::{
    local_store::LocalStore,
    memory::{LINE_BYTES, MainMemory},
};

/// Entries of the SPU's command queue (cell-facts B6).
pub const QUEUE_ENTRIES: usize = 16;

/// In which order, and when, queued commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// At once, in the order of issue.
    Immediate,
    /// Late and shuffled, from this seed, but within the rules: shows programs that lack a fence or a wait.
    Reordered(u64),
    /// By the virtual-time machine.
    Timed,
}

/// A queued command, its identity, and its chunks on the way.
#[derive(Debug)]
struct Entry {
    id: u64,
    command: Command,
    /// Chunks issued but not yet moved (timed and reordered operation).
    outstanding: u32,
    /// All chunks have been issued.
    issued: bool,
    /// The list stalled; to be notified once the outstanding chunks have been moved.
    notify: bool,
    /// Chunks that the reordering mode holds back to shuffle them.
    held: Vec<Chunk>,
}

/// The MFC of one SPE.
#[derive(Debug)]
pub struct Mfc {
    memory: Arc<dyn MainMemory>,
    order: Order,
    queue: VecDeque<Entry>,
    next_id: u64,
    random: u64,
    /// Tags with a list command that stalled since the SPU last asked.
    stall_notified: u32,
    /// Whether the queue was full and has room again since the event was last collected.
    vacancy: bool,
    fault: Option<MfcFault>,
    /// Reservation and atomic status.
    pub(crate) atomic: Atomic,
}

/// A chunk handed to the virtual-time machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Issued {
    /// The command that it belongs to.
    pub(crate) id: u64,
    pub(crate) chunk: Chunk,
    pub(crate) kind: Kind,
}

/// What the virtual-time machine can do next for an MFC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Send this chunk to memory.
    Chunk(Issued),
    /// A list element was fetched.
    ElementFetched,
    /// The last chunk of a command has been sent before this, or it has none.
    CommandIssued,
    /// Nothing may be issued now.
    Idle,
}

impl Mfc {
    /// An MFC with an empty queue.
    pub fn new(memory: Arc<dyn MainMemory>, order: Order) -> Mfc {
        let random = if let Order::Reordered(seed) = order { seed } else { 0 };
        Mfc {
            memory,
            order,
            queue: VecDeque::new(),
            next_id: 0,
            random,
            stall_notified: 0,
            vacancy: false,
            fault: None,
            atomic: Atomic::default(),
        }
    }

    /// Whether the virtual-time machine executes the commands.
    pub(crate) fn is_timed(&self) -> bool {
        self.order == Order::Timed
    }

    /// Main memory.
    pub fn memory(&self) -> &Arc<dyn MainMemory> {
        &self.memory
    }

    /// Free entries of the queue.
    pub fn free_entries(&self) -> u32 {
        (QUEUE_ENTRIES - self.queue.len()) as u32
    }

    /// Bit mask of the tag groups without an outstanding command.
    pub fn completed_tags(&self) -> u32 {
        !self.queue.iter().fold(0, |mask, entry| mask | 1 << entry.command.tag)
    }

    /// Takes the tags that stalled since the last call; zero if none.
    pub(crate) fn take_stalled_tags(&mut self) -> u32 {
        std::mem::take(&mut self.stall_notified)
    }

    /// The tags that stalled and were not yet taken.
    pub(crate) fn stalled_tags(&self) -> u32 {
        self.stall_notified
    }

    /// Whether a full queue got room since the last call.
    pub(crate) fn take_vacancy(&mut self) -> bool {
        std::mem::take(&mut self.vacancy)
    }

    /// Queues a command. The caller has checked that there is room.
    pub(crate) fn issue(
        &mut self,
        opcode: u32,
        parameters: Parameters,
        ls: &LocalStore,
    ) -> Result<(), MfcFault> {
        let command = Command::new(opcode, parameters, Issuer::Spu)?;
        self.next_id += 1;
        self.queue.push_back(Entry {
            id: self.next_id,
            command,
            outstanding: 0,
            issued: false,
            notify: false,
            held: Vec::new(),
        });
        self.progress(ls)
    }

    /// Resumes the stalled list commands of a tag.
    pub(crate) fn acknowledge_stall(&mut self, tag: u32, ls: &LocalStore) -> Result<(), MfcFault> {
        for entry in self.queue.iter_mut().filter(|entry| entry.command.tag == tag) {
            entry.command.stalled = false;
        }
        self.progress(ls)
    }

    /// Lets the queue work as its order says; called whenever the SPU accesses a channel.
    pub(crate) fn progress(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        match self.order {
            Order::Immediate => self.run_in_order(ls),
            Order::Reordered(_) => self.run_some(ls),
            Order::Timed => self.fault.take().map_or(Ok(()), Err),
        }
    }

    /// Lets the queue run until no command can go on; called before the SPU waits for the MFC.
    pub(crate) fn drain(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        match self.order {
            Order::Immediate => self.run_in_order(ls),
            Order::Reordered(_) => {
                while self.run_one(ls)? {}
                Ok(())
            }
            Order::Timed => self.fault.take().map_or(Ok(()), Err),
        }
    }

    /// Lets a full queue run until it has room, if it can.
    pub(crate) fn make_room(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        if let Order::Reordered(_) = self.order {
            while self.queue.len() == QUEUE_ENTRIES && self.run_one(ls)? {}
        }
        Ok(())
    }

    fn may_run(&self, index: usize) -> bool {
        let command = &self.queue[index].command;
        !command.stalled && !self.queue.iter().take(index).any(|earlier| command.waits_for(&earlier.command))
    }

    fn remove(&mut self, index: usize) {
        self.vacancy |= self.queue.len() == QUEUE_ENTRIES;
        self.queue.remove(index);
    }

    fn run_in_order(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        let mut index = 0;
        while index < self.queue.len() {
            if !self.may_run(index) {
                index += 1;
                continue;
            }
            let entry = &mut self.queue[index];
            let (tag, kind) = (entry.command.tag, entry.command.operation.kind);
            let step = entry.command.step(ls);
            match step {
                Ok(Step::Chunk(chunk)) => {
                    let moved = move_chunk(kind, chunk, &*self.memory, ls);
                    if moved.is_err() {
                        self.remove(index);
                    }
                    moved?;
                }
                Ok(Step::FetchElement) => {}
                Ok(Step::Stall) => {
                    self.stall_notified |= 1 << tag;
                    index += 1;
                }
                // What follows may have waited for this command; everything earlier cannot run.
                Ok(Step::Done) => self.remove(index),
                Err(fault) => {
                    self.remove(index);
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// A small generator (SplitMix64), enough to shuffle.
    fn random(&mut self, below: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.random;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % below.max(1) as u64) as usize
    }

    fn run_some(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        for _ in 0..self.random(4) {
            if !self.run_one(ls)? {
                break;
            }
        }
        Ok(())
    }

    /// One step of a randomly chosen command; whether there was one.
    fn run_one(&mut self, ls: &LocalStore) -> Result<bool, MfcFault> {
        let ready: Vec<usize> = (0..self.queue.len()).filter(|&index| self.may_run(index)).collect();
        if ready.is_empty() {
            return Ok(false);
        }
        let index = ready[self.random(ready.len())];
        // Chunks of a contiguous run are collected, so that they can be moved in any order.
        let entry = &mut self.queue[index];
        let (tag, kind) = (entry.command.tag, entry.command.operation.kind);
        let pick = if entry.held.is_empty() {
            match entry.command.step(ls) {
                Ok(Step::Chunk(chunk)) => {
                    entry.held.push(chunk);
                    entry.held.extend(std::iter::from_fn(|| entry.command.next_chunk()));
                    None
                }
                Ok(Step::FetchElement) => None,
                Ok(Step::Stall) => {
                    self.stall_notified |= 1 << tag;
                    None
                }
                Ok(Step::Done) => {
                    self.remove(index);
                    None
                }
                Err(fault) => {
                    self.remove(index);
                    return Err(fault);
                }
            }
        } else {
            Some(self.queue[index].held.len())
        };
        if let Some(count) = pick {
            let chosen = self.random(count);
            let chunk = self.queue[index].held.swap_remove(chosen);
            if let Err(fault) = move_chunk(kind, chunk, &*self.memory, ls) {
                self.remove(index);
                return Err(fault);
            }
        }
        Ok(true)
    }

    /// For the virtual-time machine: the next thing that the queue may issue, in queue order.
    pub(crate) fn next_work(&mut self, ls: &LocalStore) -> Work {
        let mut index = 0;
        while index < self.queue.len() {
            if self.queue[index].issued || !self.may_run(index) {
                index += 1;
                continue;
            }
            let entry = &mut self.queue[index];
            let (id, tag, kind) = (entry.id, entry.command.tag, entry.command.operation.kind);
            match entry.command.step(ls) {
                Ok(Step::Chunk(chunk)) => {
                    entry.outstanding += 1;
                    return Work::Chunk(Issued { id, chunk, kind });
                }
                Ok(Step::FetchElement) => return Work::ElementFetched,
                Ok(Step::Stall) => {
                    if entry.outstanding == 0 {
                        self.stall_notified |= 1 << tag;
                    } else {
                        entry.notify = true;
                    }
                    index += 1;
                }
                Ok(Step::Done) => {
                    entry.issued = true;
                    if entry.outstanding == 0 {
                        self.remove(index);
                    }
                    return Work::CommandIssued;
                }
                Err(fault) => {
                    self.fault.get_or_insert(fault);
                    self.remove(index);
                }
            }
        }
        Work::Idle
    }

    /// For the virtual-time machine: moves a chunk whose time has come, and retires its command after the
    /// last one. Returns whether the SPU may have been waiting for this.
    pub(crate) fn complete(&mut self, issued: Issued, ls: &LocalStore) -> bool {
        if let Err(fault) = move_chunk(issued.kind, issued.chunk, &*self.memory, ls) {
            self.fault.get_or_insert(fault);
        }
        let mut notable = self.fault.is_some();
        if let Some(index) = self.queue.iter().position(|entry| entry.id == issued.id) {
            let entry = &mut self.queue[index];
            entry.outstanding -= 1;
            if entry.outstanding == 0 && std::mem::take(&mut entry.notify) {
                self.stall_notified |= 1 << entry.command.tag;
                notable = true;
            }
            if entry.issued && entry.outstanding == 0 {
                self.remove(index);
                notable = true;
            }
        }
        notable
    }
}

/// Moves one chunk.
pub(crate) fn move_chunk(
    kind: Kind,
    chunk: Chunk,
    memory: &dyn MainMemory,
    ls: &LocalStore,
) -> Result<(), MfcFault> {
    let mut buffer = [0; LINE_BYTES];
    let buffer = &mut buffer[..chunk.bytes as usize];
    match kind {
        Kind::Get => {
            memory.read(chunk.ea, buffer)?;
            ls.write(chunk.ls, buffer);
        }
        Kind::Put | Kind::PutLine => {
            ls.read(chunk.ls, buffer);
            memory.write(chunk.ea, buffer)?;
        }
        Kind::SendSignal => memory.signal(chunk.ea, ls.load_word(chunk.ls))?,
        Kind::Zero => memory.write(chunk.ea, buffer)?,
        Kind::CacheHint | Kind::Barrier => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
