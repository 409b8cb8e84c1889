//! `pmatrix info`: what this binary is, and what it would work with.

use std::io::Write;

use pmatrix::operation::Precision;
use pmatrix::schedule::schedulers;
use pmatrix::session::{ENGINES, Session};
use pmatrix::trace::Limits;

use super::Failure;
use super::options::SessionArguments;

pub(crate) fn execute(arguments: &SessionArguments, out: &mut dyn Write) -> Result<(), Failure> {
    let options = arguments.options(Limits::default(), true)?;
    let session = Session::new(&options).map_err(Failure::of_session)?;
    let target = session.target();
    let limits = target.blocks;
    let schedulers: Vec<_> = schedulers().iter().map(|scheduler| scheduler.name()).collect();
    writeln!(out, "pmatrix {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "engines: {} (in use: {})", ENGINES.join(", "), session.engine_name())?;
    writeln!(out, "schedulers: {} (in use: {})", schedulers.join(", "), options.scheduler)?;
    writeln!(out, "MEUs: {}", target.meus)?;
    for precision in Precision::ALL {
        let (elements, divisor) =
            (limits.block_elements[precision as usize], limits.divisor[precision as usize]);
        let side = limits.side(precision);
        let name = precision.name();
        writeln!(out, "{name} blocks: at most {elements} elements, divisor {divisor}, side {side}")?;
    }
    if let Some(product) = target.memory.and_then(|memory| memory.product) {
        let ([single, double], inner) = (product.columns, product.inner);
        let rows = product.rows;
        writeln!(
            out,
            "products: blocks of {rows}x{single} single, {rows}x{double} double, inner parts of {inner}"
        )?;
    }
    let kernels = pmatrix::session::kernels();
    let widths: Vec<_> = kernels.vector_bytes.iter().map(ToString::to_string).collect();
    writeln!(out, "vectors: {} bytes", widths.join(", "))?;
    writeln!(
        out,
        "local store: {} bytes: code at most {}, {} buffers of {}, blocks of two-operand operations at most {}",
        kernels.local_store_bytes,
        kernels.code_bytes,
        kernels.buffers,
        kernels.buffer_bytes,
        kernels.block_bytes
    )?;
    match &options.model {
        Some(path) => writeln!(out, "time model: {}", path.display())?,
        None => writeln!(out, "time model: built in")?,
    }
    let Limits { operations, depth, bytes } = options.limits;
    writeln!(out, "traces: at most {operations} operations, {depth} deep, {bytes} bytes pinned")?;
    Ok(())
}
