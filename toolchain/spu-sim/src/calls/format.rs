//! `printf` formatting, with arguments taken from the SPE.

use super::{
    Errno,
    arguments::{Variadic, string_at},
    wide,
};

/// A conversion specification.
#[derive(Debug, Clone, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

/// Length modifier. On the SPU `int`, `long`, `size_t` and pointers have 32 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Length {
    Char,
    Short,
    #[default]
    Word,
    Long,
    LongLong,
}

/// Widths and precisions are cut here, so that a wild number cannot exhaust the host's memory.
const MAX_WIDTH: usize = 1 << 16;

/// Formats `format` with `arguments`; EILSEQ if a wide character is none of the locale.
pub(super) fn format(format: &[u8], arguments: &mut Variadic<'_>) -> Result<Vec<u8>, Errno> {
    let mut output = Vec::new();
    let mut rest = format;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            output.push(byte);
            continue;
        }
        let (spec, after) = parse(rest, arguments);
        let Some((&conversion, tail)) = after.split_first() else { break };
        rest = tail;
        convert(conversion, &spec, arguments, &mut output)?;
    }
    Ok(output)
}

fn number<'a>(mut text: &'a [u8], arguments: &mut Variadic<'_>) -> (Option<i32>, &'a [u8]) {
    if let Some(tail) = text.strip_prefix(b"*") {
        return (Some(arguments.word() as i32), tail);
    }
    let mut value = None;
    while let Some((&digit @ b'0'..=b'9', tail)) = text.split_first() {
        value = Some(value.unwrap_or(0i32).saturating_mul(10).saturating_add(i32::from(digit - b'0')));
        text = tail;
    }
    (value, text)
}

fn parse<'a>(mut text: &'a [u8], arguments: &mut Variadic<'_>) -> (Spec, &'a [u8]) {
    let mut spec = Spec::default();
    while let Some((&flag, tail)) = text.split_first() {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        text = tail;
    }
    let (width, tail) = number(text, arguments);
    text = tail;
    let width = width.unwrap_or(0);
    spec.left |= width < 0;
    spec.width = (width.unsigned_abs() as usize).min(MAX_WIDTH);
    if let Some(tail) = text.strip_prefix(b".") {
        let (precision, tail) = number(tail, arguments);
        // A negative precision counts as none.
        spec.precision =
            usize::try_from(precision.unwrap_or(0)).ok().map(|precision| precision.min(MAX_WIDTH));
        text = tail;
    }
    let modifiers: [(&[u8], Length); 9] = [
        (b"hh", Length::Char),
        (b"h", Length::Short),
        (b"ll", Length::LongLong),
        (b"l", Length::Long),
        (b"j", Length::LongLong),
        (b"q", Length::LongLong),
        (b"z", Length::Word),
        (b"t", Length::Word),
        (b"L", Length::LongLong),
    ];
    for (modifier, length) in modifiers {
        if let Some(tail) = text.strip_prefix(modifier) {
            (spec.length, text) = (length, tail);
            break;
        }
    }
    (spec, text)
}

fn convert(
    conversion: u8,
    spec: &Spec,
    arguments: &mut Variadic<'_>,
    output: &mut Vec<u8>,
) -> Result<(), Errno> {
    let wide = spec.length == Length::Long || matches!(conversion, b'C' | b'S');
    match conversion {
        b'%' => output.push(b'%'),
        b'c' | b'C' => {
            let word = arguments.word();
            let byte = if wide { wide::narrow(word)? } else { word as u8 };
            pad(spec, b"", &[byte], false, output);
        }
        b's' | b'S' => {
            let (address, limit) = (arguments.word(), spec.precision.unwrap_or(usize::MAX));
            let mut text = match address {
                0 => b"(null)".to_vec(),
                _ if wide => wide::string_at(arguments.ls(), address, limit)?,
                _ => string_at(arguments.ls(), address),
            };
            text.truncate(limit);
            pad(spec, b"", &text, false, output);
        }
        b'd' | b'i' => {
            let value = match spec.length {
                Length::LongLong => arguments.double_word() as i64,
                Length::Word | Length::Long => i64::from(arguments.word() as i32),
                Length::Short => i64::from(arguments.word() as i16),
                Length::Char => i64::from(arguments.word() as i8),
            };
            let digits = value.unsigned_abs().to_string();
            integer(spec, sign(spec, value < 0), &digits, output);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let value = match spec.length {
                Length::LongLong => arguments.double_word(),
                Length::Word | Length::Long => u64::from(arguments.word()),
                Length::Short => u64::from(arguments.word() as u16),
                Length::Char => u64::from(arguments.word() as u8),
            };
            unsigned(conversion, spec, value, output);
        }
        b'p' => {
            let digits = format!("{:x}", arguments.word());
            integer(spec, b"0x", &digits, output);
        }
        b'n' => {
            let address = arguments.word();
            let count = output.len() as u64;
            match spec.length {
                Length::LongLong => arguments.ls().write(address, &count.to_be_bytes()),
                Length::Word | Length::Long => arguments.ls().write(address, &(count as u32).to_be_bytes()),
                Length::Short => arguments.ls().write(address, &(count as u16).to_be_bytes()),
                Length::Char => arguments.ls().write(address, &[count as u8]),
            }
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            float(conversion, spec, f64::from_bits(arguments.double_word()), output);
        }
        // Undefined by the standard; shown as written.
        other => output.extend([b'%', other]),
    }
    Ok(())
}

fn sign(spec: &Spec, negative: bool) -> &'static [u8] {
    if negative {
        b"-"
    } else if spec.plus {
        b"+"
    } else if spec.space {
        b" "
    } else {
        b""
    }
}

fn unsigned(conversion: u8, spec: &Spec, value: u64, output: &mut Vec<u8>) {
    let mut digits = match conversion {
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        b'X' => format!("{value:X}"),
        _ => value.to_string(),
    };
    let mut prefix: &[u8] = b"";
    if spec.alternate {
        match conversion {
            b'o' if !digits.starts_with('0') && spec.precision.unwrap_or(0) <= digits.len() => {
                digits.insert(0, '0')
            }
            b'x' if value != 0 => prefix = b"0x",
            b'X' if value != 0 => prefix = b"0X",
            _ => {}
        }
    }
    integer(spec, prefix, &digits, output);
}

fn integer(spec: &Spec, prefix: &[u8], digits: &str, output: &mut Vec<u8>) {
    let text = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits.to_string(),
    };
    pad(spec, prefix, text.as_bytes(), spec.precision.is_none(), output);
}

/// Writes prefix and text in the field; zeros go between them.
fn pad(spec: &Spec, prefix: &[u8], text: &[u8], zeros_allowed: bool, output: &mut Vec<u8>) {
    let fill = spec.width.saturating_sub(prefix.len() + text.len());
    let zeros = spec.zero && zeros_allowed && !spec.left;
    if !spec.left && !zeros {
        output.resize(output.len() + fill, b' ');
    }
    output.extend(prefix);
    if zeros {
        output.resize(output.len() + fill, b'0');
    }
    output.extend(text);
    if spec.left {
        output.resize(output.len() + fill, b' ');
    }
}

fn float(conversion: u8, spec: &Spec, value: f64, output: &mut Vec<u8>) {
    let negative = value.is_sign_negative();
    let magnitude = value.abs();
    let mut text = if magnitude.is_nan() {
        "nan".to_string()
    } else if magnitude.is_infinite() {
        "inf".to_string()
    } else {
        let precision = spec.precision;
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(magnitude, precision.unwrap_or(6), spec.alternate),
            b'e' => exponential(magnitude, precision.unwrap_or(6), spec.alternate),
            b'g' => general(magnitude, precision.unwrap_or(6).max(1), spec.alternate),
            _ => hexadecimal(magnitude, precision, spec.alternate),
        }
    };
    if conversion.is_ascii_uppercase() {
        text = text.to_uppercase();
    }
    // Zeros that fill the field stand behind the sign and the mark of a hexadecimal number.
    let mark = if text.starts_with("0x") || text.starts_with("0X") { 2 } else { 0 };
    let prefix = [sign(spec, negative), &text.as_bytes()[..mark]].concat();
    pad(spec, &prefix, &text.as_bytes()[mark..], value.is_finite(), output);
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// Digits and decimal exponent of `value` rounded to `precision` digits after the first.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_string(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = scientific(value, precision);
    if point && precision == 0 {
        digits.push('.');
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let (_, exponent) = scientific(value, precision - 1);
    let trim = |text: String| {
        if keep_zeros || !text.contains('.') {
            return text;
        }
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(value, precision - 1, keep_zeros);
        match text.split_once('e') {
            Some((digits, exponent)) => format!("{}e{exponent}", trim(digits.to_string())),
            None => text,
        }
    } else {
        trim(fixed(value, (precision as i32 - 1 - exponent) as usize, keep_zeros))
    }
}

fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let (mut fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let exponent = if value == 0.0 { 0 } else { biased.max(1) - 1023 };
    let mut lead = u64::from(biased != 0);
    let mut digits = 13;
    if let Some(precision) = precision.filter(|&precision| precision < 13) {
        // Round to nearest even at the last digit kept.
        let drop = 4 * (13 - precision);
        let whole = lead << 52 | fraction;
        let (kept, rest) = (whole >> drop, whole & ((1 << drop) - 1));
        let half = 1 << (drop - 1);
        let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 != 0));
        lead = rounded >> (4 * precision);
        fraction = rounded & ((1 << (4 * precision)) - 1);
        digits = precision;
    }
    let mut text = if digits == 0 { String::new() } else { format!("{fraction:0digits$x}") };
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(precision) => text.extend(std::iter::repeat_n('0', precision.saturating_sub(13))),
    }
    let dot = if text.is_empty() && !point { "" } else { "." };
    format!("0x{lead}{dot}{text}p{exponent:+}")
}
