//! A floating-point number in the input of `scanf`: decimal, hexadecimal, an infinity, or NaN.

/// What a number is stored as: bits of the fraction, and bias of the exponent.
#[derive(Debug, Clone, Copy)]
struct Format {
    fraction_bits: u32,
    bias: i32,
}

const SINGLE: Format = Format { fraction_bits: 23, bias: 127 };
const DOUBLE: Format = Format { fraction_bits: 52, bias: 1023 };

/// Whether a number may begin with the characters `taken` and then `byte`.
pub(super) fn continues(taken: &[u8], byte: u8) -> bool {
    let text = taken.to_ascii_lowercase();
    let byte = byte.to_ascii_lowercase();
    let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(&text);
    let word = |name: &[u8]| name.starts_with(unsigned) && name.get(unsigned.len()) == Some(&byte);
    if word(b"infinity") || word(b"nan") {
        return true;
    }
    if unsigned.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let hexadecimal = unsigned.starts_with(b"0x");
    let (digits, mark) = if hexadecimal { (&unsigned[2..], b'p') } else { (unsigned, b'e') };
    let is_digit = |byte: &u8| if hexadecimal { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let exponent = digits.iter().position(|&byte| byte == mark);
    match byte {
        b'+' | b'-' => text.is_empty() || exponent.is_some_and(|at| at + 1 == digits.len()),
        b'.' => exponent.is_none() && !digits.contains(&b'.'),
        b'x' => unsigned == b"0",
        _ if exponent.is_some() => byte.is_ascii_digit(),
        _ => is_digit(&byte) || (byte == mark && digits.iter().any(is_digit)),
    }
}

/// The bytes of the `double` or `float` that a text means; `None` if the text is no number. An exponent
/// without digits is ignored.
pub(super) fn bytes_of(text: &[u8], double: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_lowercase();
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let complete = unsigned.trim_end_matches(['+', '-']).trim_end_matches(['e', 'p']);
    let bits = match (unsigned, unsigned.strip_prefix("0x")) {
        ("inf" | "infinity" | "nan", _) if double => unsigned.parse::<f64>().ok()?.to_bits(),
        ("inf" | "infinity" | "nan", _) => unsigned.parse::<f32>().ok()?.to_bits().into(),
        (_, Some(_)) => hexadecimal(&complete[2..], if double { DOUBLE } else { SINGLE })?,
        _ if !unsigned.contains(|c: char| c.is_ascii_digit()) => return None,
        _ if double => complete.parse::<f64>().ok()?.to_bits(),
        _ => complete.parse::<f32>().ok()?.to_bits().into(),
    };
    Some(if double {
        (bits | u64::from(negative) << 63).to_be_bytes().to_vec()
    } else {
        (bits as u32 | u32::from(negative) << 31).to_be_bytes().to_vec()
    })
}

/// The bits of `digits`, which may hold a point and an exponent of two, rounded to nearest.
fn hexadecimal(digits: &str, format: Format) -> Option<u64> {
    let (digits, exponent) = digits.split_once('p').unwrap_or((digits, "0"));
    // An exponent beyond the range of numbers is as large as one can be.
    let limit = if exponent.starts_with('-') { i32::MIN / 2 } else { i32::MAX / 2 };
    let mut exponent = exponent.parse::<i32>().unwrap_or(limit).clamp(i32::MIN / 2, i32::MAX / 2);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    // Sixteen digits from the first that is not zero on. Of all further digits it only matters whether one is
    // not zero.
    let mut significand = 0u64;
    let mut inexact = false;
    for (digit, behind_point) in
        whole.chars().map(|digit| (digit, false)).chain(fraction.chars().map(|digit| (digit, true)))
    {
        let value = u64::from(digit.to_digit(16)?);
        let kept = significand >> 60 == 0;
        if kept {
            significand = significand << 4 | value;
        } else {
            inexact |= value != 0;
        }
        exponent = exponent.saturating_add(4 * (i32::from(!kept) - i32::from(behind_point)));
    }
    Some(round(significand, inexact, exponent, format))
}

/// The bits of `significand`, and a little more if it is inexact, times two to the power of `exponent`.
fn round(significand: u64, inexact: bool, exponent: i32, format: Format) -> u64 {
    let Format { fraction_bits, bias } = format;
    if significand == 0 {
        return 0;
    }
    let shift = significand.leading_zeros();
    let top = exponent.saturating_sub(shift as i32).saturating_add(63);
    if top > bias {
        return (2 * bias as u64 + 1) << fraction_bits;
    }
    // A denormal number has fewer bits.
    let missing = (1 - bias).saturating_sub(top).clamp(0, 64) as u32;
    let drop = 63 - fraction_bits + missing;
    let wide = u128::from(significand << shift);
    let kept = (wide >> drop) as u64;
    let (rest, half) = (wide & ((1 << drop) - 1), 1u128 << (drop - 1));
    let up = rest > half || (rest == half && (inexact || kept & 1 != 0));
    let biased = if missing == 0 { (top + bias) as u64 - 1 } else { 0 };
    // The leading bit of a normal number, and a carry, count the exponent up.
    (biased << fraction_bits) + kept + u64::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(text: &str) -> Option<f64> {
        bytes_of(text.as_bytes(), true).map(|bytes| f64::from_be_bytes(bytes.try_into().unwrap()))
    }

    fn single(text: &str) -> Option<f32> {
        bytes_of(text.as_bytes(), false).map(|bytes| f32::from_be_bytes(bytes.try_into().unwrap()))
    }

    #[test]
    fn hexadecimal_numbers_are_rounded_to_nearest() {
        for (text, value) in [
            ("0x1.8p3", 12.0),
            ("-0x.8p1", -1.0),
            ("0X10", 16.0),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x1.00000000000008p0", 1.0),
            ("0x1.000000000000080000001p0", 1.0 + f64::EPSILON),
            ("0x1p-1074", 5e-324),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", 5e-324),
            ("0x0.fffffffffffffp-1022", f64::from_bits(0xf_ffff_ffff_ffff)),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x1p1024", f64::INFINITY),
            ("0x1.fffffffffffff8p1023", f64::INFINITY),
            ("0x100000000000000000000", 2f64.powi(80)),
            ("0x1p99999999999", f64::INFINITY),
            ("0x1p-99999999999", 0.0),
            ("0x1p", 1.0),
        ] {
            assert_eq!(double(text), Some(value), "{text}");
        }
        assert_eq!(single("0x1.000001p0"), Some(1.0));
        assert_eq!(single("0x1.0000011p0"), Some(1.0 + f32::EPSILON));
        assert_eq!(single("0x1p-149"), Some(f32::from_bits(1)));
    }

    #[test]
    fn words_and_decimal_numbers() {
        assert_eq!(double("-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!(double("infinity"), Some(f64::INFINITY));
        assert!(double("+nan").is_some_and(f64::is_nan));
        assert_eq!((double("3.5e1"), double("1e"), double(".5")), (Some(35.0), Some(1.0), Some(0.5)));
        assert_eq!(single("16777217"), Some(16_777_216.0));
        for wrong in ["", "-", ".", "infi", "na", "0x", "0x."] {
            assert_eq!(double(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_part_of_a_number_is_left() {
        let taken = |text: &str| {
            let bytes = text.as_bytes();
            (0..bytes.len()).take_while(|&at| continues(&bytes[..at], bytes[at])).count()
        };
        for (text, count) in [
            ("1.5.2", 3),
            ("-1e-5-3", 5),
            ("0x1.8p+3x", 8),
            ("0xg", 2),
            ("infinityy", 8),
            ("nano", 3),
            ("inch", 2),
            ("e5", 0),
            ("1f", 1),
            ("+-1", 1),
        ] {
            assert_eq!(taken(text), count, "{text}");
        }
    }
}
