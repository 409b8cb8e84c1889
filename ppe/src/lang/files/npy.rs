//! NPY, the format of NumPy: versions 1.0 to 3.0; f4, f8, i4, i8, b1 and u1 in both byte orders, in C and in
//! Fortran order.
//!
//! A vector becomes a column, a number without dimensions a 1x1 matrix.  f4 is single, f8 double, b1 logical;
//! integers take the precision of the program, rounded as `double ()` rounds them.  Saved are f4, f8 and b1
//! in Fortran order, version 1.0.
//!
//! The reader is our own, since the one that there is as a library (npyz 0.8) panics where the product of the
//! sides overflows, takes the memory that four bytes of a header ask for, does not know the types `?` and
//! `=f8`, and brings a grammar for all of Python's literals with it.

use super::Malformed;
use crate::error::Result;
use crate::lang::table::{Table, room};
use crate::operation::{Class, Shape};

/// How such a file begins.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// Elements as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    kind: Kind,
    big_endian: bool,
    fortran_order: bool,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F4,
    F8,
    I4,
    I8,
    B1,
    U1,
}

impl Kind {
    fn bytes(self) -> usize {
        match self {
            Kind::B1 | Kind::U1 => 1,
            Kind::F4 | Kind::I4 => 4,
            Kind::F8 | Kind::I8 => 8,
        }
    }

    fn class(self) -> Option<Class> {
        match self {
            Kind::F4 => Some(Class::Single),
            Kind::F8 => Some(Class::Double),
            Kind::B1 => Some(Class::Logical),
            Kind::I4 | Kind::I8 | Kind::U1 => None,
        }
    }
}

/// Reads an NPY file.
///
/// # Errors
/// The byte that is wrong.
pub fn parse(bytes: &[u8]) -> Result<Table, Malformed> {
    let short = |at: usize| Malformed::Byte(at, "the file ends within its header".into());
    if !bytes.starts_with(MAGIC) {
        return Err(Malformed::Byte(0, "this is not an NPY file".into()));
    }
    let length = |from: usize, count: usize| {
        let field = bytes.get(from..from + count).ok_or_else(|| short(bytes.len()))?;
        Ok::<usize, Malformed>(field.iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte)))
    };
    let (start, length) = match bytes.get(6) {
        Some(1) => (10, length(8, 2)?),
        Some(2 | 3) => (12, length(8, 4)?),
        Some(version) => {
            return Err(Malformed::Byte(6, format!("there is no version {version} of this format")));
        }
        None => return Err(short(6)),
    };
    let header = bytes.get(start..start + length).ok_or_else(|| short(bytes.len()))?;
    let layout = Header { text: header, next: 0, start }.layout()?;
    let data = &bytes[start + length..];
    let wanted = layout.shape.elements() * layout.kind.bytes() as u64;
    if data.len() as u64 != wanted {
        let (found, shape) = (data.len(), layout.shape);
        let what = format!("a {shape} matrix takes {wanted} bytes, but {found} follow the header");
        return Err(Malformed::Byte(start + length, what));
    }
    let mut elements = room(layout.shape.elements(), "an NPY file")?;
    elements.extend(data.chunks_exact(layout.kind.bytes()).map(|chunk| element(chunk, layout)));
    let shape = layout.shape;
    let table = match layout.fortran_order {
        true => Table { shape, class: None, elements },
        false => Table::from_rows(shape, &elements)?,
    };
    Ok(Table { class: layout.kind.class(), ..table })
}

fn element(chunk: &[u8], layout: Layout) -> f64 {
    let mut little = [0; 8];
    little[..chunk.len()].copy_from_slice(chunk);
    if layout.big_endian {
        little[..chunk.len()].reverse();
    }
    let bits = u64::from_le_bytes(little);
    match layout.kind {
        Kind::F4 => f64::from(f32::from_bits(bits as u32)),
        Kind::F8 => f64::from_bits(bits),
        Kind::I4 => f64::from(bits as u32 as i32),
        Kind::I8 => bits as i64 as f64,
        Kind::B1 => f64::from(u8::from(bits != 0)),
        Kind::U1 => bits as f64,
    }
}

/// A header: a Python dictionary with three known keys.
struct Header<'b> {
    text: &'b [u8],
    next: usize,
    /// Where the header begins in the file.
    start: usize,
}

impl<'b> Header<'b> {
    fn error<T>(&self, what: impl Into<String>) -> Result<T, Malformed> {
        Err(Malformed::Byte(self.start + self.next, what.into()))
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.next).is_some_and(u8::is_ascii_whitespace) {
            self.next += 1;
        }
        self.text.get(self.next).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.take(byte) { Ok(()) } else { self.error(format!("'{}' is needed here", char::from(byte))) }
    }

    fn text(&mut self) -> Result<&'b [u8], Malformed> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return self.error("a text in quotes is needed here"),
        };
        let rest = &self.text[self.next + 1..];
        let Some(length) = rest.iter().position(|&byte| byte == quote) else {
            return self.error("this text has no closing quote");
        };
        self.next += length + 2;
        Ok(&rest[..length])
    }

    fn word(&mut self) -> &'b [u8] {
        self.peek();
        let rest = &self.text[self.next..];
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.next += length;
        &rest[..length]
    }

    fn layout(&mut self) -> Result<Layout, Malformed> {
        let (mut description, mut order, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while !self.take(b'}') {
            let key = self.text()?;
            self.expect(b':')?;
            match key {
                b"descr" => description = Some(self.description()?),
                b"fortran_order" => order = Some(self.truth()?),
                b"shape" => shape = Some(self.shape()?),
                _ => return self.error(format!("unknown key '{}'", String::from_utf8_lossy(key))),
            }
            if !self.take(b',') && self.peek() != Some(b'}') {
                return self.error("',' or '}' is needed here");
            }
        }
        match (description, order, shape) {
            (Some((kind, big_endian)), Some(fortran_order), Some(shape)) => {
                Ok(Layout { kind, big_endian, fortran_order, shape })
            }
            _ => self.error("the header needs the keys 'descr', 'fortran_order' and 'shape'"),
        }
    }

    fn description(&mut self) -> Result<(Kind, bool), Malformed> {
        if self.peek() == Some(b'[') {
            return self.error("structured types are not available");
        }
        let text = self.text()?;
        let (big_endian, kind) = match text {
            [b'>', kind @ ..] => (true, kind),
            [b'<' | b'|', kind @ ..] => (false, kind),
            // The order of the machine that wrote the file. The guess is the order of this machine.
            [b'=', kind @ ..] => (cfg!(target_endian = "big"), kind),
            kind => (cfg!(target_endian = "big"), kind),
        };
        let kind = match kind {
            b"f4" => Kind::F4,
            b"f8" => Kind::F8,
            b"i4" => Kind::I4,
            b"i8" => Kind::I8,
            b"b1" | b"?" => Kind::B1,
            b"u1" => Kind::U1,
            _ => {
                let shown = String::from_utf8_lossy(text);
                return self.error(format!("type '{shown}' is not one of f4, f8, i4, i8, b1, u1"));
            }
        };
        Ok((kind, big_endian))
    }

    fn truth(&mut self) -> Result<bool, Malformed> {
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => self.error("True or False is needed here"),
        }
    }

    fn shape(&mut self) -> Result<Shape, Malformed> {
        self.expect(b'(')?;
        let mut sides = Vec::new();
        while !self.take(b')') {
            let side = std::str::from_utf8(self.word()).ok().and_then(|word| word.parse::<u64>().ok());
            match side {
                Some(side) if sides.len() < 2 => sides.push(side),
                Some(_) => return self.error("arrays of more than two dimensions are not available"),
                None => return self.error("a whole number is needed here"),
            }
            if !self.take(b',') && self.peek() != Some(b')') {
                return self.error("',' or ')' is needed here");
            }
        }
        let (rows, columns) = match *sides {
            [rows, columns] => (rows, columns),
            [rows] => (rows, 1),
            _ => (1, 1),
        };
        Shape::new(rows, columns).or_else(|error| self.error(error.to_string()))
    }
}

/// The table as an NPY file.
#[must_use]
pub fn to_bytes(table: &Table) -> Vec<u8> {
    let Shape { rows, columns } = table.shape;
    let description = match table.class {
        Some(Class::Single) => "<f4",
        Some(Class::Logical) => "|b1",
        Some(Class::Double) | None => "<f8",
    };
    let mut header =
        format!("{{'descr': '{description}', 'fortran_order': True, 'shape': ({rows}, {columns}), }}");
    // The data begin at a multiple of 64 bytes, behind a newline.
    let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    header = format!("{header:<width$}\n", width = length - 1);
    let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), header.as_bytes()].concat();
    for &value in &table.elements {
        match table.class {
            Some(Class::Single) => bytes.extend((value as f32).to_le_bytes()),
            Some(Class::Logical) => bytes.push(u8::from(value != 0.0)),
            Some(Class::Double) | None => bytes.extend(value.to_le_bytes()),
        }
    }
    bytes
}
