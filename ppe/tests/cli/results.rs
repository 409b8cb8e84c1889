//! What a program shows, and how its failures are reported.

use std::io::Write;
use std::process::Stdio;

use crate::{command, file, pmatrix, run};

#[test]
fn results_are_shown() {
    let program = "A = [1, 2; 3, 4];\nB = MADD(A, A)\nn = 2 * 3\nprint(single(A) * 0.1);\nA == 1\n";
    let (code, out, err) = run("shown.trace", program, &[]);
    let expected =
        "B =\n\n   2   4\n   6   8\n\nn = 6\n   0.1   0.2\n   0.3   0.4\nans =\n\n   1   0\n   0   0\n\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
}

#[test]
fn short_numbers_and_single_precision() {
    let (_, out, _) = run("short.trace", "x = [0.1 2] * [1; 3] / 7", &["--format", "short"]);
    assert_eq!(out, "x = 0.87143\n");
    let (_, out, _) = run("single.trace", "x = ones(1,1) / 3", &["--single"]);
    assert_eq!(out, "x = 0.33333334\n");
    let (_, out, _) = run("double.trace", "x = ones(1,1) / 3", &["--single", "--double"]);
    assert_eq!(out, "x = 0.3333333333333333\n");
}

#[test]
fn failures_name_the_place_and_keep_what_was_printed() {
    let check = |name: &str, program: &str, code: i32, out: &str, message: &str| {
        let mut place = message.split(':').map(|number| number.parse::<usize>().unwrap_or(0));
        let (line, column) = (place.next().unwrap(), place.next().unwrap());
        let line = program.lines().nth(line - 1).unwrap();
        let mark = " ".repeat(column - 1) + "^";
        let error = format!("pmatrix: {name}:{message}\n  {line}\n  {mark}\n");
        assert_eq!(run(name, program, &[]), (code, out.to_owned(), error));
    };
    check(
        "shapes.trace",
        "x = 1\nA = ones(2,3);\nB = A * A;",
        1,
        "x = 1\n",
        "3:7: operator *: nonconformant arguments (op1 is 2x3, op2 is 2x3)",
    );
    check(
        "domain.trace",
        "x = 1\nA = [-8 1] .^ 0.5;\n\nA",
        1,
        "x = 1\n",
        "4:1: power with a 1x2 result, recorded at domain.trace:2: a negative base with a fractional exponent has a \
         complex result",
    );
    check("undefined.trace", "A = 1;\nA + B", 1, "", "2:5: 'B' is undefined");
    check(
        "syntax.trace",
        "x = 1\nA = [1, 2; 3];",
        3,
        "",
        "2:12: row 2 has 1 elements; the rows before it have 2",
    );
    check("open.trace", "x = 1\nA = [1, 2\n3 4", 3, "", "2:5: this '[' has no closing ']'");
    check(
        "element.trace",
        "A = ones(2,3);\nA(1,4)",
        1,
        "",
        "2:2: A(_,4): out of bound 3 (dimensions are 2x3)",
    );
    check("names.trace", "A = 1;\nx = B(1,1)", 3, "", "2:5: there is no function and no variable 'B'");
    let size = "must be a whole number from 0 to 1073741824, not";
    check("nan.trace", "zeros(NaN, 2)", 1, "", &format!("1:1: zeros: the number of rows {size} NaN"));
    check("negative.trace", "ones(2, -1)", 1, "", &format!("1:1: ones: the number of columns {size} -1"));
    check("fraction.trace", "rand(1.5, 1, 1)", 1, "", &format!("1:1: rand: the number of rows {size} 1.5"));
    check(
        "missing.trace",
        "x = 1\nload('no/such/file')",
        3,
        "x = 1\n",
        "2:1: no/such/file: No such file or directory (os error 2)",
    );
}

/// A long line is shown around the place of the error, and a tab stays a tab.
#[test]
fn the_place_of_an_error_is_marked() {
    let program = format!("x = {}1 + y{}", "1 + ".repeat(100), " + 1".repeat(100));
    let (_, _, error) = run("long.trace", &program, &[]);
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].ends_with("long.trace:1:409: 'y' is undefined"), "{error}");
    let at = lines[2].find('^').unwrap();
    assert!(lines[1].chars().count() < 130 && &lines[1][at..=at] == "y", "{error}");
    let (_, _, error) = run("tab.trace", "\tx = y", &[]);
    assert!(error.ends_with("  \tx = y\n  \t    ^\n"), "{error:?}");
}

#[test]
fn a_program_that_shows_nothing_says_what_it_did() {
    let check = |program: &str, message: &str| {
        assert_eq!(run("silent.trace", program, &[]), (0, String::new(), message.into()), "{program}");
    };
    let rest = "nothing was shown: print (x) shows a value\n";
    check("A = ones(3, 3); B = A + 1; force(B);", &format!("pmatrix: 1 operation was executed; {rest}"));
    check(
        "A = ones(300, 300); B = A * A;",
        &format!("pmatrix: nothing was computed, since nothing was needed; {rest}"),
    );
    assert_eq!(run("silent.trace", "A = ones(3, 3);", &["--quiet"]).2, "");
}

#[test]
fn every_benchmark_program_shows_a_result() {
    let mut found = 0;
    for name in pmatrix::lang::programs::NAMES {
        let tiny = String::from_utf8(pmatrix(&["unroll", name, "--size", "tiny"]).stdout).unwrap();
        let (code, out, err) = run(&format!("{name}.trace"), &tiny, &["--format", "short"]);
        assert_eq!((code, err.as_str()), (0, ""), "{name}");
        let lines: Vec<&str> = out.lines().collect();
        // A title, and numbers below it.
        assert!(lines[0].ends_with(':') && lines.len() > 1, "{out}");
        for number in lines[1..].iter().flat_map(|line| line.split_whitespace()) {
            assert!(number.parse::<f64>().is_ok_and(f64::is_finite), "{out}");
        }
        found += 1;
    }
    assert_eq!(found, 9);
    let decrypted = run(
        "hill.trace",
        &String::from_utf8(pmatrix(&["unroll", "hill", "--size", "tiny"]).stdout).unwrap(),
        &[],
    )
    .1;
    assert!(decrypted.ends_with("\n   0\n"), "{decrypted}");
}

#[test]
fn random_programs_and_statistics() {
    let text = pmatrix(&[
        "random",
        "--length",
        "20",
        "--max-side",
        "9",
        "--seed",
        "3",
        "--operations",
        "add,multiply",
    ]);
    let text = String::from_utf8(text.stdout).unwrap();
    let (code, out, err) =
        run("random.trace", &text, &["--stats", "--poison", "--no-overlap", "--chunk", "3"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.is_empty());
    assert!(err.contains("operations: ") && err.contains("lowered graphs: "), "{err}");
}

#[test]
fn nobody_reads_the_results() {
    let path = file("pipe.trace", "print(zeros(1000, 1000));\n".as_bytes());
    let mut child =
        command().arg("run").arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn programs_come_from_the_standard_input_too() {
    let mut child =
        command().args(["run", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"x = 2 * 3").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"x = 6\n");
}
