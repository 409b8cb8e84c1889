//! The PPE's way to an SPE's MFC and registers: the problem-state area (cell-facts B7). Commands of the proxy
//! queue run at once, in order, on the calling thread; their tags are therefore always complete.

use std::sync::Arc;

use crate::{
    memory::MainMemory,
    mfc::{Command, Issuer, MfcFault, Parameters, Step, move_chunk},
    port::Port,
};

/// Offsets of the registers that [`ProblemState`] serves. The thread that runs the SPE has to serve status,
/// next program counter and run control.
#[allow(missing_docs)]
pub mod offset {
    pub const MFC_LSA: u32 = 0x3004;
    pub const MFC_EAH: u32 = 0x3008;
    pub const MFC_EAL: u32 = 0x300c;
    pub const MFC_SIZE_TAG: u32 = 0x3010;
    pub const MFC_CLASS_CMD: u32 = 0x3014;
    pub const MFC_QUEUE_STATUS: u32 = 0x3104;
    pub const QUERY_TYPE: u32 = 0x3204;
    pub const QUERY_MASK: u32 = 0x321c;
    pub const TAG_STATUS: u32 = 0x322c;
    pub const OUT_MAILBOX: u32 = 0x4004;
    pub const IN_MAILBOX: u32 = 0x400c;
    pub const MAILBOX_STATUS: u32 = 0x4014;
    pub const SIGNAL_1: u32 = 0x1_400c;
    pub const SIGNAL_2: u32 = 0x1_c00c;
}

/// Entries of the proxy queue (cell-facts B6).
pub const PROXY_QUEUE_ENTRIES: u32 = 8;

/// The queue status register's bit for an empty queue.
const QUEUE_EMPTY: u32 = 1 << 31;

/// Executes one proxy command. Returns whether it asks to start the SPU afterwards.
///
/// # Errors
/// The exception that the MFC raises.
pub fn execute(
    opcode: u32,
    parameters: Parameters,
    memory: &dyn MainMemory,
    port: &Port,
) -> Result<bool, MfcFault> {
    let mut command = Command::new(opcode, parameters, Issuer::Proxy)?;
    // Without a list there are only chunks and the end.
    while let Step::Chunk(chunk) = command.step(port.ls())? {
        move_chunk(command.operation.kind, chunk, memory, port.ls())?;
    }
    Ok(command.operation.start)
}

/// The registers of one SPE as memory-mapped I/O.
#[derive(Debug)]
pub struct ProblemState {
    port: Arc<Port>,
    memory: Arc<dyn MainMemory>,
    parameters: Parameters,
    query_mask: u32,
}

/// What a write to a register requires of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Nothing.
    Done,
    /// A command with the start modifier finished: the SPU has to be started.
    StartSpu,
    /// Not a register of this area, or not writable.
    NoRegister,
}

impl ProblemState {
    /// The registers of the SPE behind `port`, whose MFC reaches `memory`.
    pub fn new(port: Arc<Port>, memory: Arc<dyn MainMemory>) -> ProblemState {
        ProblemState { port, memory, parameters: Parameters::default(), query_mask: 0 }
    }

    /// Reads the register at an offset; `None` if no readable register is there.
    pub fn read(&self, at: u32) -> Option<u32> {
        Some(match at {
            // 0: the last command was accepted.
            offset::MFC_CLASS_CMD => 0,
            offset::MFC_QUEUE_STATUS => QUEUE_EMPTY | PROXY_QUEUE_ENTRIES,
            offset::QUERY_MASK => self.query_mask,
            offset::TAG_STATUS => self.query_mask,
            offset::OUT_MAILBOX => self.port.read_out_mailbox().unwrap_or(0),
            offset::MAILBOX_STATUS => self.port.inspect(|state| {
                state.out_mailbox.count()
                    | state.in_mailbox.free() << 8
                    | state.out_interrupt_mailbox.count() << 16
            }),
            offset::SIGNAL_1 => self.port.inspect(|state| state.signals[0].peek()),
            offset::SIGNAL_2 => self.port.inspect(|state| state.signals[1].peek()),
            _ => return None,
        })
    }

    /// Writes the register at an offset.
    ///
    /// # Errors
    /// If it is a command that raises an exception.
    pub fn write(&mut self, at: u32, value: u32) -> Result<Written, MfcFault> {
        match at {
            offset::MFC_LSA => self.parameters.ls = value,
            offset::MFC_EAH => self.parameters.ea = self.parameters.ea & 0xffff_ffff | u64::from(value) << 32,
            offset::MFC_EAL => self.parameters.ea = self.parameters.ea & !0xffff_ffff | u64::from(value),
            offset::MFC_SIZE_TAG => {
                (self.parameters.size, self.parameters.tag) = (value >> 16, value & 0xffff);
            }
            offset::MFC_CLASS_CMD => {
                let start = execute(value & 0xffff, self.parameters, &*self.memory, &self.port)?;
                return Ok(if start { Written::StartSpu } else { Written::Done });
            }
            // Any kind of query is answered at once.
            offset::QUERY_TYPE => {}
            offset::QUERY_MASK => self.query_mask = value,
            offset::IN_MAILBOX => self.port.write_in_mailbox_register(value),
            offset::SIGNAL_1 => self.port.write_signal(0, value),
            offset::SIGNAL_2 => self.port.write_signal(1, value),
            _ => return Ok(Written::NoRegister),
        }
        Ok(Written::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Ram;

    fn rig() -> (ProblemState, Arc<Port>, Arc<Ram>) {
        let (port, ram) = (Arc::new(Port::new([false, true])), Arc::new(Ram::new(0, 1 << 16)));
        let memory: Arc<dyn MainMemory> = Arc::<Ram>::clone(&ram);
        (ProblemState::new(Arc::clone(&port), memory), port, ram)
    }

    fn command(
        state: &mut ProblemState,
        opcode: u32,
        ls: u32,
        ea: u32,
        size: u32,
    ) -> Result<Written, MfcFault> {
        for (at, value) in [
            (offset::MFC_LSA, ls),
            (offset::MFC_EAH, 0),
            (offset::MFC_EAL, ea),
            (offset::MFC_SIZE_TAG, size << 16 | 3),
        ] {
            assert_eq!(state.write(at, value), Ok(Written::Done));
        }
        state.write(offset::MFC_CLASS_CMD, opcode)
    }

    #[test]
    fn proxy_commands_move_data() {
        let (mut state, port, ram) = rig();
        ram.write_bytes(0x1000, &[5; 256]).unwrap();
        assert_eq!(command(&mut state, 0x40, 0x200, 0x1000, 256), Ok(Written::Done));
        assert_eq!(port.ls().load_word(0x2fc), 0x0505_0505);
        assert_eq!(command(&mut state, 0x28, 0x200, 0x2000, 256), Ok(Written::StartSpu));
        let mut byte = [0];
        ram.read_bytes(0x20ff, &mut byte).unwrap();
        assert_eq!(byte, [5]);
        state.write(offset::QUERY_MASK, 8).unwrap();
        assert_eq!(state.read(offset::TAG_STATUS), Some(8));
        assert_eq!(state.read(offset::MFC_QUEUE_STATUS), Some(0x8000_0008));
    }

    #[test]
    fn proxy_commands_obey_the_rules() {
        let (mut state, ..) = rig();
        assert!(matches!(command(&mut state, 0x40, 1, 0, 16), Err(MfcFault::Alignment { .. })));
        assert!(matches!(command(&mut state, 0x44, 0, 0, 16), Err(MfcFault::InvalidCommand { .. })));
        assert!(matches!(command(&mut state, 0x20, 0, 0x10_0000, 16), Err(MfcFault::Storage(_))));
    }

    #[test]
    fn mailboxes_and_signals() {
        let (mut state, port, _) = rig();
        assert_eq!(state.read(offset::MAILBOX_STATUS), Some(0x400));
        state.write(offset::IN_MAILBOX, 7).unwrap();
        port.change(|state| state.out_mailbox.write(9));
        assert_eq!(state.read(offset::MAILBOX_STATUS), Some(0x301));
        assert_eq!((state.read(offset::OUT_MAILBOX), state.read(offset::OUT_MAILBOX)), (Some(9), Some(0)));
        state.write(offset::SIGNAL_2, 1).unwrap();
        state.write(offset::SIGNAL_2, 4).unwrap();
        assert_eq!(state.read(offset::SIGNAL_2), Some(5));
        assert_eq!((state.read(0x4024), state.write(0x4024, 1)), (None, Ok(Written::NoRegister)));
    }
}
