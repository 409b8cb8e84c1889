//! MEUs that are lost: at any step, in any manner, results have the bits of a run in which nothing is lost.
//!
//! A sample of the steps is tested, and all of them with `PMATRIX_TEST_LOSSES=all` (`scripts/test-losses`). SPEs of the Cell
//! engine are lost where these tests run on a PPE, or under qemu, with libspe2 on simulated SPEs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use pmatrix::engine::sabotage::{Manner, Sabotage};
use pmatrix::lang::programs::{NAMES, Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};

/// Products whose inner side takes several block operations, products with an epilogue, programs, sums of
/// products that are added up, moves and reductions, and what the PPE executes.
const MIXED: &str = "A = rand(40, 100, 1); B = rand(100, 30, 2) - 0.5; \
    P = A * B; E = (A * B) .* P - P; S = cumsum(P); T = sum(P, 2); N = norm(P); \
    M = P' * P + eye(30); G = horzcat(M, M)(3:20, 7:40); V = sin(G) ./ (1 + abs(G)); \
    Q = M * M * M; L = Q(:, 30:-1:1) <= Q; print(P, E, S, T, N, V, Q, L, maximum(V));";

/// Few block operations, each of which reads the one before.
const CHAIN: &str = "A = rand(16, 16, 3); B = A * A; C = B * A; D = C * A; E = D * A; F = E * A; print(F);";

/// One block operation.
const SINGLE: &str = "A = rand(9, 7, 4); print(A + 0.25);";

fn programs() -> Vec<(&'static str, String)> {
    let mut programs = vec![("mixed", MIXED.into()), ("chain", CHAIN.into()), ("single", SINGLE.into())];
    let (benchmarks, golden): (&[_], &[_]) = match is_whole() {
        true => (&NAMES, &["dead", "elementwise", "functions", "moves", "power", "reductions"]),
        false => (&["neural"], &["moves"]),
    };
    for name in benchmarks {
        programs.push((name, text(name, Size::Tiny).unwrap()));
    }
    for name in golden {
        let path = format!("{}/tests/golden/{name}.trace", env!("CARGO_MANIFEST_DIR"));
        programs.push((name, std::fs::read_to_string(path).unwrap()));
    }
    programs
}

/// What a program prints, and what is said of lost processors. The program is run twice in one session.
fn run(text: &str, precision: Precision, options: &Options) -> (String, Vec<String>) {
    let session = Session::new(options).unwrap();
    let mut out = Vec::new();
    let program = parse(text.as_bytes(), "test").unwrap_or_else(|error| panic!("{error}\n{text}"));
    for _ in 0..2 {
        let run = RunOptions { precision, ..RunOptions::default() };
        let result = Runner::new(&session, run, &mut out).run(&program, |_| ());
        result.unwrap_or_else(|error| panic!("{error}\n{options:?}\n{text}"));
    }
    let losses = session.take_losses();
    assert!(session.take_losses().is_empty(), "what is lost is said once");
    (String::from_utf8(out).unwrap(), losses)
}

fn is_whole() -> bool {
    std::env::var("PMATRIX_TEST_LOSSES").is_ok_and(|value| value == "all")
}

/// Steps that are tested until an MEU does not come so far.
fn steps(manner: Manner) -> Vec<u64> {
    match (is_whole(), manner) {
        (true, _) => (0..=10_000).collect(),
        // What hangs takes as long as the patience.
        (false, Manner::Hang) => vec![0, 1],
        (false, _) => vec![0, 1, 6, 30],
    }
}

/// Steps that are tested at a time: while an MEU hangs, nothing is executed.
fn at_a_time(manner: Manner) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if manner == Manner::Hang { 4 * processors } else { processors }
}

/// What a program is to print, and how it is called.
struct Expected<'a> {
    name: &'a str,
    text: &'a str,
    precision: Precision,
    output: String,
}

/// Loses MEUs as the options say, and says how many.
fn lose_at(expected: &Expected<'_>, options: &Options) -> usize {
    let Expected { name, text, precision, .. } = *expected;
    let sabotage = options.sabotage.unwrap();
    let (mut found, mut losses) = run(text, precision, options);
    let most = sabotage.meu.map_or(options.meus, |_| 1);
    if losses.len() > most {
        // Other processes may hold up a healthy MEU for as long as the patience.
        let patience = Duration::from_secs(10);
        (found, losses) = run(text, precision, &Options { patience, ..options.clone() });
    }
    let what = format!("{name}, {precision:?}, {sabotage:?}, {} MEUs: {losses:?}", options.meus);
    assert!(found == expected.output, "{what}");
    assert!(losses.len() <= most, "{what}");
    losses.len()
}

/// Loses one MEU, or all of them, at each step of each program.
fn lose(options: &Options, precisions: &[Precision], manners: &[Manner]) {
    let blocks = |meus| Options {
        meus,
        block_elements: Some(256),
        divisor: Some(4),
        chain: Some(3),
        poison: true,
        immediate: false,
        patience: Duration::from_millis(match options.engine.as_str() {
            "host" => 150,
            "sim" => 600,
            // Under qemu an operation takes long.
            _ => 2000,
        }),
        chunk_operations: 50,
        ..options.clone()
    };
    let mut lost = 0;
    // What hangs takes as long as the patience, and longer where it cannot be stopped.
    let count = if manners == [Manner::Hang] { 3 } else { usize::MAX };
    for (name, text) in programs().into_iter().take(count) {
        for &precision in precisions {
            let (output, losses) =
                run(&text, precision, &Options { patience: Duration::from_secs(60), ..blocks(2) });
            assert_eq!(losses, [""; 0], "{name}");
            let expected = &Expected { name, text: &text, precision, output };
            for &manner in manners {
                // Of several MEUs that hang, a reset waits for the second for long.
                let cases = [(2, Some(1)), (1, Some(0)), (2, None)];
                let all = if manner == Manner::Hang && !is_whole() { 2 } else { 3 };
                for &(meus, meu) in &cases[..all] {
                    for some in steps(manner).chunks(at_a_time(manner)) {
                        let lost_there: Vec<usize> = std::thread::scope(|scope| {
                            let start = |&step| {
                                let sabotage = Some(Sabotage { meu, step, manner });
                                let options = Options { sabotage, ..blocks(meus) };
                                scope.spawn(move || lose_at(expected, &options))
                            };
                            let threads: Vec<_> = some.iter().map(start).collect();
                            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
                        });
                        lost += lost_there.iter().sum::<usize>();
                        if lost_there.contains(&0) {
                            break;
                        }
                    }
                }
            }
        }
        println!("{name}, {}: {lost} MEUs lost up to here", options.engine);
    }
    assert!(lost > 7, "{lost}");
}

const DOUBLE: &[Precision] = &[Precision::Double];

#[test]
fn an_meu_of_the_host_may_be_lost_at_any_step() {
    let options = Options::default();
    lose(&options, DOUBLE, &[Manner::Stop, Manner::Fault, Manner::Damage]);
}

#[test]
fn an_meu_of_the_host_with_a_local_store_may_be_lost_at_any_step() {
    let options = Options { memory: None, chaos: Some(1), ..Options::default() };
    lose(&options, &[Precision::Single], &[Manner::Stop, Manner::Damage]);
}

#[test]
fn an_meu_of_the_host_may_hang_at_any_step() {
    lose(&Options::default(), DOUBLE, &[Manner::Hang]);
}

#[test]
fn a_simulated_spe_may_be_lost_at_any_step() {
    let options = Options { engine: "sim".into(), ..Options::default() };
    if let Err(error) = Session::new(&options) {
        assert!(std::env::var("REQUIRE_ALL").is_err(), "{error}");
        println!("skipped: {error}");
        return;
    }
    lose(&options, &[Precision::Single, Precision::Double], &Manner::ALL);
    let timing = Options { timing: true, overlap: false, ..options };
    lose(&timing, &[Precision::Single], &[Manner::Stop, Manner::Fault, Manner::Damage]);
}

/// Results of a Cell are those of another machine in single precision, and its programs are the small ones: each
/// instruction of an SPE is interpreted by a simulator that qemu interprets.
#[test]
fn an_spe_of_a_cell_may_be_lost_at_any_step() {
    let options = Options { engine: "cell".into(), ..Options::default() };
    if let Err(error) = Session::new(&options) {
        // Only a program in big-endian order can use SPEs.
        assert!(cfg!(target_endian = "little") || std::env::var("REQUIRE_ALL").is_err(), "{error}");
        println!("skipped: {error}");
        return;
    }
    lose(&options, DOUBLE, &[Manner::Stop]);
    lose(&options, DOUBLE, &[Manner::Hang]);
}
