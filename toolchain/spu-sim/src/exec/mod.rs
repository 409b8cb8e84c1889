//! Execution of instructions: one file a chapter of the ISA, one function an instruction, and the dispatcher
//! derived from the instruction table.

mod branch;
mod channel;
mod compare;
mod constant;
mod control;
mod float_double;
mod float_single;
mod integer;
mod logical;
mod memory;
mod shift;
mod soft_double;
pub(crate) mod vector;

use crate::{
    instruction::decode::Instruction, instruction::isa::Opcode, instruction::isa::for_each_instruction,
    spu::Spu,
};

/// Where the flow of control goes after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To the next word.
    Next,
    /// To this local-store address.
    Jump(u32),
    /// To the next word, after a write to this channel that the virtual-time machine has to look at.
    Yield(u8),
    /// Nowhere: stop and signal this code. The program counter moves to the next word.
    Stop(u16),
    /// Nowhere: a halt instruction found its condition.
    Halt,
    /// Nowhere: not an instruction of this processor.
    Invalid,
    /// Nowhere yet: the channel with this number has no data or no room. The instruction runs again.
    Blocked(u8),
    /// Nowhere: there is no such channel, or not for this direction.
    InvalidChannel(u8),
    /// Nowhere: the MFC raised an exception, which the processor has noted. (Not part of this type, so that
    /// it stays small: every instruction returns one.)
    Fault,
}

impl From<()> for Flow {
    #[inline]
    fn from((): ()) -> Flow {
        Flow::Next
    }
}

macro_rules! define_dispatcher {
    ($($name:ident $mnemonic:literal $bits:literal $form:ident $class:ident
       [$($written:ident)? <- $($read:ident)*] $chapter:ident :: $function:ident, $meaning:literal;)*) => {
        /// Executes one instruction, which was fetched from `spu.pc`.
        #[inline(always)]
        pub(crate) fn execute(spu: &mut Spu, instruction: &Instruction) -> Flow {
            match instruction.opcode {
                $(Opcode::$name => Flow::from($chapter::$function(spu, instruction)),)*
                Opcode::Invalid => Flow::Invalid,
            }
        }
    };
}
for_each_instruction!(define_dispatcher);

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;
