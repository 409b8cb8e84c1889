//! Numbers and texts from bytes, and to bytes.

use crate::error::{Error, Result};
use crate::operation::{Precision, Shape};

/// The bytes that have not been read yet.
#[derive(Debug)]
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    /// What is being read, for a message.
    of: &'static str,
}

macro_rules! numbers {
    ($($name:ident: $type:ty),*) => {
        impl Reader<'_> {
            $(
                pub(super) fn $name(&mut self) -> Result<$type> {
                    Ok(<$type>::from_le_bytes(self.take()?))
                }
            )*
        }
    };
}

numbers!(u8: u8, u32: u32, u64: u64, i64: i64);

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8], of: &'static str) -> Reader<'b> {
        Reader { bytes, of }
    }

    /// An error that says what is wrong with what is being read.
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::Argument(format!("{} is damaged: {what}", self.of))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((&first, rest)) = self.bytes.split_first_chunk::<N>() else {
            return Err(self.wrong("it ends early"));
        };
        self.bytes = rest;
        Ok(first)
    }

    /// The next bytes, as many as they say.
    pub(super) fn slice(&mut self, count: usize) -> Result<&'b [u8]> {
        let Some((first, rest)) = self.bytes.split_at_checked(count) else {
            return Err(self.wrong("it ends early"));
        };
        self.bytes = rest;
        Ok(first)
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &'b [u8] {
        std::mem::take(&mut self.bytes)
    }

    /// A number of things that take at least `least` bytes each: no more than there are bytes for.
    pub(super) fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.u32()? as usize;
        if count > self.bytes.len() / least.max(1) {
            return Err(self.wrong(format!("{count} things in {} bytes", self.bytes.len())));
        }
        Ok(count)
    }

    pub(super) fn text(&mut self) -> Result<&'b str> {
        let length = self.count(1)?;
        let bytes = self.slice(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.wrong("a text that is none"))
    }

    pub(super) fn shape(&mut self) -> Result<Shape> {
        let (rows, columns) = (self.u32()?, self.u32()?);
        Shape::new(rows.into(), columns.into()).map_err(|shape| self.wrong(shape))
    }

    pub(super) fn precision(&mut self) -> Result<Precision> {
        self.one_of(&[Precision::Single, Precision::Double, Precision::Byte])
    }

    /// What [`put_value`] has said of a value.
    pub(super) fn value(&mut self) -> Result<(u64, Shape, Precision)> {
        Ok((self.u64()?, self.shape()?, self.precision()?))
    }

    /// The value of these whose number comes next.
    pub(super) fn one_of<T: Copy>(&mut self, values: &[T]) -> Result<T> {
        let number = self.u8()?;
        values
            .get(usize::from(number))
            .copied()
            .ok_or_else(|| self.wrong(format!("there is no choice {number}")))
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<()> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(self.wrong(format!("{left} bytes too many"))),
        }
    }
}

pub(super) fn put_text(to: &mut Vec<u8>, text: &str) {
    to.extend((text.len() as u32).to_le_bytes());
    to.extend(text.as_bytes());
}

/// What is said of a value: its number, its shape and its precision.
pub(super) fn put_value(to: &mut Vec<u8>, number: u64, shape: Shape, precision: Precision) {
    to.extend(number.to_le_bytes());
    put_shape(to, shape);
    to.push(precision as u8);
}

pub(super) fn put_shape(to: &mut Vec<u8>, shape: Shape) {
    to.extend(shape.rows.to_le_bytes());
    to.extend(shape.columns.to_le_bytes());
}
