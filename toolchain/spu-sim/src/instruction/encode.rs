//! Encoder: the inverse of [`crate::instruction::decode`], from one table. For tests and for programs built
//! in memory.

use crate::{
    instruction::decode::Instruction,
    instruction::isa::{Form, Opcode},
};

/// Encodes an instruction from its fields; `word` and bits outside of the fields' widths are ignored. Hints
/// take the distance to their branch separately, see [`encode_hint`].
///
/// [`Opcode::Invalid`] gives the word back.
pub fn encode(instruction: &Instruction) -> u32 {
    let Some(description) = instruction.opcode.description() else { return instruction.word };
    let opcode = u32::from(description.bits) << 21;
    let register = |number: u8, low: u32| u32::from(number & 127) << low;
    let (t, a, b) = (register(instruction.t, 0), register(instruction.a, 7), register(instruction.b, 14));
    let field = |value: i32, low: u32, width: u32| (value as u32 & ((1 << width) - 1)) << low;
    let i = instruction.immediate;
    opcode
        | match description.form {
            Form::Rrr => register(instruction.t, 21) | a | b | register(instruction.c, 0),
            Form::Rr => t | a | b,
            Form::Rr2 | Form::Indirect | Form::MfSpr | Form::MtSpr | Form::RdCh | Form::WrCh => t | a,
            Form::IndirectRa | Form::HintRa => a,
            Form::Rt => t,
            Form::Bare | Form::BareSync => field(i, 0, 14),
            Form::Ri7 | Form::Ri7Disp => t | a | field(i, 14, 7),
            Form::Ri8From => t | a | field(173 - i, 14, 8),
            Form::Ri8To => t | a | field(155 - i, 14, 8),
            Form::Ri10 => t | a | field(i, 14, 10),
            Form::Ri10Disp => t | a | field(i >> 4, 14, 10),
            Form::Ri16 | Form::Ri16Unsigned => t | field(i, 7, 16),
            Form::Ri16Rel | Form::Ri16Abs => t | field(i >> 2, 7, 16),
            Form::Rel | Form::Abs | Form::HintAbs | Form::HintRel => field(i >> 2, 7, 16),
            Form::Ri18 => t | field(i, 7, 18),
        }
}

/// Encodes a hint for the branch `distance` bytes behind it.
pub fn encode_hint(hint: &Instruction, distance: i32) -> u32 {
    let words = (distance >> 2) as u32;
    let high = if hint.opcode == Opcode::Hbr { 14 } else { 23 };
    encode(hint) | (words & 0x7f) | (words >> 7 & 3) << high
}

/// An instruction of the given operation with all fields zero, to be filled in.
pub fn blank(opcode: Opcode) -> Instruction {
    Instruction { word: 0, immediate: 0, opcode, t: 0, a: 0, b: 0, c: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::decode::decode;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]
        /// Encoding a decoded instruction gives a word that decodes to this instruction.
        #[test]
        fn decoding_inverts_encoding(word: u32) {
            let first = decode(word);
            let again = decode(encode(&first));
            prop_assert_eq!(Instruction { word: 0, ..again }, Instruction { word: 0, ..first });
        }

        #[test]
        fn hints_carry_their_distance(words in -256i32..256, target in -0x8000i32..0x8000) {
            let hint = Instruction { immediate: target * 4, ..blank(Opcode::Hbrr) };
            let decoded = decode(encode_hint(&hint, words * 4));
            prop_assert_eq!((decoded.hint_distance(), decoded.immediate), (words * 4, target * 4));
            let hint = Instruction { a: 5, ..blank(Opcode::Hbr) };
            prop_assert_eq!(decode(encode_hint(&hint, words * 4)).hint_distance(), words * 4);
        }
    }
}
