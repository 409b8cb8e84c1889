//! `pmatrix optimal`: schedules against the best schedule there is.

use crate::{command, file};

/// Five operations on one block each, of which two wait for the first.
const PROGRAM: &str = "A = rand(8, 8, 1); B = A * A; C = A * B; D = A + A; E = A - B; F = A .* A;";

fn optimal(name: &str, program: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = file(name, program.as_bytes());
    let output = command()
        .args(["optimal", "--meus", "2", "--local-store", "--no-fusion"])
        .args(options)
        .arg(&path)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The nanoseconds in a line.
fn nanoseconds(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
    line[name.len()..].split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_small_program_is_proven() {
    let (code, text, _) = optimal("optimal.trace", PROGRAM, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("block operations 5, dependences 2, MEUs 2\n"), "{text}");
    let [heuristic, portfolio, best, bound] =
        ["heuristic", "portfolio", "best known", "bound"].map(|name| nanoseconds(&text, name));
    assert!(best == bound && best <= portfolio && portfolio <= heuristic && best > 0, "{text}");
    assert!(text.ends_with("0.00 %   the best known schedule is optimal\n"), "{text}");
}

#[test]
fn a_program_that_is_too_large_gets_a_bound() {
    let program = "A = rand(82, 82, 1); B = A * A; C = cos(B) + A; D = C * B;";
    let blocks = ["--block-elements", "64", "--divisor", "4", "--chain", "1"];
    let (code, text, _) = optimal("large.trace", program, &blocks);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("not searched: more than 1000 block operations"), "{text}");
    assert!(nanoseconds(&text, "bound") < nanoseconds(&text, "best known"), "{text}");
}

#[test]
fn the_integer_program_is_written() {
    for (extension, start) in [("lp", "Minimize\n"), ("mps", "NAME schedule\n"), ("dat", "data;\nset I :=\n")]
    {
        let target = file(&format!("export.{extension}"), b"old");
        let options = ["--time-limit", "0", "--export", target.to_str().unwrap()];
        let (code, text, error) = optimal("export.trace", PROGRAM, &options);
        assert_eq!(code, Some(0), "{text}{error}");
        assert!(std::fs::read_to_string(&target).unwrap().starts_with(start));
    }
    let (code, _, error) = optimal("export.trace", PROGRAM, &["--export", "model.txt"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("the name must end with .lp, .mps or .dat"), "{error}");
    let (code, _, error) = optimal("export.trace", PROGRAM, &["--time-limit", "-1"]);
    assert_eq!(code, Some(2), "{error}");
}

#[cfg(feature = "highs")]
#[test]
fn the_solver_and_the_search_agree() {
    let found = ["search", "integer"].map(|exact| {
        let (code, text, error) = optimal(&format!("{exact}.trace"), PROGRAM, &["--exact", exact]);
        assert_eq!(code, Some(0), "{text}{error}");
        assert!(text.contains("0.00 %   the best known schedule is optimal"), "{text}");
        nanoseconds(&text, "best known")
    });
    assert_eq!(found[0], found[1]);
}

#[cfg(not(feature = "highs"))]
#[test]
fn a_command_without_the_solver_says_how_to_get_it() {
    let (code, text, error) = optimal("without.trace", PROGRAM, &["--exact", "integer"]);
    assert_eq!((code, text.as_str()), (Some(2), ""));
    assert!(error.contains("cargo build --release -p pmatrix --features highs"), "{error}");
}
