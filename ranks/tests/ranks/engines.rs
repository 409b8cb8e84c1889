//! Ranks with engines of their own, whose MEUs have local stores, give the bits of one machine with such an engine.

use std::ops::Range;

use crate::{all_to_ranks, one_at_a_time, shown};
use pmatrix::engine::sabotage::{Manner, Sabotage};
use pmatrix::error::Error;
use pmatrix::lang::RunOptions;
use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::random::{self, RandomOptions};
use pmatrix::operation::{OpKind, Precision};
use pmatrix::session::{Options, Session};

/// A sum of products in several chains, that is taken apart in other ways on shards than in local stores; programs behind
/// products; reductions and cumulative sums over several shards, and moves of all kinds.
const MIXED: &str = "A = rand(40, 3700, 1) - 0.5; B = rand(3700, 70, 2); P = A * B; print(P);
    C = rand(130, 100, 3) - 0.5; E = (C * C') .* 2 - P(1, 1); print(E, sum(E), sum(E, 2));
    print(cumsum(C), cumsum(C, 2), norm(C), maximum(C), norm(sum(rand(1000, 60, 4))));
    M = horzcat(C, C)(3:120, 7:140); V = sin(M) ./ (1 + abs(M)); L = V(:, 100:-1:1) <= C(1:118, :);
    print(V, L, C'(5:90, 2:3:100), vertcat(C, C));";

/// Ranks with this engine, and one machine with it. None if there is no program for SPEs.
fn both(ranks: usize, change: impl Fn(&mut Options)) -> Option<[Session; 2]> {
    let mut with_ranks = Options { meus: 2, ..all_to_ranks(ranks, 48) };
    change(&mut with_ranks);
    let alone = Options { ranks: 1, sabotage: None, ..with_ranks.clone() };
    let alone = match Session::new(&alone) {
        Err(error) if error.to_string().contains("no MEU image") => {
            assert!(std::env::var_os("REQUIRE_ALL").is_none(), "{error}");
            eprintln!("skipped: {error}");
            return None;
        }
        alone => alone.unwrap(),
    };
    Some([Session::new(&with_ranks).unwrap(), alone])
}

fn is_alike([with_ranks, alone]: &[Session; 2], source: &str, name: &str) {
    for precision in [Precision::Single, Precision::Double] {
        let options = RunOptions { precision, ..RunOptions::default() };
        let expected = shown(source, name, options, alone);
        assert_eq!(shown(source, name, options, with_ranks), expected, "{name}:\n{source}");
    }
    let tally = with_ranks.ranks().unwrap();
    assert!(tally.traces > 0 && tally.starts == 1, "{name}: {tally:?}");
}

fn random_programs_are_alike(both: &[Session; 2], seeds: Range<u64>) {
    for seed in seeds {
        let (operations, sides) = (OpKind::ALL.to_vec(), vec![1, 3, 15, 16, 17, 33, 50, 130]);
        let wild = seed % 3 == 0;
        let options = RandomOptions { length: 25, sides, wild, seed, operations, ..Default::default() };
        is_alike(both, &random::program(&options), &format!("seed {seed}"));
    }
}

#[test]
fn local_stores_of_the_host_compute_what_they_compute_on_one_machine() {
    let Some(_turn) = one_at_a_time() else { return };
    // DMA commands are executed in any order.
    let both = both(3, |options| options.chaos = Some(3)).unwrap();
    is_alike(&both, MIXED, "mixed");
    random_programs_are_alike(&both, 0..8);
}

#[test]
fn simulated_spes_compute_what_they_compute_on_one_machine() {
    let Some(_turn) = one_at_a_time() else { return };
    let Some(both) = both(2, |options| options.engine = "sim".into()) else { return };
    for name in NAMES {
        is_alike(&both, &text(name, Size::Tiny).unwrap(), name);
    }
    random_programs_are_alike(&both, 20..24);
    is_alike(&both, MIXED, "mixed");
}

#[test]
fn an_spe_of_a_rank_may_be_lost() {
    let Some(_turn) = one_at_a_time() else { return };
    for (meu, step, manner) in [(Some(1), 5, Manner::Stop), (None, 20, Manner::Damage)] {
        let Some(both) = both(2, |options| {
            options.engine = "sim".into();
            options.sabotage = Some(Sabotage { meu, step, manner });
        }) else {
            return;
        };
        is_alike(&both, &text("markov", Size::Tiny).unwrap(), "markov");
        is_alike(&both, MIXED, "mixed");
        // The session says once what ranks have lost.
        let with_ranks = &both[0];
        let losses = with_ranks.take_losses();
        let of_meu = |meu: usize| losses.iter().any(|loss| loss.contains(&format!(": MEU {meu} is lost: ")));
        assert!(of_meu(1) && (meu.is_some() || of_meu(0)), "{losses:?}");
        let is_whole = |loss: &String| {
            let is_left = loss.ends_with(" MEUs are left") || loss.contains("no MEU is left");
            loss.starts_with("rank ") && is_left
        };
        assert!(losses.iter().all(is_whole), "{losses:?}");
        assert_eq!(with_ranks.ranks().unwrap().meus_lost as usize, losses.len());
        assert_eq!(with_ranks.take_losses(), Vec::<String>::new());
    }
}

#[test]
fn a_result_of_an_engine_that_would_be_complex_is_an_error_of_its_line() {
    let Some(_turn) = one_at_a_time() else { return };
    let both = both(2, |options| options.memory = None).unwrap();
    is_alike(&both, "a = rand(100, 100, 1);\nprint(a * a);\nc = sqrt(a * a - 20);\nprint(c);", "complex");
    // A trace that fails has been executed as well, here as on one machine.
    let [with_ranks, alone] = &both;
    assert_eq!(with_ranks.ranks().unwrap().traces, alone.statistics().traces);
}

#[test]
fn engines_that_ranks_cannot_have_are_refused() {
    let refused = |options: Options| match Session::new(&options) {
        Err(Error::Argument(what)) => what,
        other => panic!("{other:?}"),
    };
    for engine in ["null", "clock", "reference"] {
        let what = refused(Options { engine: engine.into(), ..all_to_ranks(2, 48) });
        let expected =
            format!("ranks need an engine that computes in real time (host, cell, sim): '{engine}' is none");
        assert_eq!(what, expected);
    }
    let what = refused(Options { engine: "sim".into(), timing: true, ..all_to_ranks(2, 48) });
    assert!(what.ends_with("(host, cell, sim): virtual time is the time of one machine"), "{what}");
}
