//! Edges that are missing or too many, and wrong guard counts.

use super::{Written, cases, edges, finds, with_edges};
use crate::lower::graph::{LoweredGraph, Work};
use crate::operation::OpKind;

/// Whether lowering may make more edges to an operation than it needs: one for each writer in a rectangle
/// around what it reads.
fn waits_roughly(graph: &LoweredGraph, target: u32) -> bool {
    graph.operations[target as usize].work.reads_anywhere()
}

#[test]
fn a_missing_edge_is_found() {
    let mut found = 0;
    for case in cases() {
        for (number, chunk) in case.chunks.iter().enumerate() {
            let edges = edges(chunk);
            for removed in 0..edges.len() {
                let mut rest = edges.clone();
                let (source, target) = rest.remove(removed);
                let is_found = finds(&case, number, &with_edges(chunk, &rest));
                found += u32::from(is_found);
                assert!(is_found || waits_roughly(chunk, target), "{}: b{source} to b{target}", case.name);
            }
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn a_missing_edge_to_a_transpose_or_diagonal_is_found() {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == "moves").unwrap();
    for (number, chunk) in case.chunks.iter().enumerate() {
        let edges = edges(chunk);
        for removed in 0..edges.len() {
            let mut rest = edges.clone();
            let (source, target) = rest.remove(removed);
            let operation = &chunk.operations[target as usize];
            // The rectangle around the elements of a slice with steps, of a reshaped matrix and of a
            // repetition has more.
            let is_transpose = operation.work == Work::Move(OpKind::View) && operation.operation == 1;
            if is_transpose || operation.work == Work::Move(OpKind::Diagonal) {
                assert!(finds(case, number, &with_edges(chunk, &rest)), "b{source} to b{target}");
            }
        }
    }
}

#[test]
fn an_edge_too_many_is_found() {
    for case in cases() {
        for (number, chunk) in case.chunks.iter().enumerate() {
            let edges = edges(chunk);
            for target in (1..chunk.len() as u32).filter(|&target| !waits_roughly(chunk, target)) {
                let mut more = edges.clone();
                more.push((target - 1, target));
                assert!(finds(&case, number, &with_edges(chunk, &more)), "{}: to b{target}", case.name);
            }
        }
    }
}

#[test]
fn a_wrong_guard_count_is_found() {
    let mut case = cases().swap_remove(0);
    for index in 0..case.chunks[0].len() {
        case.chunks[0].change_guard(index, 1);
        assert!(case.chunks[0].validate(&mut Written::default()).is_err(), "b{index}");
        case.chunks[0].change_guard(index, -1);
    }
}
