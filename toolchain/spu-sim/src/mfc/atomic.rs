//! The atomic unit. Its commands load a line with a reservation, or store a line conditionally or
//! unconditionally (cell-facts B1, B2). They do not enter the queue and have no tag. In this simulation they
//! finish before the next instruction. Their status is read from the atomic-status channel.

use super::command::{MfcFault, Parameters, check_line};
use crate::{
    local_store::LocalStore,
    memory::{LINE_BYTES, MainMemory, Reservation},
};

/// Opcodes of the immediate atomic commands.
pub(crate) const GETLLAR: u32 = 0xd0;
pub(crate) const PUTLLC: u32 = 0xb4;
pub(crate) const PUTLLUC: u32 = 0xb0;

/// Status bits of the atomic-status channel.
mod status {
    pub(super) const STORED: u32 = 0;
    pub(super) const LOST: u32 = 1;
    pub(super) const UNCONDITIONAL: u32 = 2;
    pub(super) const LOADED: u32 = 4;
}

/// Reservation and status of one SPE.
#[derive(Debug, Default)]
pub(crate) struct Atomic {
    reservation: Option<Reservation>,
    status: Option<u32>,
    /// Whether a command was executed since the virtual-time machine last asked.
    issued: bool,
}

impl Atomic {
    /// Whether `opcode` is one of the unit's commands.
    pub(crate) fn handles(opcode: u32) -> bool {
        matches!(opcode, GETLLAR | PUTLLC | PUTLLUC)
    }

    /// Executes a command of the unit. Size and tag are ignored, as by the hardware.
    pub(crate) fn execute(
        &mut self,
        opcode: u32,
        parameters: Parameters,
        memory: &dyn MainMemory,
        ls: &LocalStore,
    ) -> Result<(), MfcFault> {
        let Parameters { ls: ls_address, ea, .. } = parameters;
        let size = LINE_BYTES as u32;
        check_line(ls_address, ea, MfcFault::Alignment { ls: ls_address, ea, size })?;
        self.issued = true;
        if opcode == GETLLAR {
            let reservation = memory.reserve(ea)?;
            ls.write(ls_address, &reservation.line);
            self.reservation = Some(reservation);
            self.status = Some(status::LOADED);
            return Ok(());
        }
        let mut line = [0; LINE_BYTES];
        ls.read(ls_address, &mut line);
        // Any store-line command ends the reservation.
        let reservation = self.reservation.take();
        self.status = Some(if opcode == PUTLLUC {
            memory.write(ea, &line)?;
            status::UNCONDITIONAL
        } else {
            match reservation {
                Some(reservation)
                    if reservation.ea == ea && memory.write_reserved(&reservation, &line)? =>
                {
                    status::STORED
                }
                _ => status::LOST,
            }
        });
        Ok(())
    }

    /// Whether a command was executed since the last call.
    pub(crate) fn take_issued(&mut self) -> bool {
        std::mem::take(&mut self.issued)
    }

    /// 1 if a status waits to be read.
    pub(crate) fn status_count(&self) -> u32 {
        u32::from(self.status.is_some())
    }

    /// Takes the status.
    pub(crate) fn take_status(&mut self) -> Option<u32> {
        self.status.take()
    }

    /// Whether a reservation is held.
    pub(crate) fn holds_reservation(&self) -> bool {
        self.reservation.is_some()
    }

    /// Whether the reservation was lost to another writer since the last call; it is gone then.
    pub(crate) fn take_lost(&mut self, memory: &dyn MainMemory) -> bool {
        let lost = self.reservation.as_ref().is_some_and(|reservation| !memory.is_reserved(reservation));
        if lost {
            self.reservation = None;
        }
        lost
    }
}
