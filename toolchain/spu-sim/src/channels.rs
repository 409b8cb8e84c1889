//! The SPU's channels (cell-facts B1; CBEA chapter 9): reading, writing and counting each channel.

pub(crate) mod decrementer;

use std::sync::Arc;

use crate::{
    channels::decrementer::Decrementer,
    local_store::LocalStore,
    mfc::{Mfc, MfcFault, Parameters, atomic::Atomic},
    port::Port,
};

/// Channel numbers.
#[allow(missing_docs)]
pub mod number {
    pub const SPU_RD_EVENT_STAT: u8 = 0;
    pub const SPU_WR_EVENT_MASK: u8 = 1;
    pub const SPU_WR_EVENT_ACK: u8 = 2;
    pub const SPU_RD_SIG_NOTIFY_1: u8 = 3;
    pub const SPU_RD_SIG_NOTIFY_2: u8 = 4;
    pub const SPU_WR_DEC: u8 = 7;
    pub const SPU_RD_DEC: u8 = 8;
    pub const MFC_WR_MS_SYNC_REQ: u8 = 9;
    pub const SPU_RD_EVENT_MASK: u8 = 11;
    pub const MFC_RD_TAG_MASK: u8 = 12;
    pub const SPU_RD_MACH_STAT: u8 = 13;
    pub const SPU_WR_SRR0: u8 = 14;
    pub const SPU_RD_SRR0: u8 = 15;
    pub const MFC_LSA: u8 = 16;
    pub const MFC_EAH: u8 = 17;
    pub const MFC_EAL: u8 = 18;
    pub const MFC_SIZE: u8 = 19;
    pub const MFC_TAG_ID: u8 = 20;
    pub const MFC_CMD: u8 = 21;
    pub const MFC_WR_TAG_MASK: u8 = 22;
    pub const MFC_WR_TAG_UPDATE: u8 = 23;
    pub const MFC_RD_TAG_STAT: u8 = 24;
    pub const MFC_RD_LIST_STALL_STAT: u8 = 25;
    pub const MFC_WR_LIST_STALL_ACK: u8 = 26;
    pub const MFC_RD_ATOMIC_STAT: u8 = 27;
    pub const SPU_WR_OUT_MBOX: u8 = 28;
    pub const SPU_RD_IN_MBOX: u8 = 29;
    pub const SPU_WR_OUT_INTR_MBOX: u8 = 30;
    pub const BOOKMARK: u8 = 69;
    pub const PERF_START: u8 = 70;
    pub const PERF_STOP: u8 = 71;
}
use number::*;

/// Bits of the event channels.
pub mod event {
    /// A requested tag-group status is available.
    pub const TAG_STATUS: u32 = 0x1;
    /// A list command stalled.
    pub const LIST_STALL: u32 = 0x2;
    /// The full command queue has room again.
    pub const QUEUE_VACANCY: u32 = 0x8;
    /// The empty inbound mailbox received a word.
    pub const IN_MAILBOX: u32 = 0x10;
    /// The decrementer passed zero.
    pub const DECREMENTER: u32 = 0x20;
    /// The outbound interrupt mailbox was emptied.
    pub const OUT_INTERRUPT_MAILBOX: u32 = 0x40;
    /// The outbound mailbox was emptied.
    pub const OUT_MAILBOX: u32 = 0x80;
    /// Signal notification 2 arrived.
    pub const SIGNAL_2: u32 = 0x100;
    /// Signal notification 1 arrived.
    pub const SIGNAL_1: u32 = 0x200;
    /// A reservation was lost.
    pub const LOCK_LINE_LOST: u32 = 0x400;
    /// A multi-source synchronisation finished.
    pub const MULTI_SOURCE_SYNC: u32 = 0x1000;
}

/// How an access reaches time and local store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access<'a> {
    pub(crate) now: u64,
    pub(crate) ls: &'a LocalStore,
}

/// Outcome of a channel read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadResult {
    Value(u32),
    /// The processor's own status register.
    MachineStatus,
    /// The processor's interrupt return address.
    Srr0,
    Blocked,
    Invalid,
    Fault(MfcFault),
}

/// Outcome of a channel write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteResult {
    Done,
    /// The value is for the processor's interrupt return address.
    Srr0,
    Blocked,
    Invalid,
    Fault(MfcFault),
}

/// A request for tag status (channel 23).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagRequest {
    /// None, or answered.
    None,
    /// As soon as any tag of the mask is complete.
    Any,
    /// As soon as all are.
    All,
}

/// The channel state of one SPU.
#[derive(Debug)]
pub struct Channels {
    port: Arc<Port>,
    mfc: Mfc,
    decrementer: Decrementer,
    parameters: Parameters,
    tag_mask: u32,
    tag_request: TagRequest,
    tag_status: Option<u32>,
    event_mask: u32,
    /// Events that arose and were not acknowledged.
    events: u32,
    /// Whether an enabled event arose since the status was read.
    event_count: bool,
}

/// The count of a channel that is always ready.
const READY: u32 = 1;

impl Channels {
    pub(crate) fn new(port: Arc<Port>, mfc: Mfc, cycles_per_tick: u64) -> Channels {
        Channels {
            port,
            mfc,
            decrementer: Decrementer::new(cycles_per_tick),
            parameters: Parameters::default(),
            tag_mask: 0,
            tag_request: TagRequest::None,
            tag_status: None,
            event_mask: 0,
            events: 0,
            event_count: false,
        }
    }

    /// The shared side.
    pub fn port(&self) -> &Arc<Port> {
        &self.port
    }

    /// The memory flow controller.
    pub fn mfc(&self) -> &Mfc {
        &self.mfc
    }

    pub(crate) fn mfc_mut(&mut self) -> &mut Mfc {
        &mut self.mfc
    }

    /// Whether a write to this channel starts something that the virtual-time machine does.
    pub(crate) fn concerns_machine(&self, channel: u8) -> bool {
        self.mfc.is_timed()
            && matches!(channel, MFC_CMD | SPU_WR_OUT_MBOX | SPU_WR_OUT_INTR_MBOX | MFC_WR_LIST_STALL_ACK)
    }

    /// Reads a channel (`rdch`).
    pub(crate) fn read(&mut self, channel: u8, access: Access<'_>) -> ReadResult {
        if let Err(fault) = self.mfc.progress(access.ls) {
            return ReadResult::Fault(fault);
        }
        let value = match channel {
            SPU_RD_EVENT_STAT => {
                self.collect_events(access.now);
                std::mem::take(&mut self.event_count).then_some(self.events & self.event_mask)
            }
            SPU_RD_SIG_NOTIFY_1 => self.port.try_change(|state| state.signals[0].read()),
            SPU_RD_SIG_NOTIFY_2 => self.port.try_change(|state| state.signals[1].read()),
            SPU_RD_DEC => Some(self.decrementer.read(access.now)),
            SPU_RD_EVENT_MASK => Some(self.event_mask),
            MFC_RD_TAG_MASK => Some(self.tag_mask),
            SPU_RD_MACH_STAT => return ReadResult::MachineStatus,
            SPU_RD_SRR0 => return ReadResult::Srr0,
            MFC_RD_TAG_STAT => {
                self.answer_tag_request();
                if self.tag_status.is_none() {
                    if let Err(fault) = self.mfc.drain(access.ls) {
                        return ReadResult::Fault(fault);
                    }
                    self.answer_tag_request();
                }
                self.tag_status.take()
            }
            MFC_RD_LIST_STALL_STAT => {
                if self.mfc.stalled_tags() == 0
                    && let Err(fault) = self.mfc.drain(access.ls)
                {
                    return ReadResult::Fault(fault);
                }
                Some(self.mfc.take_stalled_tags()).filter(|&tags| tags != 0)
            }
            MFC_RD_ATOMIC_STAT => self.mfc.atomic.take_status(),
            SPU_RD_IN_MBOX => self.port.try_change(|state| state.in_mailbox.read()),
            _ => return ReadResult::Invalid,
        };
        match value {
            Some(value) => ReadResult::Value(value),
            // The MFC goes on while the SPU waits: another SPE or the PPE may wait for the data that it
            // moves.
            None => self.mfc.drain(access.ls).map_or_else(ReadResult::Fault, |()| ReadResult::Blocked),
        }
    }

    /// The count of a channel (`rchcnt`); zero for a channel that does not exist.
    pub(crate) fn count(&mut self, channel: u8, access: Access<'_>) -> Result<u32, MfcFault> {
        self.mfc.progress(access.ls)?;
        Ok(match channel {
            SPU_RD_EVENT_STAT => {
                self.collect_events(access.now);
                u32::from(self.event_count)
            }
            SPU_RD_SIG_NOTIFY_1 => self.port.inspect(|state| state.signals[0].count()),
            SPU_RD_SIG_NOTIFY_2 => self.port.inspect(|state| state.signals[1].count()),
            SPU_WR_EVENT_MASK
            | SPU_WR_EVENT_ACK
            | SPU_WR_DEC
            | SPU_RD_DEC
            | MFC_WR_MS_SYNC_REQ
            | SPU_RD_EVENT_MASK
            | MFC_RD_TAG_MASK
            | SPU_RD_MACH_STAT
            | SPU_WR_SRR0
            | SPU_RD_SRR0
            | MFC_LSA
            | MFC_EAH
            | MFC_EAL
            | MFC_SIZE
            | MFC_TAG_ID
            | MFC_WR_TAG_MASK
            | MFC_WR_TAG_UPDATE
            | MFC_WR_LIST_STALL_ACK
            | BOOKMARK
            | PERF_START
            | PERF_STOP => READY,
            MFC_CMD => self.mfc.free_entries(),
            MFC_RD_TAG_STAT => {
                self.answer_tag_request();
                u32::from(self.tag_status.is_some())
            }
            MFC_RD_LIST_STALL_STAT => u32::from(self.mfc.stalled_tags() != 0),
            MFC_RD_ATOMIC_STAT => self.mfc.atomic.status_count(),
            SPU_WR_OUT_MBOX => self.port.inspect(|state| 1 - state.out_mailbox.count()),
            SPU_RD_IN_MBOX => self.port.inspect(|state| state.in_mailbox.count()),
            SPU_WR_OUT_INTR_MBOX => self.port.inspect(|state| 1 - state.out_interrupt_mailbox.count()),
            _ => 0,
        })
    }

    /// Writes a channel (`wrch`).
    pub(crate) fn write(&mut self, channel: u8, value: u32, access: Access<'_>) -> WriteResult {
        if let Err(fault) = self.mfc.progress(access.ls) {
            return WriteResult::Fault(fault);
        }
        match channel {
            SPU_WR_EVENT_MASK => {
                self.collect_events(access.now);
                self.event_mask = value;
                self.event_count = self.events & self.event_mask != 0;
            }
            SPU_WR_EVENT_ACK => {
                self.collect_events(access.now);
                self.events &= !value;
                if value & event::DECREMENTER != 0 && self.event_mask & event::DECREMENTER == 0 {
                    self.decrementer.stop(access.now);
                }
            }
            SPU_WR_DEC => self.decrementer.write(value, access.now),
            // In this simulation no access to this local store is ever pending, so the request finishes at
            // once.
            MFC_WR_MS_SYNC_REQ => self.raise(event::MULTI_SOURCE_SYNC),
            SPU_WR_SRR0 => return WriteResult::Srr0,
            MFC_LSA => self.parameters.ls = value,
            MFC_EAH => self.parameters.ea = self.parameters.ea & 0xffff_ffff | u64::from(value) << 32,
            MFC_EAL => self.parameters.ea = self.parameters.ea & !0xffff_ffff | u64::from(value),
            MFC_SIZE => self.parameters.size = value & 0xffff,
            MFC_TAG_ID => self.parameters.tag = value & 0xffff,
            MFC_CMD => return self.command(value, access.ls),
            MFC_WR_TAG_MASK => self.tag_mask = value,
            MFC_WR_TAG_UPDATE => return self.request_tag_status(value),
            MFC_WR_LIST_STALL_ACK => {
                if let Err(fault) = self.mfc.acknowledge_stall(value & 31, access.ls) {
                    return WriteResult::Fault(fault);
                }
            }
            SPU_WR_OUT_MBOX => {
                if self.port.try_change(|state| state.out_mailbox.write(value).then_some(())).is_none() {
                    return self.wait(access.ls);
                }
            }
            SPU_WR_OUT_INTR_MBOX => {
                if self
                    .port
                    .try_change(|state| state.out_interrupt_mailbox.write(value).then_some(()))
                    .is_none()
                {
                    return self.wait(access.ls);
                }
            }
            BOOKMARK | PERF_START | PERF_STOP => {}
            _ => return WriteResult::Invalid,
        }
        WriteResult::Done
    }

    /// The SPU waits to write; the MFC goes on.
    fn wait(&mut self, ls: &LocalStore) -> WriteResult {
        self.mfc.drain(ls).map_or_else(WriteResult::Fault, |()| WriteResult::Blocked)
    }

    /// Channel 21: the parameters become a command. The high address half is used once (an omitted one is
    /// zero).
    fn command(&mut self, word: u32, ls: &LocalStore) -> WriteResult {
        let opcode = word & 0xffff;
        let issued = if Atomic::handles(opcode) {
            let memory = Arc::clone(self.mfc.memory());
            self.mfc.atomic.execute(opcode, self.parameters, &*memory, ls)
        } else if let Err(fault) = self.mfc.make_room(ls) {
            return WriteResult::Fault(fault);
        } else if self.mfc.free_entries() == 0 {
            return WriteResult::Blocked;
        } else {
            self.mfc.issue(opcode, self.parameters, ls)
        };
        self.parameters.ea &= 0xffff_ffff;
        issued.map_or_else(WriteResult::Fault, |()| WriteResult::Done)
    }

    /// Channel 23: 0 asks for the status now, 1 and 2 when any or all tags of the mask are complete.
    fn request_tag_status(&mut self, condition: u32) -> WriteResult {
        self.tag_status = None;
        self.tag_request = match condition {
            0 => {
                self.tag_status = Some(self.mfc.completed_tags() & self.tag_mask);
                TagRequest::None
            }
            1 => TagRequest::Any,
            2 => TagRequest::All,
            _ => return WriteResult::Invalid,
        };
        self.answer_tag_request();
        WriteResult::Done
    }

    fn answer_tag_request(&mut self) {
        let complete = self.mfc.completed_tags() & self.tag_mask;
        let satisfied = match self.tag_request {
            TagRequest::None => false,
            // With an empty mask there is nothing to wait for.
            TagRequest::Any => complete != 0 || self.tag_mask == 0,
            TagRequest::All => complete == self.tag_mask,
        };
        if satisfied {
            self.tag_request = TagRequest::None;
            self.tag_status = Some(complete);
            self.raise(event::TAG_STATUS);
        }
    }

    fn raise(&mut self, events: u32) {
        self.events |= events;
        self.event_count |= events & self.event_mask != 0;
    }

    /// Takes over the events that arose outside of the SPU since the last call.
    fn collect_events(&mut self, now: u64) {
        let mut arisen = self.port.take_events();
        if self.decrementer.take_expired(now) {
            arisen |= event::DECREMENTER;
        }
        if self.mfc.stalled_tags() != 0 && self.events & event::LIST_STALL == 0 {
            arisen |= event::LIST_STALL;
        }
        if self.mfc.take_vacancy() {
            arisen |= event::QUEUE_VACANCY;
        }
        let memory = Arc::clone(self.mfc.memory());
        if self.mfc.atomic.take_lost(&*memory) {
            arisen |= event::LOCK_LINE_LOST;
        }
        self.answer_tag_request();
        self.raise(arisen);
    }

    /// Whether an enabled event waits, as `bisled` and the interrupt logic see it. Does not look at the
    /// clock.
    pub(crate) fn event_pending(&mut self) -> bool {
        self.event_count
    }

    /// [`Channels::event_pending`] after taking over the events that arose outside of the SPU.
    pub(crate) fn poll_events(&mut self, access: Access<'_>) -> Result<bool, MfcFault> {
        self.mfc.progress(access.ls)?;
        self.collect_events(access.now);
        Ok(self.event_count)
    }

    /// When the decrementer will raise an enabled event, if it will.
    pub(crate) fn decrementer_event_at(&self) -> Option<u64> {
        (self.event_mask & event::DECREMENTER != 0).then(|| self.decrementer.expires_at()).flatten()
    }

    /// Whether the SPU may be waiting for another writer to break its reservation. Such a write wakes no
    /// waiter.
    pub(crate) fn awaits_lost_reservation(&self) -> bool {
        self.event_mask & event::LOCK_LINE_LOST != 0 && self.mfc.atomic.holds_reservation()
    }
}

#[cfg(test)]
mod tests;
