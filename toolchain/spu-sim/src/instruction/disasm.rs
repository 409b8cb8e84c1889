//! Disassembler. Its text equals that of GNU `spu-elf-objdump`, quirks included (a `stop` shows no code; a
//! relative or absolute address of zero distance is written as a plain 0), so that the two can be compared
//! word by word.

use std::fmt::Write;

use crate::{
    instruction::decode::{Instruction, decode},
    instruction::isa::{Form, Opcode},
};

/// How addresses are written.
pub trait AddressFormat {
    /// Text for the code or data address `address`, such as `2f0 <main+0x10>`.
    fn address(&self, address: u32) -> String;

    /// Whether the program has a symbol at address 0; objdump then writes `ila` operands as addresses.
    fn has_symbol_at_zero(&self) -> bool;
}

/// Plain numbers, as objdump writes them for a file without symbols.
#[derive(Debug, Clone, Copy)]
pub struct PlainAddresses;

impl AddressFormat for PlainAddresses {
    fn address(&self, address: u32) -> String {
        format!("0x{address:x}")
    }

    fn has_symbol_at_zero(&self) -> bool {
        false
    }
}

/// Disassembles the word `word` at local-store address `pc`.
pub fn disassemble(pc: u32, word: u32, format: &dyn AddressFormat) -> String {
    let instruction = decode(word);
    let Some(description) = instruction.opcode.description() else {
        return format!(".long 0x{word:x}");
    };
    let Instruction { t, a, b, c, immediate, .. } = instruction;
    let mut hexadecimal = 0i64;
    let mut shown = |value: i32| {
        hexadecimal = i64::from(value);
        value
    };
    let operands = match description.form {
        Form::Rrr => format!("${t},${a},${b},${c}"),
        Form::Rr => format!("${t},${a},${b}"),
        Form::Rr2 | Form::Indirect => format!("${t},${a}"),
        Form::Rt => format!("${t}"),
        Form::Bare | Form::BareSync => String::new(),
        Form::IndirectRa => format!("${a}"),
        Form::MfSpr => format!("${t},$sp{a}"),
        Form::MtSpr => format!("$sp{a},${t}"),
        Form::RdCh => format!("${t},$ch{a}"),
        Form::WrCh => format!("$ch{a},${t}"),
        Form::Ri7 | Form::Ri10 => format!("${t},${a},{}", shown(immediate)),
        Form::Ri7Disp | Form::Ri10Disp => format!("${t},{}(${a})", shown(immediate)),
        Form::Ri8From | Form::Ri8To => format!("${t},${a},{immediate}"),
        Form::Ri16 | Form::Ri16Unsigned => format!("${t},{}", shown(immediate)),
        Form::Ri18 if immediate != 0 && format.has_symbol_at_zero() => {
            format!("${t},{}", format.address(immediate as u32))
        }
        Form::Ri18 => format!("${t},{}", shown(immediate)),
        Form::Ri16Rel => format!("${t},{}", relative(pc, immediate, format, &mut shown)),
        Form::Rel => relative(pc, immediate, format, &mut shown),
        Form::Ri16Abs => format!("${t},{}", absolute(immediate, format)),
        Form::Abs => absolute(immediate, format),
        Form::HintRa => format!("{},${a}", hinted(pc, &instruction, format)),
        Form::HintAbs => format!("{},{}", hinted(pc, &instruction, format), absolute(immediate, format)),
        Form::HintRel => {
            let target = relative(pc, immediate, format, &mut shown);
            format!("{},{target}", hinted(pc, &instruction, format))
        }
    };
    let mut text = description.mnemonic.to_string();
    push_features(&mut text, &instruction, description.form);
    if !operands.is_empty() {
        text.push('\t');
        text.push_str(&operands);
    }
    if hexadecimal > 16 {
        // Writing to a String cannot fail.
        let _ = write!(text, "\t# {hexadecimal:x}");
    }
    text
}

fn push_features(text: &mut String, instruction: &Instruction, form: Form) {
    if !matches!(form, Form::IndirectRa | Form::Indirect | Form::HintRa | Form::BareSync) {
        return;
    }
    let features = instruction.features();
    if features.prefetch_or_channel {
        text.push(if instruction.opcode == Opcode::Sync { 'c' } else { 'p' });
    }
    if features.disable {
        text.push('d');
    }
    if features.enable {
        text.push('e');
    }
}

fn relative(pc: u32, distance: i32, format: &dyn AddressFormat, shown: &mut dyn FnMut(i32) -> i32) -> String {
    if distance == 0 {
        return "0".to_string();
    }
    let target = pc.wrapping_add_signed(distance);
    shown(target as i32);
    format.address(target & 0x3_ffff)
}

fn absolute(address: i32, format: &dyn AddressFormat) -> String {
    if address == 0 { "0".to_string() } else { format.address(address as u32) }
}

fn hinted(pc: u32, instruction: &Instruction, format: &dyn AddressFormat) -> String {
    format.address(pc.wrapping_add_signed(instruction.hint_distance()))
}
