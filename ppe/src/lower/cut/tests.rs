use super::*;
use crate::lower::BlockLimits;
use crate::lower::{MemoryLimits, ProductLimits};
use proptest::prelude::*;

/// Fetching and writing a block costs 10 ns and a column 10 ns, a multiply-add and an operation on an element 1 ns.
fn model() -> TimeModel {
    let mut execute = [[[10.0, 4.0, 0.0, 0.0, 0.0, 0.0]; 2]; OpKind::ALL.len()];
    // A vector of a host has 16 singles.
    execute[OpKind::Multiply as usize] =
        [[10.0, 0.0, 16.0, 16.0, 16.0, 0.0], [10.0, 0.0, 8.0, 8.0, 8.0, 0.0]];
    let nothing = [[0.0; 6]; 2];
    let transfer = [[0.0, 10.0, 10.0, 0.0, 0.0, 0.0]; 2];
    TimeModel {
        memory: None,
        fetch: transfer,
        write: transfer,
        turn: nothing,
        part: nothing,
        program: nothing,
        in_memory: nothing,
        execute,
    }
}

fn even(meus: usize) -> Target {
    Target { even: true, ..Target::paper(meus) }
}

/// The blocks of a product, and the cut of its inner side.
fn product_cut(target: &Target, shape: Shape, inner: u32, precision: Precision) -> (Grid, Axis) {
    let along = target.inner_axis(shape, inner, precision);
    (target.product_cut(shape, along, precision, None, &model()), along)
}

fn parts(grid: Grid) -> (u32, u32) {
    (grid.rows.parts(), grid.columns.parts())
}

#[test]
fn products_in_main_memory_are_cut_for_caches_and_for_meus() {
    let product = ProductLimits { rows: 240, columns: [720, 384], inner: 256, tile_columns: 24 };
    let cut = |rows, columns, inner, meus| {
        let memory = MemoryLimits { product: Some(product), ..MemoryLimits::default() };
        let target = Target { memory: Some(memory), ..Target::paper(meus) };
        let (grid, inner) = product_cut(&target, Shape { rows, columns }, inner, Precision::Single);
        (grid.rows.parts(), grid.columns.parts(), inner.parts(), inner.padded(0))
    };
    assert_eq!(cut(1440, 1440, 1440, 2), (6, 2, 6, 240));
    assert_eq!(cut(480, 480, 480, 2), (4, 1, 2, 240)); // as many blocks for each MEU
    assert_eq!(cut(480, 480, 480, 3), (6, 2, 2, 240));
    assert_eq!(cut(50, 50, 50, 2), (1, 1, 1, 64)); // not worth cutting
    assert_eq!(cut(200, 200, 200, 1), (1, 1, 1, 208)); // for nobody else
    assert_eq!(cut(8, 400_000, 64, 2).0, 1); // thin ones have longer blocks
    assert_eq!(cut(400_000, 1, 64, 2).1, 1);
    assert_eq!(cut(0, 5, 0, 2), (0, 1, 0, 0));
}

#[test]
fn local_stores_get_as_many_blocks_each() {
    let shape = |rows, columns| Shape { rows, columns };
    let product = |target: &Target, n| product_cut(target, shape(n, n), n, Precision::Single);
    let (paper, inner) = product(&Target::paper(8), 180);
    assert_eq!((parts(paper), inner.parts()), ((2, 2), 2));
    let (grid, cut) = product(&even(8), 180);
    assert_eq!((idle(grid), cut), (0, inner));
    // One MEU has nothing to even out, and many blocks are even enough.
    assert_eq!(parts(product(&even(1), 180).0), (2, 2));
    assert_eq!(parts(product(&even(8), 1440).0), (15, 15));
    // Of 6 x 6 blocks the last round has four.
    assert_eq!(idle(product(&Target::paper(8), 576).0), 4);
    assert_eq!(idle(product(&even(8), 576).0), 0);
}

/// A product among many is executed as a whole, and so is an element-wise operation.
#[test]
fn operations_in_main_memory_have_as_many_pieces_as_their_share_asks_for() {
    let product = ProductLimits { rows: 240, columns: [720, 384], inner: 256, tile_columns: 24 };
    let memory = MemoryLimits { product: Some(product), ..MemoryLimits::default() };
    let target = Target { memory: Some(memory), ..Target::paper(2) };
    let square = |side| Shape { rows: side, columns: side };
    let pieces = |target: &Target| parts(product_cut(target, square(96), 96, Precision::Single).0);
    assert_eq!(pieces(&target), (2, 1)); // worth three pieces
    assert_eq!(
        [1, 2, 3, 9].map(|count| pieces(&target.with_pieces(count))),
        [(1, 1), (2, 1), (3, 1), (2, 1)]
    );
    // However many wait, no block is larger than what caches hold.
    assert_eq!(parts(product_cut(&target.with_pieces(1), square(1440), 1440, Precision::Single).0), (6, 2));
    let outline =
        Outline { kinds: vec![OpKind::Add], repeats: vec![(false, false); 2], results: 1, strips: 0 };
    let precisions = (Precision::Double, Precision::Double);
    let pieces = |target: &Target, side| {
        let grid = target.program_cut(square(side), precisions, &outline, None, &model());
        grid.rows.parts() * grid.columns.parts()
    };
    assert_eq!((pieces(&target, 96), pieces(&target.with_pieces(1), 96)), (4, 1));
    assert_eq!((pieces(&target, 1000), pieces(&target.with_pieces(1), 1000)), (32, 32));
}

/// MEUs of eight that have nothing to do in the last round.
fn idle(grid: Grid) -> u32 {
    let (rows, columns) = parts(grid);
    (rows * columns).next_multiple_of(8) - rows * columns
}

#[test]
fn a_block_that_is_hardly_worth_an_operation_is_not_cut() {
    let outline =
        Outline { kinds: vec![OpKind::Add], repeats: vec![(false, false); 2], results: 1, strips: 0 };
    let shape = |rows, columns| Shape { rows, columns };
    let precisions = (Precision::Single, Precision::Single);
    let cut = |shape| even(8).program_cut(shape, precisions, &outline, None, &model());
    assert_eq!(parts(cut(shape(4, 1))), (1, 1));
    let large = cut(shape(96, 96));
    assert_eq!((idle(large), large.columns.parts()), (0, 8));
}

#[test]
fn blocks_of_a_program_fit_the_local_store() {
    for inputs in 1..=8 {
        for (repeated, results, strips) in [(0, 1, 0), (1, 1, 15), (inputs - 1, 4, 3)] {
            let repeats = (0..inputs).map(|input| (false, input < repeated)).collect();
            let outline = Outline { kinds: vec![OpKind::Add; 8], repeats, results, strips };
            for precision in Precision::ALL {
                for shape in [(1, 100_000), (100_000, 1), (700, 700), (3, 5)] {
                    let shape = Shape { rows: shape.0, columns: shape.1 };
                    for target in [Target::paper(8), even(8)] {
                        let grid =
                            target.program_cut(shape, (precision, precision), &outline, None, &model());
                        let sides = (grid.rows.padded(0) as usize, grid.columns.padded(0) as usize);
                        let inputs = outline.repeats.iter().copied();
                        assert!(
                            target.room.fits(sides, precision, inputs, results, strips),
                            "{shape}: {sides:?} {outline:?}"
                        );
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn the_cut_of_the_inner_side_depends_on_shapes_and_blocks_alone(
        rows in 1u32..3000, columns in 1u32..3000, inner in 1u32..3000, meus in 1usize..10, single: bool,
    ) {
        let precision = if single { Precision::Single } else { Precision::Double };
        let shape = Shape { rows, columns };
        let with_bandwidth = Target { bandwidth: Some(25.6), ..even(meus) };
        let on_cell = product_cut(&with_bandwidth, shape, inner, precision).1;
        prop_assert_eq!(on_cell, BlockLimits::paper().product_grid(shape, inner, precision).1);
        let product = ProductLimits { rows: 240, columns: [720, 384], inner: 256, tile_columns: 24 };
        let memory = MemoryLimits { product: Some(product), ..MemoryLimits::default() };
        let in_memory = Target { memory: Some(memory), ..Target::paper(meus) };
        let cut = product_cut(&in_memory, shape, inner, precision).1;
        prop_assert_eq!(cut, if single { product.inner_axis(inner as usize, precision) } else { on_cell });
    }
}
