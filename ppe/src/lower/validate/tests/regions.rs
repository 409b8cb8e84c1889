//! What travels to the rank that executes a block operation: all that it must read, and what it writes is a shard.

use super::super::needs::{Elements, Need, Needs};
use super::*;
use crate::lower::{Held, ShardLimits};
use crate::operation::Shape;

/// Shards of up to 16 x 16 elements, and programs and transposes in place as MEUs in main memory have them.
fn on_ranks() -> Target {
    let product = ProductLimits { rows: 8, columns: [8; 2], inner: 16, tile_columns: 4 };
    let memory = MemoryLimits { product: Some(product), piece_bytes: 512, panel_bytes: 2048, pieces: None };
    let target = small(Some(memory));
    let blocks = BlockLimits { chain: 2, stretch: true, ..target.blocks };
    Target { blocks, shards: Some(ShardLimits { side: 16 }), ..target }
}

/// Operations of all kinds on matrices of several shards, whose borders the operations do not respect.
fn across_shards(f: &Fixture) -> Vec<Value> {
    let a =
        f.binary(OpKind::Add, &f.constant(50, 40, Precision::Double), &f.constant(1, 40, Precision::Double));
    let view = |a: &Value, rows, columns, view: View| {
        f.recorder.view(a, Shape { rows, columns }, view, "", 0).unwrap().value
    };
    let transposed = view(&a, 40, 50, View::transpose(a.shape()));
    let product = f.binary(OpKind::Multiply, &transposed, &a);
    let steps = view(&a, 20, 9, View::slice(a.shape(), (45, -2), (3, 4)));
    let reshaped = view(&a, 25, 80, View::reshape(25));
    let repeated = f.recorder.repeat(&steps, (3, 2), "", 0).unwrap().value;
    let joined = f.recorder.join(&a, &product, Side::Column, "", 0).unwrap().value;
    let band = f.recorder.band(&joined, -30, 2, "", 0).unwrap().value;
    let column = view(&a, 50, 1, View::slice(a.shape(), (0, 1), (2, 1)));
    let diagonal = f.recorder.diagonal(&column, -20, "", 0).unwrap().value;
    let reduce = |kind, side| f.recorder.reduce(kind, &joined, side, "", 0).unwrap().value;
    let sums = [Side::Column, Side::Row].map(|side| reduce(OpKind::Sum, side));
    let running = [Side::Column, Side::Row].map(|side| reduce(OpKind::CumulativeSum, side));
    let norm = f.recorder.norm(&reshaped, "", 0).unwrap().value;
    let truth = f.binary(OpKind::Less, &repeated, &f.constant(60, 1, Precision::Double));
    [vec![product, reshaped, band, diagonal, norm, truth], sums.into(), running.into()].concat()
}

fn contains(outer: (u32, u32, u32, u32), (row, column): (u32, u32)) -> bool {
    let within = |first: u32, count: u32, at: u32| at >= first && at - first < count;
    within(outer.0, outer.2, row) && within(outer.1, outer.3, column)
}

fn corners((row, column, rows, columns): (u32, u32, u32, u32)) -> [(u32, u32); 2] {
    [(row, column), (row + rows - 1, column + columns - 1)]
}

#[test]
fn all_that_an_operation_reads_travels_and_it_writes_whole_shards() {
    let target = on_ranks();
    for record in [across_shards, products, elementwise, moves, reductions, products_of_transposes, panels] {
        let case = case("ranks", (target, 40), record);
        let mut written = Written::default();
        for graph in &case.chunks {
            graph.validate(&mut written).unwrap();
            assert_eq!(graph.shards.len(), graph.matrices.len());
            assert!(graph.matrices.iter().zip(&graph.origins).all(|(matrix, origin)| {
                matches!(origin.0, crate::trace::Operand::Constant(_)) || !matrix.is_here()
            }));
            let mut needs = Needs::new(graph);
            for index in 0..graph.len() as u32 {
                let read: Vec<_> = graph.regions_read(index).into_iter().flatten().collect();
                let travels = |operand, at| {
                    read.iter().any(|held| match *held {
                        Held::Matrix(matrix, region) => {
                            graph.origins[matrix as usize].0 == operand && contains(region, at)
                        }
                        Held::Temporary(_) => false,
                    })
                };
                for need in needs.of(index).unwrap().reads {
                    match need {
                        Need::Temporary(writer) => {
                            assert!(read.contains(&Held::Temporary(writer)), "b{index}")
                        }
                        Need::Elements(operand, Elements::Region(region)) => {
                            let ends = corners(region);
                            assert!(
                                ends.iter().all(|&at| travels(operand, at)),
                                "b{index} {region:?} {read:?}"
                            );
                        }
                        Need::Elements(operand, Elements::List(list)) => {
                            assert!(list.iter().all(|&at| travels(operand, at)), "b{index} {read:?}");
                        }
                    }
                }
                for held in graph.regions_written(index) {
                    let Held::Matrix(matrix, region) = held else { continue };
                    let grid = graph.shards[matrix as usize];
                    let part = |axis: Axis, first, count| {
                        let found = axis.overlapping(first, count);
                        (found.start() == found.end())
                            .then(|| (axis.offset(*found.start()), axis.logical(*found.start())))
                    };
                    assert_eq!(part(grid.rows, region.0, region.2), Some((region.0, region.2)), "b{index}");
                    assert_eq!(
                        part(grid.columns, region.1, region.3),
                        Some((region.1, region.3)),
                        "b{index}"
                    );
                }
            }
        }
    }
}
