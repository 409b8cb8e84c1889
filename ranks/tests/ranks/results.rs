//! Ranks give the bits of one machine, send what must be sent and no more, and leave small work where it is.

use crate::losses::rank_after;
use crate::{all_to_ranks, alone, bits, constant, one_at_a_time, processes, shown};
use pmatrix::error::Error;
use pmatrix::lang::RunOptions;
use pmatrix::lang::random::{self, RandomOptions, exact_operations};
use pmatrix::matrix::Constructor;
use pmatrix::operation::{Class, Form, OpKind, Precision, Shape, Side};
use pmatrix::session::{Options, Session};
use pmatrix::trace::Value;

#[test]
fn the_nine_programs_have_the_bits_of_one_machine() {
    let Some(_turn) = one_at_a_time() else { return };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ppe/benchmarks/traces");
    for (number, (name, shard)) in [
        ("dft", 128),
        ("hill", 512),
        ("hits", 256),
        ("kmeans", 512),
        ("leontief", 512),
        ("markov", 512),
        ("neural", 512),
        ("reachability", 512),
        ("synth", 512),
    ]
    .into_iter()
    .enumerate()
    {
        let source = std::fs::read_to_string(format!("{folder}/{name}.trace")).unwrap();
        let precision = if number % 2 == 0 { Precision::Double } else { Precision::Single };
        let options = RunOptions { precision, ..RunOptions::default() };
        let expected = shown(&source, name, options, &alone());
        let session = Session::new(&all_to_ranks(2, shard)).unwrap();
        assert_eq!(shown(&source, name, options, &session), expected, "{name}");
        assert!(session.ranks().unwrap().traces > 0, "{name}");
    }
}

#[test]
fn random_programs_have_the_bits_of_one_machine() {
    let Some(_turn) = one_at_a_time() else { return };
    // Six ranks are more than most of these matrices have shards.
    // With little memory they give up copies all the time.
    let (much, little) = (Options::default().ranks_memory, 100 << 10);
    for (ranks, seeds, ranks_memory) in
        [(2, 0..8, much), (3, 8..11, much), (4, 11..14, much), (6, 14..18, much), (3, 18..22, little)]
    {
        // Ranks stay from program to program.
        let session = Session::new(&Options { ranks_memory, ..all_to_ranks(ranks, 16) }).unwrap();
        for seed in seeds {
            let (operations, sides) = (exact_operations(), vec![1, 3, 15, 16, 17, 33, 50]);
            let random = RandomOptions {
                length: 25,
                sides,
                wild: seed % 3 == 0,
                seed,
                operations,
                ..Default::default()
            };
            let source = random::program(&random);
            let options = RunOptions::default();
            let expected = shown(&source, "random", options, &alone());
            assert_eq!(shown(&source, "random", options, &session), expected, "seed {seed}:\n{source}");
        }
        assert_eq!(session.ranks().unwrap().starts, 1);
    }
}

#[test]
fn cores_beyond_the_workers_of_starpu_help_with_products() {
    let Some(_turn) = one_at_a_time() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = |cores: u32| Some(rank_after(&format!("export STARPU_NCPU={cores}"), &folder));
    let threads = |rank_program| {
        let session = Session::new(&Options { rank_program, ..all_to_ranks(2, 96) }).unwrap();
        let of = |session: &Session| {
            let (a, b) = (constant(session, 250, 2100), constant(session, 2100, 130));
            bits(session, &session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap())
        };
        assert_eq!(of(&session), of(&alone()));
        let all = processes().into_iter().map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).unwrap());
        all.map(|tasks| {
            let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
            names.filter(|name| name.starts_with("pmatrix-team")).count()
        })
        .sum::<usize>()
    };
    assert_eq!(threads(program(1)), 0);
    // StarPU has at most as many workers as this machine has cores, and each has helpers for its share of 64.
    assert!(threads(program(64)) > 0);
}

#[test]
fn rows_meet_shards_of_one_row() {
    let Some(_turn) = one_at_a_time() else { return };
    // The last shards of 33 rows have one row. The elements of a matrix of one row touch, and theirs do not.
    let source = "x = rand(33, 40, 1); r = rand(1, 40, 2); c = rand(33, 1, 3);
        print(x + r); print(c * r); print((x - r) .* r + c); print(sum(c * r)); print(x == r(:,1:40));";
    for precision in [Precision::Single, Precision::Double] {
        let options = RunOptions { precision, ..RunOptions::default() };
        let session = Session::new(&all_to_ranks(3, 16)).unwrap();
        assert_eq!(shown(source, "rows", options, &session), shown(source, "rows", options, &alone()));
    }
}

#[test]
fn each_shard_of_a_product_travels_once_to_each_rank_that_needs_it() {
    let Some(_turn) = one_at_a_time() else { return };
    // 2 x 2 ranks, 4 x 4 shards of 16 x 16 doubles.
    let session = Session::new(&all_to_ranks(4, 16)).unwrap();
    let (a, b) = (constant(&session, 64, 64), constant(&session, 64, 64));
    let product = session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap();
    let here = alone();
    let expected =
        here.binary(OpKind::Multiply, &constant(&here, 64, 64), &constant(&here, 64, 64), "", 0).unwrap();
    assert_eq!(bits(&session, &product), bits(&here, &expected));
    // Each shard of A goes to the other rank of its row, and each shard of B to the other rank of its column. A and B
    // are one constant to the ranks only if they are one matrix.
    let tally = session.ranks().unwrap();
    assert_eq!(tally.sent_bytes, 2 * 16 * (16 * 16 * 8));
    // One block operation for each shard of the result. The thread that inserts them has worked.
    assert_eq!(tally.block_operations, 16);
    assert!(tally.insert_ns > 0);
}

#[test]
fn all_ranks_have_the_same_share_of_a_product_with_a_long_inner_side() {
    let Some(_turn) = one_at_a_time() else { return };
    // 2 x 2 ranks, 4 x 64 shards of 64 x 64 doubles, and two chains of products, of 32 shards each.
    let product = |session: &Session| {
        let (a, b) = (constant(session, 256, 4096), constant(session, 4096, 256));
        let product = session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap();
        bits(session, &product)
    };
    let session = Session::new(&all_to_ranks(4, 64)).unwrap();
    assert_eq!(product(&session), product(&alone()));
    // The owner of a part of the result computes both chains and their sum, so each shard goes to one other rank alone.
    assert_eq!(session.ranks().unwrap().block_operations, 16 * 3);
    assert_eq!(session.ranks().unwrap().sent_bytes, 2 * (4 * 64) * (64 * 64 * 8));
}

#[test]
fn a_product_of_long_rows_and_columns_is_computed_where_they_are() {
    let Some(_turn) = one_at_a_time() else { return };
    // Four shards of each factor, two on each rank, and one shard of the result. A chain of products has one of each.
    let session = Session::new(&all_to_ranks(2, 8192)).unwrap();
    let product = |session: &Session| {
        let (a, b) = (constant(session, 16, 32_768), constant(session, 32_768, 16));
        let product = session.binary(OpKind::Multiply, &a, &b, "", 0).unwrap();
        bits(session, &product)
    };
    assert_eq!(product(&session), product(&alone()));
    // Two of four parts go to the rank of the result, 16 x 16 doubles each.
    assert_eq!(session.ranks().unwrap().sent_bytes, 2 * (16 * 16 * 8));
}

/// Bytes that 2 x 2 ranks with shards of 16 x 16 elements send each other for what `state` makes of a matrix of 64 x 64,
/// which has the bits of one machine.
fn sent_by_four(state: impl Fn(&Session, &Value) -> Value) -> u64 {
    let session = Session::new(&all_to_ranks(4, 16)).unwrap();
    let [found, expected] = [&session, &alone()].map(|session| {
        let a = constant(session, 64, 64);
        bits(session, &state(session, &a))
    });
    assert_eq!(found, expected);
    session.ranks().unwrap().sent_bytes
}

const SHARD_BYTES: u64 = 16 * 16 * 8;

/// Bytes of the sums of the columns, or rows, of a shard.
const SUMS_BYTES: u64 = 16 * 8;

#[test]
fn element_wise_operations_send_nothing() {
    let Some(_turn) = one_at_a_time() else { return };
    let sent = sent_by_four(|session, a| {
        let sum = session.binary(OpKind::Add, a, a, "", 0).unwrap();
        let product = session.binary(OpKind::Times, &sum, a, "", 0).unwrap();
        session.unary(OpKind::Abs, &product, "", 0).unwrap()
    });
    assert_eq!(sent, 0);
}

#[test]
fn a_row_travels_once_to_each_rank_that_adds_it() {
    let Some(_turn) = one_at_a_time() else { return };
    let sent = sent_by_four(|session, a| {
        let row = constant(session, 1, 64);
        session.binary(OpKind::Add, a, &row, "", 0).unwrap()
    });
    // Part j of the row belongs to rank j, and both ranks of each column of ranks, j mod 2 and 2 + j mod 2, need it.
    assert_eq!(sent, 4 * SUMS_BYTES);
}

#[test]
fn sums_travel_from_rank_to_rank() {
    let Some(_turn) = one_at_a_time() else { return };
    for side in [Side::Column, Side::Row] {
        let sent = sent_by_four(|session, a| {
            session.record(|recorder| recorder.reduce(OpKind::Sum, a, side, "", 0)).unwrap()
        });
        // Each of 4 chains adds up 4 shards where they are, and the sums of one part belong to rank `part`.
        let chain = |part: u32| {
            let owner = |shard: u32| match side {
                Side::Column => shard % 2 * 2 + part % 2,
                Side::Row => part % 2 * 2 + shard % 2,
            };
            let hops = [owner(0) != owner(1), owner(1) != owner(2), owner(2) != part];
            let hops = hops.into_iter().map(|is_hop| u64::from(is_hop) * SUMS_BYTES).sum::<u64>();
            // The last shard is added where the sums belong.
            hops + u64::from(owner(3) != part) * SHARD_BYTES
        };
        assert_eq!(sent, (0..4).map(chain).sum(), "{side:?}");
    }
}

#[test]
fn ranks_without_a_shard_have_nothing_to_do() {
    let Some(_turn) = one_at_a_time() else { return };
    // One shard of each matrix, on the first of six ranks.
    let session = Session::new(&all_to_ranks(6, 64)).unwrap();
    let of = |session: &Session| {
        let a = constant(session, 50, 50);
        let square = session.binary(OpKind::Multiply, &a, &a, "", 0).unwrap();
        bits(session, &session.binary(OpKind::Subtract, &square, &a, "", 0).unwrap())
    };
    assert_eq!(of(&session), of(&alone()));
    assert_eq!(session.ranks().unwrap().sent_bytes, 0);
}

#[test]
fn ranks_make_what_a_constructor_describes() {
    let Some(_turn) = one_at_a_time() else { return };
    let source =
        "a = rand(50, 40, 3); b = ones(50, 40) + eye(50, 40); r = range(-3.5, 60); c = zeros(40, 20);
        print(sum(a .* b)); print(r + r); print(a * c + 1);";
    for (ranks, precision) in [(2, Precision::Single), (6, Precision::Double)] {
        let options = RunOptions { precision, ..RunOptions::default() };
        let session = Session::new(&all_to_ranks(ranks, 16)).unwrap();
        let expected = shown(source, "made", options, &alone());
        assert_eq!(shown(source, "made", options, &session), expected, "{ranks} ranks");
        let shape = Shape { rows: 64, columns: 17 };
        let made = session.constructed(Constructor::Rand(9), shape, Class::Double).unwrap();
        let twice = session.binary(OpKind::Add, &made, &made, "", 0).unwrap();
        let element = 2.0 * Constructor::Rand(9).element(63, 16);
        assert_eq!(session.force(&twice).unwrap().value(63, 16), element);
        // It has no memory here, and can be read all the same.
        assert!(!made.matrix().unwrap().is_here());
        assert_eq!(session.force(&made).unwrap().value(63, 16), element / 2.0);
    }
}

#[test]
fn little_work_is_not_sent_and_much_work_is() {
    let Some(_turn) = one_at_a_time() else { return };
    let session =
        Session::new(&Options { ranks_work_ms: 1.0, immediate: true, ..all_to_ranks(2, 512) }).unwrap();
    let small = constant(&session, 20, 20);
    let square = session.binary(OpKind::Multiply, &small, &small, "", 0).unwrap();
    session.force(&square).unwrap();
    assert_eq!(session.ranks().unwrap().starts, 0);
    let large = constant(&session, 700, 700);
    let square = session.binary(OpKind::Multiply, &large, &large, "", 0).unwrap();
    session.wait(&square, None).unwrap();
    assert_eq!(session.ranks().unwrap().starts, 1);
    // It stays there until somebody reads it; what reads it goes there as well.
    assert!(!square.matrix().unwrap().is_here());
    let traces = session.ranks().unwrap().traces;
    let more = session.binary(OpKind::Add, &square, &large, "", 0).unwrap();
    session.force(&more).unwrap();
    assert_eq!(session.ranks().unwrap().traces, traces + 1);
    assert!(!square.matrix().unwrap().is_here() && more.matrix().unwrap().is_here());
}

#[test]
fn a_result_that_would_be_complex_is_an_error_of_its_line_and_nothing_else_is_lost() {
    let Some(_turn) = one_at_a_time() else { return };
    let session = Session::new(&all_to_ranks(2, 16)).unwrap();
    let a = constant(&session, 40, 40);
    let doubled = session.binary_scalar(OpKind::Times, Form::ScalarRight, &a, 2.0, Class::Double, "f.m", 3);
    let doubled = doubled.unwrap();
    let root = session.unary(OpKind::Sqrt, &doubled, "f.m", 4).unwrap();
    let error = session.force(&root).unwrap_err();
    let Error::Domain { blame } = &error else { panic!("{error}") };
    assert_eq!((blame.kind, blame.site.line), (OpKind::Sqrt, 4));
    let sum = session.binary(OpKind::Add, &doubled, &a, "f.m", 5).unwrap();
    assert_eq!(session.force(&sum).unwrap().value(0, 0), -15.0);
    assert_eq!(session.ranks().unwrap().starts, 1);
}
