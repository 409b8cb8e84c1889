//! What a rank does: it receives what the session asks, and does it together with all ranks.

use std::collections::HashMap;
use std::io::{self, BufReader, Cursor};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use pmatrix::lower::{ShardLimits, Target};
use pmatrix::matrix::{Constructor, Matrix};
use pmatrix::operation::{Precision, Shape};
use pmatrix::pool::Pool;
use pmatrix::time::TimeModel;
use pmatrix::wire::configuration::Configuration;
use pmatrix::wire::elements::element_bytes;
use pmatrix::wire::message::{Reply, Request};
use pmatrix::wire::trace::{Numbered, decode};

use super::insert::Inserter;
use super::own::OwnEngine;
use super::record::Faults;
use super::report::{Report, report};
use super::shards::{Shard, Shards};
use super::shim::{Ranks, cpu_ns};

/// Results of so many bytes come with the report of their trace: a loop that tests a number then costs one round trip.
const SMALL_BYTES: u64 = 4 << 10;

/// Bytes of what a rank says of its engine: nothing, or why it has none, cut off.
const TEXT_BYTES: usize = 256;

/// The first rank's connection to the session.
struct Connection {
    from: BufReader<UnixStream>,
    to: UnixStream,
}

struct Rank {
    ranks: Ranks,
    /// On the first rank only.
    session: Option<Connection>,
    configuration: Option<Configuration>,
    values: HashMap<u64, Arc<Matrix>>,
    model: TimeModel,
    pool: Pool,
}

pub(super) fn wrong(what: impl ToString) -> io::Error {
    io::Error::other(what.to_string())
}

/// Runs a rank of the session that listens at this socket, until the session ends. It holds at most so many bytes in
/// memory, and what is more on a disk, beside the socket.
///
/// # Errors
/// What went wrong with the connection, or on a rank.
pub fn run(socket: &Path, most_bytes: Option<u64>) -> io::Result<()> {
    let folder = socket.with_file_name(format!("swap-{}", std::process::id()));
    if most_bytes.is_some() {
        std::fs::create_dir_all(&folder)?;
    }
    let ranks = Ranks::start(most_bytes.map(|bytes| (bytes, &*folder)))?;
    ranks.join();
    let session = match ranks.is_first() {
        true => {
            let to = UnixStream::connect(socket)?;
            Reply::hello(ranks.place.ranks as u32, ranks.place.workers as u32).send(&mut &to)?;
            Some(Connection { from: BufReader::new(to.try_clone()?), to })
        }
        false => None,
    };
    let model = TimeModel::of_host().map_err(wrong)?;
    let (pool, values) = (Pool::new(0, false), HashMap::new());
    let mut rank = Rank { ranks, session, configuration: None, values, model, pool };
    let outcome = rank.serve();
    if let (Err(error), Some(session)) = (&outcome, &mut rank.session) {
        // A session that is gone needs no reason.
        _ = Reply::Failed(error.to_string()).send(&mut session.to);
    }
    rank.values.clear();
    outcome?;
    rank.ranks.leave();
    rank.ranks.stop();
    // On a machine without the session nobody else removes it. The session may be faster.
    _ = most_bytes.map(|_| std::fs::remove_dir_all(&folder));
    Ok(())
}

/// Turns elements around between the byte order of messages and that of the machine.
fn turn(bytes: &mut [u8], element_bytes: usize) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(element_bytes).for_each(<[u8]>::reverse);
    }
}

impl Rank {
    fn serve(&mut self) -> io::Result<()> {
        loop {
            match self.next_request()? {
                Request::Configure(configuration) => self.configure(*configuration)?,
                Request::Value { number, shape, precision, elements } => {
                    self.scatter(number, shape, precision, elements)?;
                }
                Request::Construct { number, shape, precision, constructor } => {
                    self.construct(number, shape, precision, constructor)?;
                }
                Request::Trace(bytes) => self.execute(&bytes)?,
                Request::Release(numbers) => numbers.iter().for_each(|number| _ = self.values.remove(number)),
                Request::Fetch(number) => {
                    let matrix = self.value(number)?;
                    let elements = self.collect(&matrix)?;
                    self.reply(&Reply::Elements { number, elements })?;
                }
                Request::Stop => return Ok(()),
            }
        }
    }

    /// The next request, on all ranks. The elements of a value reach the first rank only.
    fn next_request(&mut self) -> io::Result<Request> {
        let mut bytes = Vec::new();
        let mut mine = None;
        if let Some(session) = &mut self.session {
            // The end of the session, in whatever way, is the end of the ranks.
            let request = Request::receive(&mut session.from).unwrap_or(Request::Stop);
            match &request {
                &Request::Value { number, shape, precision, .. } => {
                    Request::Value { number, shape, precision, elements: Vec::new() }.send(&mut bytes)
                }
                other => other.send(&mut bytes),
            }?;
            mine = Some(request);
        }
        self.ranks.broadcast(&mut bytes);
        match mine {
            Some(request) => Ok(request),
            None => Request::receive(&mut Cursor::new(bytes)),
        }
    }

    fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        match &mut self.session {
            Some(session) => reply.send(&mut session.to),
            None => Ok(()),
        }
    }

    fn configured(&self) -> io::Result<(Target, ShardLimits)> {
        let configuration =
            self.configuration.ok_or_else(|| wrong("a request came before the configuration"))?;
        Ok((configuration.target().map_err(wrong)?, configuration.shards))
    }

    /// Gets ready for traces. All ranks have their engines, or none goes on.
    fn configure(&mut self, configuration: Configuration) -> io::Result<()> {
        self.configuration = Some(configuration);
        let engine = OwnEngine::new(&configuration);
        let mut mine = engine.as_ref().err().map_or(String::new(), ToString::to_string).into_bytes();
        mine.resize(TEXT_BYTES, 0);
        let all = self.ranks.gather(&mine);
        let mut missing = all.chunks_exact(TEXT_BYTES).find(|text| text[0] != 0).unwrap_or(&[]).to_vec();
        self.ranks.broadcast(&mut missing);
        if !missing.is_empty() {
            let text = missing.split(|&byte| byte == 0).next().unwrap_or_default();
            return Err(wrong(String::from_utf8_lossy(text)));
        }
        self.ranks.own = engine.map_err(wrong)?.map(Arc::new);
        Ok(())
    }

    /// A matrix whose shards ranks have, as block operations on them need it.
    fn matrix(&self, shape: Shape, precision: Precision) -> io::Result<Arc<Matrix>> {
        Ok(Arc::new(Matrix::elsewhere(shape, precision, self.configured()?.0.layout())))
    }

    fn value(&self, number: u64) -> io::Result<Arc<Matrix>> {
        self.values.get(&number).cloned().ok_or_else(|| wrong(format!("nobody has value {number}")))
    }

    /// The shards of a matrix, of all of them.
    fn shards<'m>(&self, matrix: &'m Matrix) -> io::Result<&'m Shards> {
        Ok(Shards::of(matrix, &self.configured()?.1.grid(matrix.shape()), &self.ranks))
    }

    /// Calls `visit` for each shard that this rank owns, and on the first rank for all shards: with the shard, whether it
    /// is owned here, and memory for it.
    fn each_shard(
        &self,
        shards: &Shards,
        mut visit: impl FnMut(&Shard, bool, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut memory = Vec::new();
        for shard in shards.all() {
            let here = self.ranks.is_here(shard.owner);
            if here || self.ranks.is_first() {
                let (column_bytes, columns) = shard.sides;
                memory.clear();
                memory.resize(column_bytes * columns, 0);
                visit(shard, here, &mut memory)?;
            }
        }
        Ok(())
    }

    /// A value of the session: the first rank sends each shard to its owner.
    fn scatter(
        &mut self,
        number: u64,
        shape: Shape,
        precision: Precision,
        mut elements: Vec<u8>,
    ) -> io::Result<()> {
        if self.ranks.is_first() && elements.len() as u64 != element_bytes(shape, precision) {
            return Err(wrong(format!("value {number} has {} bytes", elements.len())));
        }
        turn(&mut elements, precision.element_bytes());
        let matrix = self.matrix(shape, precision)?;
        let shards = self.shards(&matrix)?;
        self.each_shard(shards, |shard, here, memory| {
            let (column_bytes, columns) = shard.sides;
            if self.ranks.is_first() {
                each_run(shards, shard, shape, |in_shard, in_matrix, bytes| {
                    memory[in_shard..][..bytes].copy_from_slice(&elements[in_matrix..][..bytes]);
                });
            }
            match (here, self.ranks.is_first()) {
                (true, false) => self.ranks.receive(memory, 0),
                (false, _) => self.ranks.send(memory, shard.owner),
                (true, true) => {}
            }
            if here {
                self.ranks.open(shard.handle(&self.ranks), true, (column_bytes, columns), |column, to| {
                    to.copy_from_slice(&memory[column * column_bytes..][..column_bytes]);
                })?;
            }
            Ok(())
        })?;
        self.values.insert(number, matrix);
        Ok(())
    }

    /// A value that ranks make: each of them makes the shards that it owns.
    fn construct(
        &mut self,
        number: u64,
        shape: Shape,
        precision: Precision,
        constructor: Constructor,
    ) -> io::Result<()> {
        let matrix = self.matrix(shape, precision)?;
        let shards = self.shards(&matrix)?;
        let touches = shards.frame.touches;
        for shard in shards.all().iter().filter(|shard| self.ranks.is_here(shard.owner)) {
            let (first_row, first_column) = (shard.region.0 as usize, shard.region.1 as usize);
            self.ranks.open(shard.handle(&self.ranks), true, shard.sides, |column, to| {
                constructor.write(precision, to, |number| match touches {
                    true => (first_row, first_column + number),
                    false => (first_row + number, first_column + column),
                });
            })?;
        }
        self.values.insert(number, matrix);
        Ok(())
    }

    /// The elements of a matrix, on the first rank.
    fn collect(&self, matrix: &Matrix) -> io::Result<Vec<u8>> {
        let (shape, precision) = (matrix.shape(), matrix.precision());
        let shards = self.shards(matrix)?;
        let bytes = if self.ranks.is_first() { element_bytes(shape, precision) as usize } else { 0 };
        let mut elements = Vec::new();
        elements
            .try_reserve_exact(bytes)
            .map_err(|_| wrong(format!("no memory for {bytes} bytes of a value")))?;
        elements.resize(bytes, 0);
        self.each_shard(shards, |shard, here, memory| {
            let (column_bytes, columns) = shard.sides;
            if here {
                self.ranks.open(
                    shard.handle(&self.ranks),
                    false,
                    (column_bytes, columns),
                    |column, from| {
                        memory[column * column_bytes..][..column_bytes].copy_from_slice(from);
                    },
                )?;
            }
            match (here, self.ranks.is_first()) {
                (true, false) => self.ranks.send(memory, 0),
                (false, _) => self.ranks.receive(memory, shard.owner),
                (true, true) => {}
            }
            if self.ranks.is_first() {
                each_run(shards, shard, shape, |in_shard, in_matrix, bytes| {
                    elements[in_matrix..][..bytes].copy_from_slice(&memory[in_shard..][..bytes]);
                });
            }
            Ok(())
        })?;
        turn(&mut elements, precision.element_bytes());
        Ok(elements)
    }

    /// Executes a trace, and reports its end.
    fn execute(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (target, _) = self.configured()?;
        let Numbered { trace, constants, results } = decode(bytes).map_err(wrong)?;
        for (constant, &number) in trace.constants.iter().zip(&constants) {
            let value = self.value(number)?;
            if (value.shape(), value.precision()) != (constant.shape, constant.precision) {
                return Err(wrong(format!("value {number} has another shape")));
            }
            _ = constant.slot.set(value);
        }
        let trace = Arc::new(trace);
        let faults = Arc::new(Faults::default());
        self.ranks.begin();
        let mut inserter = Inserter::new(&self.ranks, &self.model);
        let begun_ns = cpu_ns();
        inserter.trace(&trace, &target, &self.pool, &faults)?;
        let (inserted, insert_ns) = (inserter.inserted, cpu_ns() - begun_ns);
        self.ranks.wait()?;
        let report = report(&self.ranks, inserted, insert_ns, faults.take())?;
        let Report { fault, sent_bytes, insert_ns, meus_lost, losses } = report;
        let mut small = Vec::new();
        for (operation, number) in trace.operations.iter().zip(results) {
            let Some(matrix) = operation.keep.as_ref().and_then(|slot| slot.get()) else { continue };
            // Nobody knows what is behind a failure.
            if fault.is_none() {
                if element_bytes(operation.shape, operation.precision) <= SMALL_BYTES {
                    small.push((number, self.collect(matrix)?));
                }
                self.values.insert(number, Arc::clone(matrix));
            }
        }
        let (trace, operations) = (trace.id, inserted.operations);
        self.reply(&Reply::Done { trace, fault, small, sent_bytes, operations, insert_ns, meus_lost, losses })
    }
}

/// Calls `copy` for each run of elements: where it begins in a shard's memory without gaps between its columns, where
/// it begins among the elements of the matrix, and its bytes.
fn each_run(shards: &Shards, shard: &Shard, shape: Shape, mut copy: impl FnMut(usize, usize, usize)) {
    let (row, column, rows, columns) = shard.region;
    let (frame, size) = (shards.frame, shards.frame.element_bytes);
    let (column_bytes, _) = frame.sides((rows, columns));
    let at = |row: u32, column: u32| (column as usize * shape.rows as usize + row as usize) * size;
    if frame.touches {
        copy(0, at(row, column), columns as usize * size);
    } else {
        for number in 0..columns {
            copy(number as usize * column_bytes, at(row, column + number), rows as usize * size);
        }
    }
}
