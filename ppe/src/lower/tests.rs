use super::*;
use crate::matrix::Matrix;
use crate::operation::{Class, Precision, Shape};
use crate::trace::{Limits, Operand, Recorder, Value};

/// Chunks of so many block operations.
fn chunk(operations: usize) -> ChunkLimits {
    ChunkLimits { operations, ..ChunkLimits::WHOLE }
}

/// Blocks of up to 64 elements, and chains of so many products.
fn small(chain: usize) -> Target {
    let blocks = BlockLimits { block_elements: [64; 2], chain, ..BlockLimits::paper() };
    Target { blocks, ..Target::paper(1) }
}

/// Records traces without an engine.
pub(super) struct Fixture {
    pub(super) recorder: Recorder,
    pub(super) pool: Pool,
}

impl Fixture {
    pub(super) fn new() -> Fixture {
        let pool = Pool::new(0, false);
        let limits = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };
        Fixture { recorder: Recorder::new(limits, pool.clone()), pool }
    }

    pub(super) fn constant(&self, rows: u32, columns: u32, precision: Precision) -> Value {
        let matrix = Matrix::zeros(Shape { rows, columns }, precision, &self.pool).unwrap();
        self.recorder.constant(matrix, Class::from(precision)).unwrap()
    }

    pub(super) fn binary(&self, kind: OpKind, a: &Value, b: &Value) -> Value {
        self.recorder.binary(kind, a, b, "", 0).unwrap().value
    }

    fn lower(&self, target: Target, operations: usize) -> (Vec<LoweredGraph>, LoweredSize) {
        let (trace, model) = (Arc::new(self.recorder.seal_all().unwrap()), TimeModel::of_host().unwrap());
        let mut lowering = Lowering::new(trace, &target, &model, &self.pool, chunk(operations));
        let (mut chunks, mut written) = (Vec::new(), Written::default());
        while let Some(graph) = lowering.next_chunk().unwrap() {
            graph.validate(&mut written).unwrap();
            assert!(!petgraph::algo::is_cyclic_directed(&graph.to_petgraph()));
            chunks.push(graph);
        }
        assert!(chunks.iter().rev().skip(1).all(|graph| !graph.last) && chunks.last().unwrap().last);
        (chunks, lowering.size())
    }
}

#[test]
fn a_product_becomes_products_and_pairwise_sums() {
    let f = Fixture::new();
    let a = f.constant(4, 40, Precision::Double);
    let b = f.constant(40, 6, Precision::Double);
    let c = f.binary(OpKind::Multiply, &a, &b);
    let target = small(1);
    let (chunks, size) = f.lower(target, usize::MAX);
    let expected = "\
b0: t0 = multiply(c0[0,0], c1[0,0]) 4x6 guard 0
b1: t1 = multiply(c0[0,8], c1[8,0]) 4x6 guard 0
b2: t2 = multiply(c0[0,16], c1[16,0]) 4x6 guard 0
b3: t3 = multiply(c0[0,24], c1[24,0]) 4x6 guard 0
b4: t4 = multiply(c0[0,32], c1[32,0]) 4x6 guard 0
b5: t5 = add(t0, t1) 4x6 guard 2
b6: t6 = add(t2, t3) 4x6 guard 2
b7: t7 = add(t4, t5) 4x6 guard 2
b8: %0[0,0] = add(t6, t7) 4x6 guard 2
";
    assert_eq!(chunks[0].to_string(), expected);
    assert_eq!(size, LoweredSize { nodes: 9 + 5 + 5, edges: 18 });
    drop(c);
}

#[test]
fn chains_sum_up_products_and_are_added_in_pairs() {
    let f = Fixture::new();
    let a = f.constant(4, 40, Precision::Double);
    let b = f.constant(40, 6, Precision::Double);
    let c = f.binary(OpKind::Multiply, &a, &b);
    let target = small(2);
    let (chunks, size) = f.lower(target, usize::MAX);
    let expected = "\
b0: t0 = multiply(c0[0,0], c1[0,0]) x2 4x6 guard 0
b1: t1 = multiply(c0[0,16], c1[16,0]) x2 4x6 guard 0
b2: t2 = multiply(c0[0,32], c1[32,0]) 4x6 guard 0
b3: t3 = add(t0, t1) 4x6 guard 2
b4: %0[0,0] = add(t2, t3) 4x6 guard 2
";
    assert_eq!(chunks[0].to_string(), expected);
    assert_eq!(size, LoweredSize { nodes: 5 + 5 + 5, edges: 14 });
    drop(c);
}

#[test]
fn a_program_is_the_epilogue_of_the_product_that_it_reads() {
    let f = Fixture::new();
    let constant = |rows, columns| f.constant(rows, columns, Precision::Double);
    let (a, b, z, row) = (constant(4, 20), constant(20, 6), constant(4, 6), constant(1, 6));
    let sum = f.binary(OpKind::Multiply, &a, &b);
    let comparison = f.binary(OpKind::NotEqual, &sum, &z);
    let held = f.binary(OpKind::Multiply, &a, &b);
    let squared = f.binary(OpKind::Times, &f.binary(OpKind::Subtract, &held, &row), &held);
    drop(sum);
    let target = Target { steps: MAX_STEPS, ..small(3) };
    let (chunks, _) = f.lower(target, usize::MAX);
    let expected = "\
b0: sum = multiply(c0[0,0], c1[0,0]) x3; %1[0,0] = not-equal(sum, c2[0,0]) 4x6 guard 0
b1: %2[0,0] = multiply(c0[0,0], c1[0,0]) x3 4x6 guard 0
b2: s0 = subtract(%2[0,0], c3[0,0]); %4[0,0] = times(s0, %2[0,0]) 4x6 guard 1
";
    assert_eq!(chunks[0].to_string(), expected);
    drop((comparison, held, squared));
}

#[test]
fn a_sum_of_several_block_operations_has_no_epilogue() {
    let f = Fixture::new();
    let (a, b) = (f.constant(4, 40, Precision::Double), f.constant(40, 6, Precision::Double));
    let sum = f.binary(OpKind::Multiply, &a, &b);
    let squared = f.binary(OpKind::Times, &sum, &sum);
    drop(sum);
    let target = Target { steps: MAX_STEPS, ..small(2) };
    let (chunks, _) = f.lower(target, usize::MAX);
    let last = chunks[0].len() as u32 - 1;
    assert_eq!(chunks[0].operation_text(last), "%1[0,0] = times(%0[0,0], %0[0,0]) 4x6");
    drop(squared);
}

#[test]
fn blocks_of_a_power_are_emitted_row_by_row() {
    let f = Fixture::new();
    let a = f.constant(12, 12, Precision::Double);
    let square = f.binary(OpKind::Multiply, &a, &a);
    let cube = f.binary(OpKind::Multiply, &square, &a);
    let target = Target { even: true, ..small(4) };
    let (chunks, _) = f.lower(target, usize::MAX);
    let places: Vec<_> = chunks[0]
        .operations
        .iter()
        .map(|operation| match operation.result {
            Place::Matrix { row, column, .. } => (operation.operation, row, column),
            _ => (u32::MAX, 0, 0),
        })
        .collect();
    let by_columns = [(0, 0, 0), (0, 6, 0), (0, 0, 6), (0, 6, 6)];
    let by_rows = [(1, 0, 0), (1, 0, 6), (1, 6, 0), (1, 6, 6)];
    assert_eq!(places, [by_columns, by_rows].concat());
    drop((square, cube));
}

#[test]
fn vectors_repeat_and_scalars_need_no_block() {
    let f = Fixture::new();
    let column = f.constant(10, 1, Precision::Double);
    let row = f.constant(1, 10, Precision::Double);
    let table = f.binary(OpKind::Add, &column, &row);
    let target = small(1);
    let (chunks, _) = f.lower(target, usize::MAX);
    let expected = "\
b0: %0[0,0] = add(c0[0,0], c1[0,0]) 6x6 guard 0
b1: %0[6,0] = add(c0[6,0], c1[0,0]) 4x6 guard 0
b2: %0[0,6] = add(c0[0,0], c1[0,6]) 6x4 guard 0
b3: %0[6,6] = add(c0[6,0], c1[0,6]) 4x4 guard 0
";
    assert_eq!(chunks[0].to_string(), expected);
    let sides: Vec<_> = chunks[0].inputs(&chunks[0].operations[0]).map(|(_, sides)| sides).collect();
    assert_eq!(sides, [(6, 1), (1, 6)]);
    drop(table);
}

#[test]
fn an_operand_used_twice_counts_twice() {
    let f = Fixture::new();
    let a = f.constant(2, 2, Precision::Double);
    let b = f.binary(OpKind::Add, &a, &a);
    let c = f.binary(OpKind::Multiply, &b, &b);
    let (chunks, _) = f.lower(Target::paper(1), usize::MAX);
    assert_eq!(chunks[0].guards(), [0, 2]);
    assert_eq!(chunks[0].dependants(0).collect::<Vec<_>>(), [1, 1]);
    drop((b, c));
}

#[test]
fn conversions_join_the_two_partitions() {
    let f = Fixture::new();
    let double = f.constant(200, 200, Precision::Double);
    let single = f.constant(200, 200, Precision::Single);
    let doubled = f.binary(OpKind::Add, &double, &double);
    let mixed = f.binary(OpKind::Add, &doubled, &single); // converts doubled to single
    let back = f.recorder.convert(&mixed, Precision::Double, "", 0).unwrap().value;
    let last = f.binary(OpKind::Add, &back, &doubled);
    let (chunks, _) = f.lower(Target::paper(1), usize::MAX);
    let graph = &chunks[0];
    // 4x4 double blocks of up to 66, 3x3 single blocks of up to 96: the middle block of a conversion meets
    // 2x2 or 3x3 others.
    let is_conversion =
        |o: &BlockOperation| graph.steps(o).first().is_some_and(|step| step.kind == OpKind::Convert);
    let convert = graph.operations.iter().position(is_conversion).unwrap();
    assert!(graph.guards()[convert] >= 4, "{}", graph.guards()[convert]);
    for operation in graph.operations.iter().filter(|o| is_conversion(o)) {
        let inputs = graph.inputs(operation).map(|(place, _)| place);
        for place in inputs.chain([operation.result]) {
            if let Some((ea, _)) = graph.address(place) {
                assert_eq!(ea % 16, 0);
            }
        }
    }
    drop((mixed, last));
}

#[test]
fn chunks_add_up_to_the_whole() {
    let build = || {
        let f = Fixture::new();
        let a = f.constant(300, 300, Precision::Single);
        let mut x = a.clone();
        for _ in 0..3 {
            x = f.binary(OpKind::Multiply, &x, &a);
            x = f.binary(OpKind::Add, &x, &a);
        }
        (f, x)
    };
    let (f, _x) = build();
    let (whole, size) = f.lower(Target::paper(1), usize::MAX);
    let (f, _x) = build();
    let (parts, parts_size) = f.lower(Target::paper(1), 50);
    assert!(parts.len() > 5 && whole.len() == 1);
    assert_eq!(parts_size, size);
    assert_eq!(parts.iter().map(LoweredGraph::len).sum::<usize>(), whole[0].len());
}

#[test]
fn memory_of_intermediate_values_is_given_back() {
    let f = Fixture::new();
    let a = f.constant(500, 500, Precision::Double);
    let mut x = a.clone();
    for _ in 0..20 {
        x = f.binary(OpKind::Add, &x, &a);
    }
    let trace = Arc::new(f.recorder.seal_all().unwrap());
    let model = TimeModel::of_host().unwrap();
    let mut lowering = Lowering::new(trace, &Target::paper(1), &model, &f.pool, chunk(64));
    let (mut written, mut released) = (0, 0);
    while let Some(chunk) = lowering.next_chunk().unwrap() {
        written += chunk.written_bytes();
        released += chunk.released_bytes;
    }
    let (_, peak) = f.pool.used_bytes();
    assert!(peak < 6 * 500 * 500 * 8 * 5 / 4, "{peak}");
    // The last result is kept.
    let bytes = x.shape().elements() * 8;
    assert_eq!((written, released), (20 * bytes, 19 * bytes));
}

#[test]
fn the_first_chunks_are_short_and_each_may_have_twice_as_many_operations() {
    let f = Fixture::new();
    let a = f.constant(500, 500, Precision::Double);
    let sums: Vec<_> = (0..4).map(|_| f.binary(OpKind::Add, &a, &a)).collect();
    let trace = Arc::new(f.recorder.seal_all().unwrap());
    let model = TimeModel::of_host().unwrap();
    let limits = ChunkLimits { first: 10, ..chunk(64) };
    let mut lowering = Lowering::new(trace, &Target::paper(1), &model, &f.pool, limits);
    let lengths: Vec<_> =
        std::iter::from_fn(|| lowering.next_chunk().unwrap()).map(|chunk| chunk.len()).collect();
    assert_eq!(lengths, [10, 20, 40, 64, 64, 58]);
    drop(sums);
}

#[test]
fn a_chunk_has_memory_for_so_many_bytes_of_results() {
    let f = Fixture::new();
    let a = f.constant(64, 64, Precision::Double);
    let large = f.constant(64, 640, Precision::Double);
    let sums: Vec<_> = (0..7).map(|_| f.binary(OpKind::Add, &a, &a)).collect();
    let larger = f.binary(OpKind::Add, &large, &large);
    let trace = Arc::new(f.recorder.seal_all().unwrap());
    let model = TimeModel::of_host().unwrap();
    assert_eq!(trace.bytes, 8 * (8 * 64 * 64 + 2 * 64 * 640));
    let limits = ChunkLimits { bytes: 3 * 8 * 64 * 64, ..ChunkLimits::WHOLE };
    let mut lowering = Lowering::new(trace, &Target::paper(1), &model, &f.pool, limits);
    let mut results = Vec::new();
    while let Some(chunk) = lowering.next_chunk().unwrap() {
        let is_result = |origin: &&(Operand, u32)| matches!(origin.0, Operand::Operation(_));
        results.push(chunk.origins.iter().filter(is_result).count());
    }
    assert_eq!(results, [3, 3, 1, 1]);
    drop((sums, larger));
}

#[test]
fn wide_intermediate_results_take_the_memory_of_panels() {
    let f = Fixture::new();
    let (square, wide) = (f.constant(8, 8, Precision::Double), f.constant(8, 40_000, Precision::Double));
    let product = f.binary(OpKind::Multiply, &square, &wide);
    let difference = f.binary(OpKind::Subtract, &product, &wide);
    let result = f.binary(OpKind::Multiply, &square, &difference);
    drop((product, difference));
    let trace = Arc::new(f.recorder.seal_all().unwrap());
    let model = TimeModel::of_host().unwrap();
    let limits = ChunkLimits { operations: 200, bytes: 1 << 20, ..ChunkLimits::WHOLE };
    let memory = MemoryLimits { panel_bytes: 64 << 10, ..MemoryLimits::default() };
    let target = Target { memory: Some(memory), steps: MAX_STEPS, ..Target::paper(2) };
    let mut lowering = Lowering::new(trace, &target, &model, &f.pool, limits);
    let (mut chunks, mut elements, mut written) = (0, [0; 3], Written::default());
    let mut most_panels = 0;
    while let Some(chunk) = lowering.next_chunk().unwrap() {
        chunk.validate(&mut written).unwrap();
        chunks += 1;
        let matrices = chunk.origins.iter().zip(&chunk.matrices);
        let panels: Vec<_> = matrices.filter(|(origin, _)| origin.0 == Operand::Operation(1)).collect();
        let apart: std::collections::HashSet<_> =
            panels.iter().map(|(_, matrix)| Arc::as_ptr(matrix)).collect();
        // Two for each of two MEUs.
        assert!(apart.len() <= 4, "{} of {}", apart.len(), panels.len());
        most_panels = most_panels.max(panels.len());
        for operation in &chunk.operations {
            elements[operation.operation as usize] +=
                u32::from(operation.rows) * u32::from(operation.columns);
        }
    }
    // Every element of each is computed once, in several chunks.
    assert!(chunks > 3 && most_panels > 10, "{chunks}, {most_panels}");
    assert_eq!(elements, [8 * 40_000; 3]);
    let (_, peak) = f.pool.used_bytes();
    assert!(peak < 2 * 8 * 40_000 * 8 * 5 / 4 + (2 << 20), "{peak}");
    drop(result);
}
