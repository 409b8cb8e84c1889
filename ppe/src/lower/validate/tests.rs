//! Lowered graphs are changed in one place, in every way that could make an execution wrong; each change must
//! be found. Changes of edges stand in `edges`, all further changes here. What ranks read and write stands in `regions`.

mod edges;
mod regions;

use super::super::graph::{BlockOperation, LoweredGraph, Place, Work};
use super::super::program::{Input, MAX_STEPS, Program, Slot, Window};
use super::super::target::{MemoryLimits, ProductLimits, Target};
use super::super::tests::Fixture;
use super::super::{Axis, BlockLimits, ChunkLimits, Lowering};
use super::Written;
use crate::operation::{Class, Form, OpKind, Precision, Shape, Side, View};
use crate::time::TimeModel;
use crate::trace::Value;

/// A trace, and how it is lowered.
struct Case {
    name: &'static str,
    chunks: Vec<LoweredGraph>,
    /// Values that somebody holds, so that they are results.
    _held: Vec<Value>,
    _fixture: Fixture,
}

/// Blocks of up to 64 elements, and pieces in main memory if there are any.
fn small(memory: Option<MemoryLimits>) -> Target {
    let blocks = BlockLimits { block_elements: [64; 2], ..BlockLimits::paper() };
    let steps = if memory.is_some() { MAX_STEPS } else { 1 };
    Target { blocks, memory, steps, ..Target::paper(2) }
}

fn case(
    name: &'static str,
    (target, chunk): (Target, usize),
    record: impl FnOnce(&Fixture) -> Vec<Value>,
) -> Case {
    let fixture = Fixture::new();
    let held = record(&fixture);
    let trace = std::sync::Arc::new(fixture.recorder.seal_all().unwrap());
    let chunk_limits = ChunkLimits { operations: chunk, ..ChunkLimits::WHOLE };
    let model = TimeModel::of_host().unwrap();
    let mut lowering = Lowering::new(trace, &target, &model, &fixture.pool, chunk_limits);
    let chunks = std::iter::from_fn(|| lowering.next_chunk().unwrap()).collect();
    drop(lowering);
    Case { name, chunks, _held: held, _fixture: fixture }
}

fn products(f: &Fixture) -> Vec<Value> {
    let (a, b) = (f.constant(9, 20, Precision::Double), f.constant(20, 11, Precision::Double));
    let c = f.binary(OpKind::Multiply, &a, &b);
    let d = f.binary(OpKind::Add, &c, &f.constant(9, 1, Precision::Double));
    let e = f.binary(OpKind::Multiply, &d, &f.constant(11, 9, Precision::Double));
    vec![f.binary(OpKind::Multiply, &e, &e)]
}

fn elementwise(f: &Fixture) -> Vec<Value> {
    let (a, row) = (f.constant(18, 13, Precision::Double), f.constant(1, 13, Precision::Double));
    let sum = f.binary(OpKind::Subtract, &a, &row);
    let scaled = f
        .recorder
        .binary_scalar(OpKind::Divide, Form::ScalarLeft, &sum, 3.0, Class::Double, "", 0)
        .unwrap()
        .value;
    let root = f.recorder.unary(OpKind::Sqrt, &scaled, "", 0).unwrap().value;
    let outer = f.binary(OpKind::Multiply, &f.constant(18, 1, Precision::Double), &row);
    let single = f.recorder.convert(&root, Precision::Single, "", 0).unwrap().value;
    vec![f.binary(OpKind::Times, &root, &outer), single, sum]
}

/// Products with epilogues: with further inputs, with further results, with two products, of which one is in
/// the program, and with a product that is read twice.
fn epilogues(f: &Fixture) -> Vec<Value> {
    let single = |rows, columns| f.constant(rows, columns, Precision::Single);
    let (a, b) = (single(9, 20), single(20, 11));
    let c = f.binary(OpKind::Multiply, &a, &b);
    let d = f.binary(OpKind::NotEqual, &c, &single(9, 11));
    let e = f.binary(OpKind::Multiply, &d, &single(11, 9));
    let squared = f.binary(OpKind::Times, &e, &e);
    let held = f.binary(OpKind::Subtract, &squared, &single(1, 9));
    let other = f.binary(OpKind::Multiply, &single(9, 3), &single(3, 9));
    let g = f.binary(OpKind::Add, &held, &other);
    let h = f.binary(OpKind::Multiply, &g, &single(9, 1));
    vec![held, f.binary(OpKind::Divide, &h, &single(9, 1))]
}

fn moves(f: &Fixture) -> Vec<Value> {
    let a =
        f.binary(OpKind::Add, &f.constant(10, 14, Precision::Double), &f.constant(10, 1, Precision::Double));
    let view = |shape: Shape, view: View| f.recorder.view(&a, shape, view, "", 0).unwrap().value;
    let transposed = view(Shape { rows: 14, columns: 10 }, View::transpose(a.shape()));
    let slice = view(Shape { rows: 5, columns: 9 }, View::slice(a.shape(), (1, 2), (13, -1)));
    let joined = f.recorder.join(&transposed, &slice_of(f, &a), Side::Row, "", 0).unwrap().value;
    let below =
        f.recorder.join(&a, &f.constant(3, 14, Precision::Double), Side::Column, "", 0).unwrap().value;
    let repeated = f.recorder.repeat(&slice, (2, 2), "", 0).unwrap().value;
    let band = f.recorder.band(&a, -1, 2, "", 0).unwrap().value;
    let column = view(Shape { rows: 10, columns: 1 }, View::slice(a.shape(), (0, 1), (2, 1)));
    let diagonal = f.recorder.diagonal(&column, -2, "", 0).unwrap().value;
    vec![joined, below, repeated, band, diagonal]
}

/// A 14 x 3 part of a 10 x 14 matrix, reshaped.
fn slice_of(f: &Fixture, a: &Value) -> Value {
    let shape = Shape { rows: 14, columns: 3 };
    f.recorder.view(a, shape, View::reshape(14), "", 0).unwrap().value
}

fn reductions(f: &Fixture) -> Vec<Value> {
    let a = f.binary(
        OpKind::Add,
        &f.constant(40_000, 3, Precision::Single),
        &f.constant(40_000, 1, Precision::Single),
    );
    let reduce = |kind, side| f.recorder.reduce(kind, &a, side, "", 0).unwrap().value;
    let wide = f.constant(2, 40_000, Precision::Single);
    let along = f.recorder.reduce(OpKind::Sum, &wide, Side::Row, "", 0).unwrap().value;
    let cumulative = f.recorder.reduce(OpKind::CumulativeSum, &wide, Side::Row, "", 0).unwrap().value;
    let norm = f.recorder.norm(&a, "", 0).unwrap().value;
    vec![reduce(OpKind::Sum, Side::Column), reduce(OpKind::Maximum, Side::Row), along, cumulative, norm]
}

/// Products that read transposes in place: of a result in several blocks, twice, and of a vector.
fn products_of_transposes(f: &Fixture) -> Vec<Value> {
    let (a, b) = (f.constant(20, 9, Precision::Double), f.constant(20, 11, Precision::Double));
    let sum = f.binary(OpKind::Add, &a, &f.constant(20, 1, Precision::Double));
    let transposed = |a: &Value| {
        let shape = Shape { rows: a.shape().columns, columns: a.shape().rows };
        f.recorder.view(a, shape, View::transpose(a.shape()), "", 0).unwrap().value
    };
    let turned = transposed(&sum);
    let square = f.binary(OpKind::Multiply, &turned, &transposed(&f.constant(9, 20, Precision::Double)));
    let row = transposed(&f.constant(20, 1, Precision::Double));
    vec![square, f.binary(OpKind::Multiply, &turned, &b), f.binary(OpKind::Multiply, &row, &sum)]
}

fn panels(f: &Fixture) -> Vec<Value> {
    let (square, wide) = (f.constant(8, 8, Precision::Double), f.constant(8, 300, Precision::Double));
    let product = f.binary(OpKind::Multiply, &square, &wide);
    let difference = f.binary(OpKind::Subtract, &product, &wide);
    vec![f.binary(OpKind::Multiply, &square, &difference)]
}

fn cases() -> Vec<Case> {
    let alone = small(None);
    let pieces = small(Some(MemoryLimits { piece_bytes: 512, panel_bytes: 2048, ..MemoryLimits::default() }));
    // Products that are cut for caches read transposes in place.
    let product = ProductLimits { rows: 8, columns: [8; 2], inner: 16, tile_columns: 4 };
    let cached = small(Some(MemoryLimits {
        product: Some(product),
        piece_bytes: 512,
        panel_bytes: 2048,
        pieces: None,
    }));
    let with_chains = |target: Target| Target {
        blocks: BlockLimits { chain: 2, stretch: true, ..target.blocks },
        ..target
    };
    // Programs in local stores, for more MEUs than there are blocks.
    let programs = Target { steps: MAX_STEPS, even: true, meus: 8, ..with_chains(alone) };
    // Reductions are cut only where parts have thousands of elements.
    let large = Target { blocks: BlockLimits { block_elements: [1 << 20; 2], ..alone.blocks }, ..alone };
    let whole = usize::MAX;
    vec![
        case("products", (alone, whole), products),
        case("products in chunks", (alone, 7), products),
        case("chains", (with_chains(alone), whole), products),
        case("chains for eight MEUs", (programs, whole), products),
        case("epilogues", (programs, whole), epilogues),
        case("epilogues in chunks", (programs, 3), epilogues),
        case("element-wise", (alone, whole), elementwise),
        case("programs", (programs, whole), elementwise),
        case("programs in memory", (pieces, whole), elementwise),
        case("programs in memory in chunks", (pieces, 3), elementwise),
        case("moves", (alone, whole), moves),
        case("moves in memory", (with_chains(pieces), whole), moves),
        case("reductions", (large, whole), reductions),
        case("products of transposes", (cached, whole), products_of_transposes),
        case("products of transposes in chunks", (cached, 3), products_of_transposes),
        case("panels", (pieces, whole), panels),
        case("panels in chunks", (pieces, 5), panels),
    ]
}

/// Whether the chunks of a case, one of which is replaced, are found to be wrong.
fn finds(case: &Case, replaced: usize, by: &LoweredGraph) -> bool {
    let mut written = Written::default();
    let chunks = case.chunks.iter().enumerate();
    chunks
        .map(|(number, chunk)| if number == replaced { by } else { chunk })
        .any(|chunk| chunk.validate(&mut written).is_err())
}

fn edges(graph: &LoweredGraph) -> Vec<(u32, u32)> {
    let all = (0..graph.len() as u32)
        .flat_map(|source| graph.dependants(source).map(move |target| (source, target)));
    all.collect()
}

fn with_edges(graph: &LoweredGraph, edges: &[(u32, u32)]) -> LoweredGraph {
    let mut changed = graph.without_edges();
    edges.iter().for_each(|&(source, target)| changed.depend(source, target));
    changed
}

#[test]
fn every_case_is_right_as_it_is() {
    for case in cases() {
        let mut written = Written::default();
        for chunk in &case.chunks {
            assert_eq!(chunk.validate(&mut written), Ok(()), "{}", case.name);
        }
        assert!(case.chunks.last().is_some_and(|chunk| chunk.last), "{}", case.name);
    }
}

fn moved(place: Place, by: (i32, i32)) -> Option<Place> {
    let Place::Matrix { matrix, row, column } = place else { return None };
    let (row, column) = (row.checked_add_signed(by.0)?, column.checked_add_signed(by.1)?);
    Some(Place::Matrix { matrix, row, column })
}

const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// Every way in which one block operation is changed: what was done, and the result.
fn changes(block: &BlockOperation, matrices: u32) -> Vec<(String, BlockOperation)> {
    let mut changes = Vec::new();
    let mut add = |what: String, change: &dyn Fn(&mut BlockOperation)| {
        let mut changed = *block;
        change(&mut changed);
        if changed != *block {
            changes.push((what, changed));
        }
    };
    for by in DIRECTIONS {
        if let Some(place) = moved(block.result, by) {
            add(format!("result moved by {by:?}"), &|b| b.result = place);
        }
        for position in 0..2 {
            if let Some(place) = moved(block.operands[position], by) {
                add(format!("operand {position} moved by {by:?}"), &|b| b.operands[position] = place);
            }
            if matches!(block.work, Work::Product(..)) {
                add(format!("operand {position} stored the other way"), &|b| b.transposed[position] ^= true);
            }
            let (rows, columns) = block.operand_sides[position];
            let sides = (rows.saturating_add_signed(by.0 as i16), columns.saturating_add_signed(by.1 as i16));
            if block.operands[position] != Place::None {
                add(format!("sides of operand {position} are {sides:?}"), &|b| {
                    b.operand_sides[position] = sides
                });
            }
        }
        // All that belongs to the block goes elsewhere, or grows: only other operations show that this is
        // wrong.
        add(format!("all moved by {by:?}"), &|b| {
            let whole =
                [b.result, b.operands[0], b.operands[1]].map(|place| moved(place, by).unwrap_or(place));
            (b.result, b.operands) = (whole[0], [whole[1], whole[2]]);
        });
        add(format!("all grown by {by:?}"), &|b| {
            let grown = |(rows, columns): (u16, u16)| {
                (rows.saturating_add_signed(by.0 as i16), columns.saturating_add_signed(by.1 as i16))
            };
            b.operand_sides = b.operand_sides.map(grown);
            (b.rows, b.columns) = grown((b.rows, b.columns));
        });
        let (rows, columns) =
            (block.rows.saturating_add_signed(by.0 as i16), block.columns.saturating_add_signed(by.1 as i16));
        add(format!("{rows}x{columns}"), &|b| (b.rows, b.columns) = (rows, columns));
    }
    for position in 0..2 {
        match block.operands[position] {
            Place::Matrix { matrix, row, column } => {
                for other in (0..matrices).filter(|&other| other != matrix) {
                    let place = Place::Matrix { matrix: other, row, column };
                    add(format!("operand {position} in matrix {other}"), &|b| b.operands[position] = place);
                }
                add(format!("no operand {position}"), &|b| b.operands[position] = Place::None);
            }
            Place::Temporary(writer) => {
                for other in [writer.wrapping_sub(1), writer + 1] {
                    add(format!("operand {position} is t{other}"), &|b| {
                        b.operands[position] = Place::Temporary(other)
                    });
                }
            }
            Place::None => {}
        }
    }
    if let Place::Matrix { matrix, row, column } = block.result {
        for other in (0..matrices).filter(|&other| other != matrix) {
            add(format!("result in matrix {other}"), &|b| {
                b.result = Place::Matrix { matrix: other, row, column }
            });
        }
    }
    if let Work::Product(parts, epilogue) = block.work {
        add("fewer parts".into(), &|b| b.work = Work::Product(parts.section(0, 1), epilogue));
    }
    if let Work::Product(parts, Some(number)) = block.work {
        add("no epilogue".into(), &|b| b.work = Work::Product(parts, None));
        add("another epilogue".into(), &|b| b.work = Work::Product(parts, Some(number ^ 1)));
        add("no such epilogue".into(), &|b| b.work = Work::Product(parts, Some(number + 100)));
        add("an epilogue alone".into(), &|b| b.work = Work::Program(number));
    }
    if let Work::Program(number) = block.work {
        add("another program".into(), &|b| b.work = Work::Program(number + 100));
        add("a product".into(), &|b| b.work = Work::Product(Axis::whole(1), None));
        add("an epilogue".into(), &|b| b.work = Work::Product(Axis::whole(1), Some(number)));
    }
    if let Work::Reduce(kind) | Work::Move(kind) = block.work {
        let other = if kind == OpKind::Sum { OpKind::Product } else { OpKind::Sum };
        add("another reduction".into(), &|b| b.work = Work::Reduce(other));
        add("a move".into(), &|b| b.work = Work::Move(other));
    }
    changes
}

#[test]
fn a_change_of_a_block_operation_is_found() {
    let mut count = 0;
    for case in cases() {
        for (number, chunk) in case.chunks.iter().enumerate() {
            let step = chunk.len().div_ceil(25);
            for index in (0..chunk.len()).step_by(step) {
                for (what, changed) in changes(&chunk.operations[index], chunk.matrices.len() as u32) {
                    let mut graph = chunk.clone();
                    graph.operations[index] = changed;
                    count += 1;
                    let text = chunk.operation_text(index as u32);
                    assert!(finds(&case, number, &graph), "{}: b{index}: {text}: {what}", case.name);
                }
            }
        }
    }
    assert!(count > 3000, "{count}");
}

#[test]
fn a_second_writer_and_a_missing_one_are_found() {
    for case in cases() {
        for (number, chunk) in case.chunks.iter().enumerate() {
            for index in (0..chunk.len() as u32).step_by(5) {
                let mut twice = chunk.clone();
                let copy = twice.push(chunk.operations[index as usize]);
                edges(chunk)
                    .iter()
                    .filter(|edge| edge.1 == index)
                    .for_each(|edge| twice.depend(edge.0, copy));
                assert!(finds(&case, number, &twice), "{}: b{index} twice", case.name);
            }
            // The last operation is not read in its chunk.
            let mut less = with_edges(chunk, &edges(chunk)[..0]);
            less.operations.pop();
            let last = chunk.len() as u32 - 1;
            edges(chunk).iter().filter(|edge| edge.1 != last).for_each(|edge| less.depend(edge.0, edge.1));
            less.change_length();
            assert!(finds(&case, number, &less), "{}: without b{last}", case.name);
        }
    }
}

/// Another slot of this sort.
fn other(slot: Slot) -> Slot {
    match slot {
        Slot::Input(input) => Slot::Input(input + 1),
        Slot::Strip(strip) => Slot::Strip(strip + 1),
        Slot::Result(result) => Slot::Result(result + 1),
        Slot::None => Slot::Input(0),
    }
}

#[test]
fn a_change_of_a_step_is_found() {
    let mut count = 0;
    for case in cases() {
        for (number, chunk) in case.chunks.iter().enumerate() {
            // A chunk that ends before the sums of a product has the program of their additions, and no use
            // for it.
            let is_used = |&program: &usize| {
                let is_of = |block| {
                    let program = &chunk.programs()[program];
                    chunk.program(block).is_some_and(|other| std::sync::Arc::ptr_eq(program, other))
                };
                chunk.operations.iter().any(is_of)
            };
            for program in (0..chunk.programs().len()).filter(is_used) {
                let steps = chunk.programs()[program].steps.len();
                let mut check = |what: String, change: &dyn Fn(&mut Program)| {
                    let mut graph = chunk.clone();
                    change(graph.program_mut(program));
                    let inputs = |graph: &LoweredGraph| -> Vec<_> {
                        graph.operations.iter().map(|o| graph.inputs(o).collect::<Vec<_>>()).collect()
                    };
                    let steps = |graph: &LoweredGraph| graph.programs()[program].steps.clone();
                    if inputs(&graph) == inputs(chunk) && steps(&graph) == steps(chunk) {
                        return;
                    }
                    count += 1;
                    assert!(finds(&case, number, &graph), "{}: program {program}: {what}", case.name);
                };
                for step in 0..steps {
                    check(format!("kind of step {step}"), &|f| {
                        let kind = &mut f.steps[step].kind;
                        *kind = if *kind == OpKind::Mod { OpKind::Rem } else { OpKind::Mod };
                    });
                    check(format!("operation of step {step}"), &|f| f.steps[step].operation ^= 1);
                    check(format!("scalar of step {step}"), &|f| f.steps[step].scalar += 1.0);
                    check(format!("result of step {step}"), &|f| {
                        f.steps[step].result = other(f.steps[step].result);
                    });
                    for position in 0..2 {
                        check(format!("operand {position} of step {step}"), &|f| {
                            let slot = &mut f.steps[step].operands[position];
                            *slot = other(*slot);
                        });
                    }
                }
                for input in 0..chunk.programs()[program].inputs.len() {
                    let mut check = |what: &str, change: &dyn Fn(&mut Window)| {
                        check(format!("{what} of input {input}"), &|f| match &mut f.inputs[input] {
                            Input::Matrix(window) => change(window),
                            Input::Operand(position) => *position ^= 1,
                            Input::Sum => f.inputs[input] = Input::Operand(0),
                        });
                    };
                    check("rows", &|window| window.repeats.0 ^= true);
                    check("columns", &|window| window.repeats.1 ^= true);
                    check("shift", &|window| window.shift += 1);
                    check("matrix", &|window| window.matrix ^= 1);
                }
                for result in 0..chunk.programs()[program].results.len() {
                    check(format!("shift of result {result}"), &|f| f.results[result].shift += 1);
                    check(format!("matrix of result {result}"), &|f| f.results[result].matrix ^= 1);
                }
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn two_results_in_one_matrix_are_found() {
    let case = cases().swap_remove(0);
    let mut graph = case.chunks[0].clone();
    let last = graph.matrices.len() - 1;
    for other in 0..last {
        graph.matrices[last] = std::sync::Arc::clone(&graph.matrices[other]);
        assert!(finds(&case, 0, &graph), "matrix {other}");
    }
}
