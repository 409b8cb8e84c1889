//! MFC commands: decoding, the rules on sizes and alignment, and the division of a transfer into line-sized
//! chunks (cell-facts B2 to B4, B8; CBEA chapter 7).

use crate::{
    local_store::{LS_MASK, LocalStore},
    memory::{LINE_BYTES, MemoryFault},
};

/// Largest transfer of a command or list element.
pub const MAX_TRANSFER_BYTES: u32 = 16 * 1024;
/// Bytes of a list element.
pub const LIST_ELEMENT_BYTES: u32 = 8;

/// Why the MFC refused a command, as it is reported to the PPE (cell-facts B8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MfcFault {
    /// Misaligned address, bad size or misaligned list.
    #[error("DMA alignment: LS address {ls:#x}, effective address {ea:#x}, {size} bytes")]
    Alignment {
        /// Local-store address.
        ls: u32,
        /// Effective address, or list address.
        ea: u64,
        /// Bytes.
        size: u32,
    },
    /// No such command, or a tag above 31.
    #[error("invalid DMA command {opcode:#x} (tag {tag:#x})")]
    InvalidCommand {
        /// Value written as command, without the class ids.
        opcode: u32,
        /// Tag.
        tag: u32,
    },
    /// The memory refused the access.
    #[error("DMA storage: {0}")]
    Storage(#[from] MemoryFault),
}

/// Direction or kind of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Main memory to local store.
    Get,
    /// Local store to main memory.
    Put,
    /// Four bytes to a signal register.
    SendSignal,
    /// Zeroes main memory, by lines.
    Zero,
    /// A cache hint: nothing to do.
    CacheHint,
    /// Orders the commands around it, whatever their tags.
    Barrier,
    /// A whole line, unconditionally, after the reservation is dropped (queued `putqlluc`).
    PutLine,
}

/// Who issues a command; some exist only for one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Issuer {
    /// The SPU through its channels.
    Spu,
    /// The PPE through the problem-state registers.
    Proxy,
}

/// A decoded command opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub kind: Kind,
    /// Whether the addresses come from a list in local store.
    pub list: bool,
    /// Waits for earlier commands of its tag.
    pub fence: bool,
    /// Also holds back later commands of its tag.
    pub barrier: bool,
    /// Starts the SPU when done (proxy only).
    pub start: bool,
}

impl Operation {
    /// Decodes the low 16 bits of a command word; `None` if there is no such queued command for this issuer.
    pub fn decode(opcode: u32, issuer: Issuer) -> Option<Operation> {
        let plain =
            Operation { kind: Kind::Barrier, list: false, fence: false, barrier: false, start: false };
        let fence = opcode & 2 != 0;
        let barrier = opcode & 1 != 0;
        let ordered = |kind| Operation { kind, fence: fence || barrier, barrier, ..plain };
        let operation = match opcode {
            0xa0..=0xa2 => ordered(Kind::SendSignal),
            0x80 | 0x81 | 0x8d | 0x8f => Operation { kind: Kind::CacheHint, ..plain },
            0x89 => Operation { kind: Kind::Zero, ..plain },
            0xb8 if issuer == Issuer::Spu => Operation { kind: Kind::PutLine, ..plain },
            0xc0 | 0xc8 | 0xcc => plain,
            0x20..=0x5f => {
                let (list, start, result) = (opcode & 4 != 0, opcode & 8 != 0, opcode & 0x10 != 0);
                let get = opcode & 0x40 != 0;
                let forbidden = (fence && barrier)
                    || (list && (issuer == Issuer::Proxy || start))
                    || (start && issuer == Issuer::Spu)
                    || (result && get);
                if forbidden {
                    return None;
                }
                Operation { list, start, ..ordered(if get { Kind::Get } else { Kind::Put }) }
            }
            _ => return None,
        };
        Some(operation)
    }
}

/// A piece of a transfer within one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Local-store address.
    pub ls: u32,
    /// Effective address.
    pub ea: u64,
    /// Bytes, at most 128.
    pub bytes: u32,
}

/// What a command does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Moves this chunk.
    Chunk(Chunk),
    /// Reads a list element from local store, which takes time.
    FetchElement,
    /// Waits for the SPU's acknowledgement after an element with the stall-and-notify flag.
    Stall,
    /// All chunks have been issued.
    Done,
}

/// The part of a transfer that has contiguous addresses on both sides.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    ls: u32,
    ea: u64,
    bytes: u32,
}

/// A queued command with its progress.
#[derive(Debug, Clone)]
pub struct Command {
    /// What it does.
    pub operation: Operation,
    /// Tag group, 0 to 31.
    pub tag: u32,
    run: Run,
    /// Of a list: address of the next element, and bytes of list left.
    list_address: u32,
    list_bytes: u32,
    /// High half of all effective addresses of a list.
    ea_high: u64,
    /// Whether the current element asks to stall when its data has been moved.
    stall_after_run: bool,
    /// Whether the command waits for an acknowledgement.
    pub stalled: bool,
}

/// The rule for one contiguous transfer (cell-facts B3): 1, 2, 4, 8 bytes naturally aligned and equal in the
/// low four address bits; or multiples of 16 up to 16 KB, aligned to 16 on both sides; or nothing.
fn check_transfer(ls: u32, ea: u64, size: u32) -> Result<(), MfcFault> {
    let low = (ea & 15) as u32;
    let fits = match size {
        0 => true,
        1 | 2 | 4 | 8 => ls & 15 == low && low.is_multiple_of(size),
        _ => size.is_multiple_of(16) && size <= MAX_TRANSFER_BYTES && low == 0 && ls & 15 == 0,
    };
    if fits { Ok(()) } else { Err(MfcFault::Alignment { ls, ea, size }) }
}

/// The parameters of a command as the channels or registers hold them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Local-store address.
    pub ls: u32,
    /// Effective address; for lists its low half is the list's local-store address.
    pub ea: u64,
    /// Bytes of the transfer, or of the list.
    pub size: u32,
    /// Tag group.
    pub tag: u32,
}

impl Command {
    /// Checks a command when it is issued.
    ///
    /// # Errors
    /// The exception that the MFC raises.
    pub fn new(opcode: u32, parameters: Parameters, issuer: Issuer) -> Result<Command, MfcFault> {
        let Parameters { ls, ea, size, tag } = parameters;
        let invalid = MfcFault::InvalidCommand { opcode, tag };
        let operation = Operation::decode(opcode, issuer).ok_or(invalid)?;
        if tag > 31 {
            return Err(invalid);
        }
        let alignment = MfcFault::Alignment { ls, ea, size };
        let mut command = Command {
            operation,
            tag,
            run: Run { ls: ls & LS_MASK, ea, bytes: size },
            list_address: 0,
            list_bytes: 0,
            ea_high: ea & !0xffff_ffff,
            stall_after_run: false,
            stalled: false,
        };
        match operation.kind {
            Kind::Get | Kind::Put if operation.list => {
                let list = ea as u32;
                if !list.is_multiple_of(8) || !size.is_multiple_of(8) || size > MAX_TRANSFER_BYTES {
                    return Err(alignment);
                }
                command.run.bytes = 0;
                (command.list_address, command.list_bytes) = (list & LS_MASK, size);
            }
            Kind::Get | Kind::Put => check_transfer(ls, ea, size)?,
            Kind::SendSignal => {
                if size != 4 || check_transfer(ls, ea, size).is_err() {
                    return Err(alignment);
                }
            }
            Kind::Zero => {
                if size > MAX_TRANSFER_BYTES {
                    return Err(alignment);
                }
                let first = ea & !(LINE_BYTES as u64 - 1);
                let end = ea.wrapping_add(u64::from(size)).wrapping_add(LINE_BYTES as u64 - 1);
                let bytes = if size == 0 { 0 } else { (end & !(LINE_BYTES as u64 - 1)).wrapping_sub(first) };
                (command.run.ea, command.run.bytes) = (first, bytes as u32);
            }
            Kind::PutLine => {
                check_line(ls, ea, alignment)?;
                command.run.bytes = LINE_BYTES as u32;
            }
            Kind::CacheHint | Kind::Barrier => command.run.bytes = 0,
        }
        Ok(command)
    }

    /// Advances by one step.
    ///
    /// # Errors
    /// If a list element breaks the rules.
    pub fn step(&mut self, ls: &LocalStore) -> Result<Step, MfcFault> {
        if self.stalled {
            return Ok(Step::Stall);
        }
        if let Some(chunk) = self.next_chunk() {
            return Ok(Step::Chunk(chunk));
        }
        if std::mem::take(&mut self.stall_after_run) {
            self.stalled = true;
            return Ok(Step::Stall);
        }
        if self.list_bytes == 0 {
            return Ok(Step::Done);
        }
        self.fetch_element(ls)?;
        Ok(Step::FetchElement)
    }

    /// The next chunk of the contiguous run at hand; `None` at its end. Never goes on to a list element.
    pub fn next_chunk(&mut self) -> Option<Chunk> {
        if self.run.bytes == 0 {
            return None;
        }
        let to_line_end = LINE_BYTES as u32 - (self.run.ea % LINE_BYTES as u64) as u32;
        let bytes = self.run.bytes.min(to_line_end);
        let chunk = Chunk { ls: self.run.ls & LS_MASK, ea: self.run.ea, bytes };
        self.run.ls = self.run.ls.wrapping_add(bytes);
        self.run.ea = self.run.ea.wrapping_add(u64::from(bytes));
        self.run.bytes -= bytes;
        Some(chunk)
    }

    /// Reads the next list element. The local-store address gets the low four bits of the element's effective
    /// address; between elements it is rounded up to a multiple of 16.
    fn fetch_element(&mut self, ls: &LocalStore) -> Result<(), MfcFault> {
        let head = ls.load_word(self.list_address);
        let low = ls.load_word(self.list_address.wrapping_add(4));
        let (size, ea) = (head & 0x7fff, self.ea_high | u64::from(low));
        let start = self.run.ls.next_multiple_of(16) | (low & 15);
        check_transfer(start, ea, size)?;
        if u64::from(low) + u64::from(size) > 1 << 32 {
            return Err(MfcFault::Alignment { ls: start, ea, size });
        }
        self.run = Run { ls: start, ea, bytes: size };
        self.stall_after_run = head >> 31 != 0;
        self.list_address = self.list_address.wrapping_add(LIST_ELEMENT_BYTES);
        self.list_bytes -= LIST_ELEMENT_BYTES;
        Ok(())
    }

    /// Whether `self`, queued after `earlier`, has to wait for `earlier`.
    pub fn waits_for(&self, earlier: &Command) -> bool {
        let same_tag = self.tag == earlier.tag;
        self.operation.kind == Kind::Barrier
            || earlier.operation.kind == Kind::Barrier
            || (same_tag && (self.operation.fence || earlier.operation.barrier))
    }
}

/// The rule for line commands: 128-byte alignment on both sides.
pub(super) fn check_line(ls: u32, ea: u64, fault: MfcFault) -> Result<(), MfcFault> {
    let aligned = ls.is_multiple_of(LINE_BYTES as u32) && ea.is_multiple_of(LINE_BYTES as u64);
    if aligned { Ok(()) } else { Err(fault) }
}
