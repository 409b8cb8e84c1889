//! Counts, blocking and events of every channel (cell-facts B1).

use super::*;
use crate::{
    memory::{MainMemory, Ram},
    mfc::Order,
};

struct Rig {
    channels: Channels,
    ls: Arc<LocalStore>,
    now: u64,
}

impl Rig {
    fn new() -> Rig {
        let memory: Arc<dyn MainMemory> = Arc::new(Ram::new(0, 1 << 16));
        let port = Arc::new(Port::new([false; 2]));
        let ls = Arc::clone(port.ls());
        Rig { channels: Channels::new(port, Mfc::new(memory, Order::Immediate), 40), ls, now: 0 }
    }

    fn read(&mut self, channel: u8) -> ReadResult {
        self.channels.read(channel, Access { now: self.now, ls: &self.ls })
    }

    fn write(&mut self, channel: u8, value: u32) -> WriteResult {
        self.channels.write(channel, value, Access { now: self.now, ls: &self.ls })
    }

    fn count(&mut self, channel: u8) -> u32 {
        self.channels.count(channel, Access { now: self.now, ls: &self.ls }).unwrap()
    }

    fn command(&mut self, opcode: u32, ls: u32, ea: u32, size: u32, tag: u32) -> WriteResult {
        for (channel, value) in [(MFC_LSA, ls), (MFC_EAL, ea), (MFC_SIZE, size), (MFC_TAG_ID, tag)] {
            assert_eq!(self.write(channel, value), WriteResult::Done);
        }
        self.write(MFC_CMD, opcode)
    }
}

use ReadResult::{Blocked, Invalid, Value};

#[test]
fn initial_counts() {
    let mut rig = Rig::new();
    let ready = [1, 2, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 23, 26, 28, 30, 69, 70, 71];
    for channel in 0..=127 {
        let expected = match channel {
            MFC_CMD => 16,
            _ => u32::from(ready.contains(&channel)),
        };
        assert_eq!(rig.count(channel), expected, "channel {channel}");
    }
}

#[test]
fn directions() {
    let mut rig = Rig::new();
    for channel in [SPU_WR_EVENT_MASK, SPU_WR_DEC, MFC_LSA, MFC_CMD, SPU_WR_OUT_MBOX, 5, 31, 127] {
        assert_eq!(rig.read(channel), Invalid, "channel {channel}");
    }
    for channel in [SPU_RD_EVENT_STAT, SPU_RD_DEC, MFC_RD_TAG_STAT, SPU_RD_IN_MBOX, 5, 31, 127] {
        assert_eq!(rig.write(channel, 0), WriteResult::Invalid, "channel {channel}");
    }
}

#[test]
fn mailboxes_hold_four_one_and_one() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(SPU_RD_IN_MBOX), Blocked);
    for value in 1..=4 {
        rig.channels.port.write_in_mailbox_register(value);
        assert_eq!(rig.count(SPU_RD_IN_MBOX), value);
    }
    assert_eq!(rig.read(SPU_RD_IN_MBOX), Value(1));
    for channel in [SPU_WR_OUT_MBOX, SPU_WR_OUT_INTR_MBOX] {
        assert_eq!(rig.write(channel, 8), WriteResult::Done);
        assert_eq!(rig.count(channel), 0);
        assert_eq!(rig.write(channel, 9), WriteResult::Blocked);
    }
    assert_eq!(rig.channels.port.read_out_mailbox(), Some(8));
    assert_eq!(rig.count(SPU_WR_OUT_MBOX), 1);
}

#[test]
fn signals_are_read_once() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(SPU_RD_SIG_NOTIFY_1), Blocked);
    rig.channels.port.write_signal(1, 6);
    assert_eq!((rig.count(SPU_RD_SIG_NOTIFY_1), rig.count(SPU_RD_SIG_NOTIFY_2)), (0, 1));
    assert_eq!((rig.read(SPU_RD_SIG_NOTIFY_2), rig.read(SPU_RD_SIG_NOTIFY_2)), (Value(6), Blocked));
}

#[test]
fn tag_status() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(MFC_RD_TAG_STAT), Blocked, "nothing was asked");
    rig.write(MFC_WR_TAG_MASK, 0x30);
    assert_eq!(rig.read(MFC_RD_TAG_MASK), Value(0x30));
    for condition in 0..3 {
        rig.write(MFC_WR_TAG_UPDATE, condition);
        assert_eq!(rig.count(MFC_RD_TAG_STAT), 1);
        assert_eq!(rig.read(MFC_RD_TAG_STAT), Value(0x30));
    }
    assert_eq!(rig.write(MFC_WR_TAG_UPDATE, 3), WriteResult::Invalid);
    // A list that stalls keeps its tag open.
    rig.ls.store_word(0x100, 1 << 31 | 16);
    rig.ls.store_word(0x108, 16);
    assert_eq!(rig.command(0x44, 0x200, 0x100, 16, 4), WriteResult::Done);
    rig.write(MFC_WR_TAG_UPDATE, 0);
    assert_eq!(rig.read(MFC_RD_TAG_STAT), Value(0x20));
    rig.write(MFC_WR_TAG_UPDATE, 1);
    assert_eq!(rig.read(MFC_RD_TAG_STAT), Value(0x20));
    rig.write(MFC_WR_TAG_UPDATE, 2);
    assert_eq!((rig.count(MFC_RD_TAG_STAT), rig.read(MFC_RD_TAG_STAT)), (0, Blocked));
    assert_eq!((rig.count(MFC_RD_LIST_STALL_STAT), rig.read(MFC_RD_LIST_STALL_STAT)), (1, Value(0x10)));
    assert_eq!(rig.read(MFC_RD_LIST_STALL_STAT), Blocked);
    rig.write(MFC_WR_LIST_STALL_ACK, 4);
    assert_eq!(rig.read(MFC_RD_TAG_STAT), Value(0x30));
}

#[test]
fn a_full_queue_blocks() {
    let mut rig = Rig::new();
    rig.ls.store_word(0x100, 1 << 31);
    for tag in 0..16 {
        assert_eq!(rig.count(MFC_CMD), 16 - tag);
        assert_eq!(rig.command(0x44, 0x200, 0x100, 8, tag), WriteResult::Done);
    }
    assert_eq!(rig.command(0x40, 0, 0, 16, 0), WriteResult::Blocked);
    rig.write(MFC_WR_LIST_STALL_ACK, 3);
    assert_eq!(rig.write(MFC_CMD, 0x40), WriteResult::Done, "the parameters were kept");
}

#[test]
fn faults_come_at_the_command() {
    let mut rig = Rig::new();
    assert!(matches!(rig.command(0x40, 1, 0, 16, 0), WriteResult::Fault(MfcFault::Alignment { .. })));
    assert!(matches!(rig.command(0x7fff, 0, 0, 16, 0), WriteResult::Fault(MfcFault::InvalidCommand { .. })));
    rig.write(MFC_EAH, 1);
    assert!(matches!(rig.command(0x40, 0, 0, 16, 0), WriteResult::Fault(MfcFault::Storage(_))));
    // The high half is used up.
    assert_eq!(rig.command(0x40, 0, 0, 16, 0), WriteResult::Done);
}

#[test]
fn events_arise_on_edges_and_wait_for_acknowledgement() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Blocked);
    rig.write(SPU_WR_EVENT_MASK, event::IN_MAILBOX | event::SIGNAL_1);
    rig.channels.port.write_in_mailbox_register(1);
    rig.channels.port.write_signal(1, 1);
    assert_eq!(rig.count(SPU_RD_EVENT_STAT), 1);
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Value(event::IN_MAILBOX), "signal 2 is masked");
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Blocked, "read once");
    // A second word into a mailbox that is not empty is no event. Unacknowledged events return with the mask.
    rig.channels.port.write_in_mailbox_register(2);
    assert_eq!(rig.count(SPU_RD_EVENT_STAT), 0);
    rig.write(SPU_WR_EVENT_MASK, event::IN_MAILBOX | event::SIGNAL_2);
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Value(event::IN_MAILBOX | event::SIGNAL_2));
    rig.write(SPU_WR_EVENT_ACK, event::IN_MAILBOX | event::SIGNAL_2);
    rig.write(SPU_WR_EVENT_MASK, u32::MAX);
    assert_eq!(rig.count(SPU_RD_EVENT_STAT), 0);
    // The PPE empties a mailbox.
    rig.write(SPU_WR_OUT_MBOX, 1);
    rig.channels.port.read_out_mailbox();
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Value(event::OUT_MAILBOX));
    assert_eq!(rig.read(SPU_RD_EVENT_MASK), Value(u32::MAX));
}

#[test]
fn the_decrementer_counts_and_raises_its_event() {
    let mut rig = Rig::new();
    rig.write(SPU_WR_DEC, 10);
    rig.now = 40 * 7;
    assert_eq!(rig.read(SPU_RD_DEC), Value(3));
    rig.write(SPU_WR_EVENT_MASK, event::DECREMENTER);
    assert_eq!(rig.channels.decrementer_event_at(), Some(40 * 11));
    assert_eq!(rig.count(SPU_RD_EVENT_STAT), 0);
    rig.now = 40 * 11;
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Value(event::DECREMENTER));
    // Masked and acknowledged, it stops.
    rig.write(SPU_WR_EVENT_MASK, 0);
    rig.write(SPU_WR_EVENT_ACK, event::DECREMENTER);
    rig.now = 1_000_000;
    assert_eq!(rig.read(SPU_RD_DEC), Value(u32::MAX));
}

#[test]
fn a_lost_reservation_is_an_event() {
    let mut rig = Rig::new();
    rig.write(SPU_WR_EVENT_MASK, event::LOCK_LINE_LOST);
    assert_eq!(rig.command(0xd0, 0x80, 0x100, 128, 0), WriteResult::Done);
    assert_eq!((rig.count(MFC_RD_ATOMIC_STAT), rig.read(MFC_RD_ATOMIC_STAT)), (1, Value(4)));
    assert_eq!(rig.count(SPU_RD_EVENT_STAT), 0);
    rig.channels.mfc.memory().write(0x17f, &[1]).unwrap();
    assert_eq!(rig.read(SPU_RD_EVENT_STAT), Value(event::LOCK_LINE_LOST));
    assert_eq!(rig.command(0xb4, 0x80, 0x100, 128, 0), WriteResult::Done);
    assert_eq!(rig.read(MFC_RD_ATOMIC_STAT), Value(1));
}
