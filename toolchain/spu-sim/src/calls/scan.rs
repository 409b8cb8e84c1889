//! `scanf`: conversions from a stream or a string into variables in local store.

use super::{Errno, arguments::Variadic, real, stream::Streams, wide};

/// Where the characters come from.
pub(super) enum Source<'a> {
    /// A stream by number.
    Stream(&'a mut Streams, u32),
    /// A string.
    Text(std::iter::Peekable<std::vec::IntoIter<u8>>),
}

/// A source of characters, and the number of characters taken from it.
pub(super) struct Scanner<'a> {
    source: Source<'a>,
    taken: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: Source<'a>) -> Scanner<'a> {
        Scanner { source, taken: 0 }
    }

    fn peek(&mut self) -> Result<Option<u8>, Errno> {
        match &mut self.source {
            Source::Text(text) => Ok(text.peek().copied()),
            Source::Stream(streams, number) => {
                let byte = streams.read_byte(*number)?;
                if let Some(byte) = byte {
                    streams.push_back(*number, byte)?;
                }
                Ok(byte)
            }
        }
    }

    /// Takes the next character if `accept` likes it.
    fn take_if(&mut self, accept: impl FnOnce(u8) -> bool) -> Result<Option<u8>, Errno> {
        let Some(byte) = self.peek()?.filter(|&byte| accept(byte)) else { return Ok(None) };
        match &mut self.source {
            Source::Text(text) => {
                text.next();
            }
            Source::Stream(streams, number) => {
                streams.read_byte(*number)?;
            }
        }
        self.taken += 1;
        Ok(Some(byte))
    }

    fn skip_space(&mut self) -> Result<(), Errno> {
        while self.take_if(|byte| byte.is_ascii_whitespace())?.is_some() {}
        Ok(())
    }

    /// The longest run of at most `width` characters that `accept` likes, given what was taken so far.
    fn run(&mut self, width: usize, accept: impl Fn(&[u8], u8) -> bool) -> Result<Vec<u8>, Errno> {
        let mut text = Vec::new();
        while text.len() < width
            && let Some(byte) = self.take_if(|byte| accept(&text, byte))?
        {
            text.push(byte);
        }
        Ok(text)
    }

    /// Scans after `pattern`; the number of assignments, or `None` if the input ended before the first
    /// conversion.
    pub(super) fn scan(
        &mut self,
        pattern: &[u8],
        arguments: &mut Variadic<'_>,
    ) -> Result<Option<u32>, Errno> {
        let mut assigned = 0;
        let mut pattern = pattern.iter().copied().peekable();
        while let Some(byte) = pattern.next() {
            if byte.is_ascii_whitespace() {
                self.skip_space()?;
                continue;
            }
            if byte != b'%' || pattern.next_if_eq(&b'%').is_some() {
                if byte == b'%' {
                    self.skip_space()?;
                }
                if self.take_if(|next| next == byte)?.is_none() {
                    return self.finish(assigned);
                }
                continue;
            }
            let discard = pattern.next_if_eq(&b'*').is_some();
            let mut width = None;
            while let Some(digit) = pattern.next_if(u8::is_ascii_digit) {
                width = Some(
                    width.unwrap_or(0usize).saturating_mul(10).saturating_add(usize::from(digit - b'0')),
                );
            }
            let mut long = 0i32;
            while let Some(modifier) = pattern.next_if(|byte| b"hlLqjzt".contains(byte)) {
                long += match modifier {
                    b'h' => -1,
                    b'l' => 1,
                    b'L' | b'q' | b'j' => 2,
                    _ => 0,
                };
            }
            let Some(conversion) = pattern.next() else { break };
            if !b"cC[n".contains(&conversion) {
                self.skip_space()?;
            }
            let set = if conversion == b'[' { Some(Set::parse(&mut pattern)) } else { None };
            let Some(value) = self.convert(conversion, width, set.as_ref(), long)? else {
                return self.finish(assigned);
            };
            if !discard {
                let address = arguments.word();
                arguments.ls().write(address, &value);
                assigned += u32::from(conversion != b'n');
            }
        }
        Ok(Some(assigned))
    }

    /// The result at a failed match: end of input counts only if nothing was assigned.
    fn finish(&mut self, assigned: u32) -> Result<Option<u32>, Errno> {
        Ok(if assigned == 0 && self.peek()?.is_none() { None } else { Some(assigned) })
    }

    /// The bytes to store for one conversion, or `None` if the input does not match.
    fn convert(
        &mut self,
        conversion: u8,
        width: Option<usize>,
        set: Option<&Set>,
        long: i32,
    ) -> Result<Option<Vec<u8>>, Errno> {
        let limit = width.unwrap_or(usize::MAX);
        Ok(match conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => {
                let base = match conversion {
                    b'i' => 0,
                    b'o' => 8,
                    b'x' | b'X' | b'p' => 16,
                    _ => 10,
                };
                self.integer(base, limit)?.map(|value| match long {
                    2.. => value.to_be_bytes().to_vec(),
                    -1 => (value as u16).to_be_bytes().to_vec(),
                    ..-1 => vec![value as u8],
                    _ => (value as u32).to_be_bytes().to_vec(),
                })
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                real::bytes_of(&self.run(limit, real::continues)?, long > 0)
            }
            b's' | b'S' | b'[' => {
                let mut text = self.run(limit, |_, byte| match set {
                    Some(set) => set.contains(byte),
                    None => !byte.is_ascii_whitespace(),
                })?;
                if text.is_empty() {
                    return Ok(None);
                }
                text.push(0);
                Some(if long > 0 || conversion == b'S' { wide::widen(&text)? } else { text })
            }
            b'c' | b'C' => {
                let count = width.unwrap_or(1);
                let text = self.run(count, |_, _| true)?;
                if text.len() < count {
                    return Ok(None);
                }
                Some(if long > 0 || conversion == b'C' { wide::widen(&text)? } else { text })
            }
            b'n' => Some(self.taken.to_be_bytes().to_vec()),
            _ => None,
        })
    }

    fn integer(&mut self, base: u32, limit: usize) -> Result<Option<u64>, Errno> {
        let text = self.run(limit, |taken, byte| {
            let digits = taken.strip_prefix(b"-").or(taken.strip_prefix(b"+")).unwrap_or(taken);
            let hexadecimal = base == 16 || (base == 0 && matches!(digits, [b'0', b'x' | b'X', ..]));
            match byte {
                b'+' | b'-' => taken.is_empty(),
                b'x' | b'X' => digits == b"0" && (base == 16 || base == 0),
                b'0'..=b'7' => true,
                b'8' | b'9' => base == 10 || hexadecimal || (base == 0 && !digits.starts_with(b"0")),
                _ => hexadecimal && byte.is_ascii_hexdigit(),
            }
        })?;
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let negative = text.starts_with('-');
        let digits = text.trim_start_matches(['+', '-']);
        let (digits, radix) = match (digits.strip_prefix("0x"), base) {
            (Some(rest), _) => (rest, 16),
            (None, 0) if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
            (None, 0) => (digits, 10),
            (None, base) => (digits, base),
        };
        Ok(u64::from_str_radix(digits, radix)
            .ok()
            .map(|value| if negative { value.wrapping_neg() } else { value }))
    }
}

/// The character set of `%[`.
struct Set {
    members: Vec<u8>,
    negated: bool,
}

impl Set {
    fn parse(pattern: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Set {
        let negated = pattern.next_if_eq(&b'^').is_some();
        let mut members = Vec::new();
        // A bracket in the first place is a member.
        members.extend(pattern.next_if_eq(&b']'));
        while let Some(byte) = pattern.next().filter(|&byte| byte != b']') {
            match (byte, members.last().copied(), pattern.peek().copied()) {
                (b'-', Some(low), Some(high)) if high != b']' => {
                    pattern.next();
                    members.extend(low..=high);
                }
                _ => members.push(byte),
            }
        }
        Set { members, negated }
    }

    fn contains(&self, byte: u8) -> bool {
        self.members.contains(&byte) != self.negated
    }
}
