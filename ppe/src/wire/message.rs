//! What a session and the first of its ranks say to each other, over a socket.
//!
//! A message is a byte that says which one it is, the length of what follows in 8 bytes, and this. The session asks,
//! and the rank answers [`Request::Trace`], [`Request::Fetch`] and [`Request::Stop`], in order. The first message of
//! all is the rank's [`Reply::Hello`].

use std::io::{self, Read, Write};

use super::VERSION;
use super::configuration::Configuration;
use super::elements::{constructor, put_constructor};
use super::reader::{Reader, put_text, put_value};
use crate::error::{Error, Result};
use crate::matrix::Constructor;
use crate::operation::{Precision, Shape};

/// What the session wants.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Comes first: how to lower traces.
    Configure(Box<Configuration>),
    /// A value that the session has, and its elements.
    Value {
        /// Its number.
        number: u64,
        /// Its shape.
        shape: Shape,
        /// Its precision.
        precision: Precision,
        /// Its elements ([`elements`](super::elements)).
        elements: Vec<u8>,
    },
    /// A value whose elements the ranks make, each of them its own part.
    Construct {
        /// Its number.
        number: u64,
        /// Its shape.
        shape: Shape,
        /// Its precision.
        precision: Precision,
        /// What makes its elements.
        constructor: Constructor,
    },
    /// A trace to execute ([`trace`](super::trace)).
    Trace(Vec<u8>),
    /// These values are no longer needed.
    Release(Vec<u64>),
    /// The elements of a value are needed.
    Fetch(u64),
    /// The end.
    Stop,
}

/// Why a trace could not be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The operation of the trace.
    pub operation: u32,
    /// Whether its result would be complex.
    pub is_domain: bool,
    /// What happened, in words.
    pub what: String,
}

/// What the first rank says.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The ranks are there.
    Hello {
        /// The version of messages and traces.
        version: u32,
        /// How many ranks there are.
        ranks: u32,
        /// Threads of the first rank that execute block operations.
        workers: u32,
    },
    /// A trace has been executed.
    Done {
        /// Its number.
        trace: u64,
        /// What went wrong.
        fault: Option<Fault>,
        /// Small results that are kept: number and elements.
        small: Vec<(u64, Vec<u8>)>,
        /// Bytes of shards that rank sent to rank.
        sent_bytes: u64,
        /// Block operations that all ranks have walked over.
        operations: u64,
        /// CPU time that the slowest rank took to lower and insert them, in nanoseconds.
        insert_ns: u64,
        /// MEUs that the ranks' own engines have lost since they were made.
        meus_lost: u32,
        /// What is to be said of those that were lost in this trace.
        losses: Vec<String>,
    },
    /// The elements of a value that was fetched.
    Elements {
        /// Its number.
        number: u64,
        /// Its elements.
        elements: Vec<u8>,
    },
    /// The ranks cannot go on.
    Failed(String),
}

/// Something that has bytes.
trait Message: Sized {
    /// Which one it is, its first bytes, and what follows them. Elements are not copied.
    fn encode(&self) -> (u8, Vec<u8>, &[u8]);
    /// The message of these bytes. Elements stay where they are.
    fn decode(tag: u8, bytes: Vec<u8>) -> Result<Self>;
}

impl Request {
    /// Sends it.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn send(&self, to: &mut impl Write) -> io::Result<()> {
        send(self, to)
    }

    /// Waits for the next request.
    ///
    /// # Errors
    /// Those of the connection; [`io::ErrorKind::InvalidData`] for bytes that are no request.
    pub fn receive(from: &mut impl Read) -> io::Result<Request> {
        receive(from)
    }
}

impl Reply {
    /// Sends it.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn send(&self, to: &mut impl Write) -> io::Result<()> {
        send(self, to)
    }

    /// Waits for the next reply.
    ///
    /// # Errors
    /// Those of the connection; [`io::ErrorKind::InvalidData`] for bytes that are no reply.
    pub fn receive(from: &mut impl Read) -> io::Result<Reply> {
        receive(from)
    }

    /// The greeting of ranks of this version.
    #[must_use]
    pub fn hello(ranks: u32, workers: u32) -> Reply {
        Reply::Hello { version: VERSION, ranks, workers }
    }
}

fn send(message: &impl Message, to: &mut impl Write) -> io::Result<()> {
    let (tag, first, rest) = message.encode();
    let mut head = [0; 9];
    head[0] = tag;
    head[1..].copy_from_slice(&((first.len() + rest.len()) as u64).to_le_bytes());
    to.write_all(&head)?;
    to.write_all(&first)?;
    to.write_all(rest)?;
    to.flush()
}

fn receive<M: Message>(from: &mut impl Read) -> io::Result<M> {
    let invalid = |error: Error| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let mut head = [0; 9];
    from.read_exact(&mut head)?;
    let [tag, length @ ..] = head;
    // Memory is taken as bytes arrive, so a length that is wrong takes none.
    let (length, mut bytes) = (u64::from_le_bytes(length), Vec::new());
    if from.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    M::decode(tag, bytes).map_err(invalid)
}

/// The last bytes, in the memory of all.
fn behind(count: usize, mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.drain(..bytes.len() - count);
    bytes
}

impl Message for Request {
    fn encode(&self) -> (u8, Vec<u8>, &[u8]) {
        let (mut bytes, mut rest) = (Vec::new(), &[][..]);
        let tag = match self {
            Request::Configure(configuration) => {
                configuration.put(&mut bytes);
                0
            }
            Request::Value { number, shape, precision, elements } => {
                put_value(&mut bytes, *number, *shape, *precision);
                rest = elements;
                1
            }
            Request::Trace(trace) => {
                rest = trace;
                2
            }
            Request::Release(numbers) => {
                numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
                3
            }
            Request::Fetch(number) => {
                bytes.extend(number.to_le_bytes());
                4
            }
            Request::Stop => 5,
            Request::Construct { number, shape, precision, constructor } => {
                put_value(&mut bytes, *number, *shape, *precision);
                put_constructor(&mut bytes, *constructor);
                6
            }
        };
        (tag, bytes, rest)
    }

    fn decode(tag: u8, bytes: Vec<u8>) -> Result<Request> {
        let mut reader = Reader::new(&bytes, "a request");
        let request = match tag {
            0 => Request::Configure(Box::new(Configuration::of_bytes(&mut reader)?)),
            1 => {
                let (number, shape, precision) = reader.value()?;
                let elements = behind(reader.rest().len(), bytes);
                return Ok(Request::Value { number, shape, precision, elements });
            }
            2 => return Ok(Request::Trace(bytes)),
            3 => {
                let count = bytes.len() / 8;
                Request::Release((0..count).map(|_| reader.u64()).collect::<Result<_>>()?)
            }
            4 => Request::Fetch(reader.u64()?),
            5 => Request::Stop,
            6 => {
                let (number, shape, precision) = reader.value()?;
                Request::Construct { number, shape, precision, constructor: constructor(&mut reader)? }
            }
            other => return Err(reader.wrong(format!("there is no request {other}"))),
        };
        reader.end()?;
        Ok(request)
    }
}

impl Message for Reply {
    fn encode(&self) -> (u8, Vec<u8>, &[u8]) {
        let (mut bytes, mut rest) = (Vec::new(), &[][..]);
        let tag = match self {
            Reply::Hello { version, ranks, workers } => {
                [version, ranks, workers].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
                0
            }
            Reply::Done { trace, fault, small, sent_bytes, operations, insert_ns, meus_lost, losses } => {
                bytes.extend(trace.to_le_bytes());
                bytes.extend(sent_bytes.to_le_bytes());
                bytes.push(u8::from(fault.is_some()));
                if let Some(Fault { operation, is_domain, what }) = fault {
                    bytes.extend(operation.to_le_bytes());
                    bytes.push(u8::from(*is_domain));
                    put_text(&mut bytes, what);
                }
                bytes.extend((small.len() as u32).to_le_bytes());
                for (number, elements) in small {
                    bytes.extend(number.to_le_bytes());
                    bytes.extend((elements.len() as u32).to_le_bytes());
                    bytes.extend(elements);
                }
                bytes.extend(operations.to_le_bytes());
                bytes.extend(insert_ns.to_le_bytes());
                bytes.extend(meus_lost.to_le_bytes());
                bytes.extend((losses.len() as u32).to_le_bytes());
                losses.iter().for_each(|loss| put_text(&mut bytes, loss));
                1
            }
            Reply::Elements { number, elements } => {
                bytes.extend(number.to_le_bytes());
                rest = elements;
                2
            }
            Reply::Failed(what) => {
                put_text(&mut bytes, what);
                3
            }
        };
        (tag, bytes, rest)
    }

    fn decode(tag: u8, bytes: Vec<u8>) -> Result<Reply> {
        let mut reader = Reader::new(&bytes, "a reply");
        let reply = match tag {
            0 => Reply::Hello { version: reader.u32()?, ranks: reader.u32()?, workers: reader.u32()? },
            1 => {
                let (trace, sent_bytes) = (reader.u64()?, reader.u64()?);
                let fault = match reader.u8()? {
                    0 => None,
                    _ => Some(Fault {
                        operation: reader.u32()?,
                        is_domain: reader.u8()? != 0,
                        what: reader.text()?.to_owned(),
                    }),
                };
                let mut small = Vec::new();
                for _ in 0..reader.count(8 + 4)? {
                    let number = reader.u64()?;
                    let length = reader.count(1)?;
                    small.push((number, reader.slice(length)?.to_vec()));
                }
                let (operations, insert_ns) = (reader.u64()?, reader.u64()?);
                let meus_lost = reader.u32()?;
                let count = reader.count(4)?;
                let losses = (0..count).map(|_| Ok(reader.text()?.to_owned())).collect::<Result<_>>()?;
                Reply::Done { trace, fault, small, sent_bytes, operations, insert_ns, meus_lost, losses }
            }
            2 => {
                let number = reader.u64()?;
                let elements = behind(reader.rest().len(), bytes);
                return Ok(Reply::Elements { number, elements });
            }
            3 => Reply::Failed(reader.text()?.to_owned()),
            other => return Err(reader.wrong(format!("there is no reply {other}"))),
        };
        reader.end()?;
        Ok(reply)
    }
}
