//! Estimated times of block operations: the sizes that the time model asks for, from the lowered graph.

use crate::lower::{BlockOperation, LoweredGraph, Place, Venue, Work};
use crate::operation::OpKind;
use crate::time::terms::{Coefficients, Transfers, add_transfer};
use crate::time::{BlockSize, StageTimes, TimeModel};

/// Estimated times of all operations of a graph, each in its venue.
#[must_use]
pub fn estimate(graph: &LoweredGraph, model: &TimeModel) -> Vec<StageTimes> {
    let mut times = Vec::with_capacity(graph.len());
    // Neighbours mostly have equal sizes.
    let mut last: Option<(BlockOperation, Transfers, StageTimes)> = None;
    for operation in &graph.operations {
        let transfers = transfers(graph, operation);
        let is_like = |other: &BlockOperation| {
            (other.work, other.venue, other.rows, other.columns, other.operand_sides)
                == (
                    operation.work,
                    operation.venue,
                    operation.rows,
                    operation.columns,
                    operation.operand_sides,
                )
                && other.precision == operation.precision
        };
        let time = match last {
            Some((other, moved, time)) if moved == transfers && is_like(&other) => time,
            _ => stage_times(graph, operation, &transfers, model),
        };
        last = Some((*operation, transfers, time));
        times.push(time);
    }
    times
}

fn stage_times(
    graph: &LoweredGraph,
    operation: &BlockOperation,
    transfers: &Transfers,
    model: &TimeModel,
) -> StageTimes {
    let (precision, sides) = (operation.precision, (operation.rows, operation.columns));
    let in_memory = operation.venue != Venue::LocalStore;
    let size = |kind, operands, products| BlockSize {
        kind,
        precision,
        operand_precision: precision,
        result: sides,
        operands,
        products,
    };
    match (operation.work, graph.program(operation)) {
        (Work::Product(parts, _), _) if in_memory => {
            // All parts are one inner side to the kernels in memory.
            let inner = u16::try_from(parts.length()).unwrap_or(u16::MAX);
            let operands = [(operation.rows, inner), (inner, operation.columns)];
            model.estimate_in_memory(&size(OpKind::Multiply, operands, 1))
        }
        (Work::Product(parts, _), epilogue) => {
            let size = size(OpKind::Multiply, operation.operand_sides, parts.parts());
            let Some(program) = epilogue else { return model.estimate_moving(&size, transfers) };
            let product = model.estimate_moving(&size, transfers);
            let own = operation.operands.len();
            let further =
                Transfers { fetched: moved(graph, graph.inputs(operation).skip(own)), ..*transfers };
            let inputs = graph.inputs(operation).skip(own).map(|(_, sides)| sides);
            let kinds = program.steps.iter().map(|step| step.kind);
            product.with_epilogue(model.estimate_epilogue_moving(precision, sides, kinds, inputs, &further))
        }
        (Work::Move(kind) | Work::Reduce(kind), _) => {
            let size = size(kind, operation.operand_sides, 1);
            if in_memory { model.estimate_in_memory(&size) } else { model.estimate_moving(&size, transfers) }
        }
        (Work::Program(_), None) => StageTimes::default(),
        (Work::Program(_), Some(program)) => {
            let kinds = program.steps.iter().map(|step| step.kind);
            let inputs = graph.inputs(operation).map(|(_, sides)| sides);
            let precisions = (program.precision, precision);
            match in_memory {
                true => {
                    let results = 1 + program.results.len();
                    model.estimate_program_in_memory(precisions, sides, kinds, inputs, results)
                }
                false => model.estimate_program_moving(precisions, sides, kinds, inputs, transfers),
            }
        }
    }
}

/// What an operation in a local store moves: of a product its factors, and without the further inputs of an epilogue.
fn transfers(graph: &LoweredGraph, operation: &BlockOperation) -> Transfers {
    if operation.venue != Venue::LocalStore {
        return Transfers { fetched: Coefficients::default(), written: Coefficients::default() };
    }
    let inputs = match operation.work {
        Work::Product(..) => operation.operands.len(),
        _ => usize::MAX,
    };
    let sides = (operation.rows, operation.columns);
    let results = std::iter::once(operation.result).chain(graph.more_results(operation));
    Transfers {
        fetched: moved(graph, graph.inputs(operation).take(inputs)),
        written: moved(graph, results.map(|place| (place, sides))),
    }
}

fn moved(graph: &LoweredGraph, blocks: impl Iterator<Item = (Place, (u16, u16))>) -> Coefficients {
    let mut terms = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for (place, (rows, columns)) in blocks {
        let Some(precision) = graph.precision(place) else { continue };
        let element_bytes = precision.element_bytes();
        let (stride_bytes, offset) = match place {
            // Matrices begin at lines.
            Place::Matrix { matrix, row, column } => {
                let stride_bytes = graph.matrices[matrix as usize].stride_bytes();
                (stride_bytes, column as usize * stride_bytes + row as usize * element_bytes)
            }
            Place::Temporary(writer) => (graph.temporary_stride_bytes(writer) as usize, 0),
            Place::None => continue,
        };
        add_transfer(&mut terms, columns, usize::from(rows) * element_bytes, stride_bytes, offset);
    }
    terms
}
