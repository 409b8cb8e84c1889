//! Channel instructions: the SPU's only way to the MFC, the mailboxes, signals, events and the decrementer.

use super::Flow;
use crate::{
    channels::{Access, ReadResult, WriteResult},
    instruction::decode::Instruction,
    quad::Quad,
    spu::Spu,
};

pub(super) fn rdch(spu: &mut Spu, i: &Instruction) -> Flow {
    match spu.channels.read(i.a, Access { now: spu.cycle, ls: &spu.ls }) {
        ReadResult::Value(value) => {
            spu.set(i.t, Quad::scalar(value));
            Flow::Next
        }
        ReadResult::MachineStatus => {
            spu.set(i.t, Quad::scalar(u32::from(spu.interrupts_enabled())));
            Flow::Next
        }
        ReadResult::Srr0 => {
            spu.set(i.t, Quad::scalar(spu.srr0));
            Flow::Next
        }
        ReadResult::Blocked => Flow::Blocked(i.a),
        ReadResult::Invalid => Flow::InvalidChannel(i.a),
        ReadResult::Fault(fault) => spu.raise(fault),
    }
}

pub(super) fn rchcnt(spu: &mut Spu, i: &Instruction) -> Flow {
    match spu.channels.count(i.a, Access { now: spu.cycle, ls: &spu.ls }) {
        Ok(count) => {
            spu.set(i.t, Quad::scalar(count));
            Flow::Next
        }
        Err(fault) => spu.raise(fault),
    }
}

pub(super) fn wrch(spu: &mut Spu, i: &Instruction) -> Flow {
    let value = spu.scalar(i.t);
    match spu.channels.write(i.a, value, Access { now: spu.cycle, ls: &spu.ls }) {
        WriteResult::Done if spu.channels.concerns_machine(i.a) => Flow::Yield(i.a),
        WriteResult::Done => Flow::Next,
        WriteResult::Srr0 => {
            spu.srr0 = value;
            Flow::Next
        }
        WriteResult::Blocked => Flow::Blocked(i.a),
        WriteResult::Invalid => Flow::InvalidChannel(i.a),
        WriteResult::Fault(fault) => spu.raise(fault),
    }
}
