//! Decoder: from a 32-bit word to an [`Instruction`]. A pure function of the word, so decoded instructions
//! can be cached under their word.

use crate::instruction::isa::{Form, OPCODE_MAP, Opcode};

/// A decoded instruction. Fields that the form does not have are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// The word that it was decoded from.
    pub word: u32,
    /// The immediate, sign-extended or not as the form says, and scaled to bytes where it is an address.
    pub immediate: i32,
    /// The operation.
    pub opcode: Opcode,
    /// Target register (a source in stores and conditional branches).
    pub t: u8,
    /// First source register; the number of the channel or special register where there is one.
    pub a: u8,
    /// Second source register.
    pub b: u8,
    /// Third source register.
    pub c: u8,
}

/// Feature bits of the indirect branches, `hbr` and `sync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features {
    /// P (inline prefetch) of `hbr`, C (channel) of `sync`.
    pub prefetch_or_channel: bool,
    /// D: disable interrupts.
    pub disable: bool,
    /// E: enable interrupts.
    pub enable: bool,
}

/// The bits `low..low + width` of `word`, zero-extended.
const fn unsigned(word: u32, low: u32, width: u32) -> i32 {
    ((word >> low) & ((1 << width) - 1)) as i32
}

/// The bits `low..low + width` of `word`, sign-extended.
const fn signed(word: u32, low: u32, width: u32) -> i32 {
    ((word << (32 - low - width)) as i32) >> (32 - width)
}

const fn register(word: u32, low: u32) -> u8 {
    ((word >> low) & 0x7f) as u8
}

/// Decodes one word. Every word decodes; what is no instruction has the opcode [`Opcode::Invalid`].
pub fn decode(word: u32) -> Instruction {
    let opcode = OPCODE_MAP[(word >> 21) as usize];
    let mut instruction = Instruction { word, immediate: 0, opcode, t: 0, a: 0, b: 0, c: 0 };
    let Some(description) = opcode.description() else { return instruction };
    let (t, a, b) = (register(word, 0), register(word, 7), register(word, 14));
    match description.form {
        Form::Rrr => {
            (instruction.t, instruction.a, instruction.b, instruction.c) = (register(word, 21), a, b, t)
        }
        Form::Rr => (instruction.t, instruction.a, instruction.b) = (t, a, b),
        Form::Rr2 | Form::Indirect | Form::MfSpr | Form::MtSpr | Form::RdCh | Form::WrCh => {
            (instruction.t, instruction.a) = (t, a);
        }
        Form::IndirectRa => instruction.a = a,
        Form::Rt => instruction.t = t,
        Form::Bare | Form::BareSync => instruction.immediate = unsigned(word, 0, 14),
        Form::Ri7 | Form::Ri7Disp => {
            (instruction.t, instruction.a, instruction.immediate) = (t, a, signed(word, 14, 7));
        }
        Form::Ri8From => {
            (instruction.t, instruction.a, instruction.immediate) = (t, a, 173 - unsigned(word, 14, 8));
        }
        Form::Ri8To => {
            (instruction.t, instruction.a, instruction.immediate) = (t, a, 155 - unsigned(word, 14, 8));
        }
        Form::Ri10 => (instruction.t, instruction.a, instruction.immediate) = (t, a, signed(word, 14, 10)),
        Form::Ri10Disp => {
            (instruction.t, instruction.a, instruction.immediate) = (t, a, signed(word, 14, 10) * 16);
        }
        Form::Ri16 => (instruction.t, instruction.immediate) = (t, signed(word, 7, 16)),
        Form::Ri16Unsigned => (instruction.t, instruction.immediate) = (t, unsigned(word, 7, 16)),
        Form::Ri16Rel => (instruction.t, instruction.immediate) = (t, signed(word, 7, 16) * 4),
        Form::Ri16Abs => (instruction.t, instruction.immediate) = (t, unsigned(word, 7, 16) * 4),
        Form::Rel => instruction.immediate = signed(word, 7, 16) * 4,
        Form::Abs => instruction.immediate = unsigned(word, 7, 16) * 4,
        Form::Ri18 => (instruction.t, instruction.immediate) = (t, unsigned(word, 7, 18)),
        Form::HintRa => instruction.a = a,
        Form::HintAbs => instruction.immediate = unsigned(word, 7, 16) * 4,
        Form::HintRel => instruction.immediate = signed(word, 7, 16) * 4,
    }
    instruction
}

impl Instruction {
    /// Feature bits; meaningful for indirect branches, `hbr` and `sync`.
    pub fn features(&self) -> Features {
        Features {
            prefetch_or_channel: self.word & (1 << 20) != 0,
            disable: self.word & (1 << 19) != 0,
            enable: self.word & (1 << 18) != 0,
        }
    }

    /// For a hint: distance in bytes from the hint to the branch that it is about. Its 9 bits are split in
    /// two, at a place that depends on the form.
    pub fn hint_distance(&self) -> i32 {
        let high = if self.opcode == Opcode::Hbr { self.word >> 14 } else { self.word >> 23 } & 3;
        let split = (high << 7) | (self.word & 0x7f);
        signed(split, 0, 9) * 4
    }

    /// Whether this is `hbrp`, which fetches code and hints nothing.
    pub fn is_inline_prefetch(&self) -> bool {
        self.opcode == Opcode::Hbr && self.features().prefetch_or_channel
    }
}
