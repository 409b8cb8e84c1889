//! `pmatrix simulate`, and its engine.

use crate::{file, pmatrix, run};

/// Products, epilogues, reductions, a transpose, a repetition that the PPE executes, and values that are asked
/// for on the way.
const PROGRAM: &str = "a = rand(150, 170, 1); b = a * a'; c = exp(b * 0.001 - 1) + b; \
     print(maximum(sum(c, 2)), sum(sum(repmat(b .* c, 1, 2))));\nd = b * c - a * a'; print(norm(d), maximum(sum(cumsum(d))));";

/// The number behind a word of a line.
fn number(text: &str, word: &str) -> f64 {
    let rest = text.split(word).nth(1).unwrap_or_else(|| panic!("no '{word}' in {text}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn the_clock_computes_what_the_reference_computes() {
    let print = |engine: &str, more: &[&str]| {
        let options = [&["--engine", engine, "--block-elements", "1024", "--divisor", "4"], more].concat();
        let (status, out, error) = run("clock.trace", PROGRAM, &options);
        assert_eq!((status, error.as_str()), (0, ""), "{engine} {more:?}");
        out
    };
    let expected = print("reference", &[]);
    for more in
        [&["--meus", "1"][..], &["--meus", "5"], &["--meus", "3", "--no-overlap", "--ppe-factor", "0"]]
    {
        assert_eq!(print("clock", more), expected, "{more:?}");
    }
}

#[test]
fn a_simulation_tells_the_same_in_every_run_and_accounts_for_all_of_the_time() {
    let path = file("simulate.trace", PROGRAM.as_bytes());
    let simulate = |options: &[&str]| {
        let output = pmatrix(&[&["simulate", path.to_str().unwrap()], options].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = simulate(&["--meus", "3"]);
    assert_eq!(simulate(&["--meus", "3"]), text);
    let parts = ["executing:", "for data:", "for operands:", "for the PPE:"].map(|word| number(&text, word));
    assert!(
        (parts.iter().sum::<f64>() - 100.0).abs() < 0.03 && parts.iter().all(|&part| part > 0.0),
        "{text}"
    );
    let makespan = |text: &str| number(text, "makespan:");
    let [one, free, slow] =
        [&["--meus", "1"][..], &["--meus", "3", "--ppe-factor", "0"], &["--meus", "3", "--ppe-factor", "50"]]
            .map(|options| makespan(&simulate(options)));
    assert!(
        one > makespan(&text) && free < makespan(&text) && slow > makespan(&text),
        "{one} {free} {slow} {text}"
    );
}

#[test]
fn its_engine_cannot_be_chosen() {
    let path = file("simulate_engine.trace", b"x = 1");
    let output = pmatrix(&["simulate", "--engine", "host", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("--engine makes no sense here"), "{error}");
}
