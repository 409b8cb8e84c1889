//! `pmatrix save-trace`, and `pmatrix run` of what it has saved.

use pmatrix::lang::random::{self, RandomOptions};
use pmatrix::operation::OpKind;
use pmatrix::wire::saved::Saved;

use crate::{file, pmatrix};

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// What a program shows when it is run, and when its saved trace is run.
fn both(name: &str, program: &str, single: &[&str]) -> [String; 2] {
    let (source, saved) = (file(&format!("{name}.trace"), program.as_bytes()), file(name, b""));
    let [source, saved] = [&source, &saved].map(|path| path.to_str().unwrap());
    let save = pmatrix(&[&["save-trace"], single, &[source, saved]].concat());
    assert!(save.status.success() && save.stdout.is_empty(), "{}", text(save.stderr));
    [pmatrix(&[&["run"], single, &[source]].concat()), pmatrix(&["run", saved])].map(|output| {
        assert!(output.status.success(), "{program}\n{}", text(output.stderr));
        text(output.stdout)
    })
}

#[test]
fn a_saved_trace_shows_what_its_program_shows() {
    let program = "a = rand(7, 5, 3); b = [1 2; 3 4.5]; c = copy(a * a');
        x = 4, print(\"text\", a' * 2, sqrt(2)); c, t = b > 2; t, print(t + 1, vertcat(t, t), sum(t)); y = max(c, a(1, 1)) - c .^ 2
        print(range(1, 4), repmat(b, 2, 3), diag(b(:, 1)), triu(c), cumsum(c), norm(c), b)";
    for single in [&[][..], &["--single"]] {
        let [expected, found] = both("saved_all", program, single);
        assert_eq!(found, expected);
    }
    for seed in 0..12 {
        let options = RandomOptions { length: 30, sides: vec![1, 3, 16, 40], seed, ..Default::default() };
        let [expected, found] = both("saved_random", &random::program(&options), &[]);
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn a_trace_of_shapes_takes_no_memory_and_cannot_be_run() {
    // Matrices of 7 GB each. What is copied is not part of the trace, and a copy of what is known ends nothing.
    let program =
        "a = rand(30000, 30000, 1); b = copy(a * a); c = b * a; d = copy(b); print(sum(sum(c + d)))";
    let source = file("saved_shapes.trace", program.as_bytes());
    let saved = file("saved_shapes", b"");
    let [source, saved] = [&source, &saved].map(|path| path.to_str().unwrap());
    assert!(pmatrix(&["save-trace", "--shapes", source, saved]).status.success());
    let bytes = std::fs::read(saved).unwrap();
    assert!(bytes.len() < 1000);
    let trace = Saved::decode(&bytes).unwrap().trace.trace;
    let kinds: Vec<_> = trace.operations.iter().map(|operation| operation.kind).collect();
    assert_eq!(kinds, [OpKind::Multiply, OpKind::Add, OpKind::Sum, OpKind::Sum]);
    let run = pmatrix(&["run", saved]);
    assert_eq!(run.status.code(), Some(1));
    let error = text(run.stderr);
    assert!(error.contains("the trace was saved with --shapes"), "{error}");
}

#[test]
fn a_damaged_trace_is_an_error_that_names_the_file_and_the_operation() {
    let source = file("saved_bad.trace", b"a = [1 2; 3 4]; print(a(:, 2) * 3)");
    let path = file("saved_bad", b"");
    let [source, saved] = [&source, &path].map(|path| path.to_str().unwrap());
    assert!(pmatrix(&["save-trace", source, saved]).status.success());
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let run = pmatrix(&["run", saved]);
    assert_eq!(run.status.code(), Some(3));
    assert!(text(run.stderr).ends_with("saved_bad: a saved trace is damaged: it ends early\n"));
    // The view would read behind the end of its matrix: its offset is the first parameter.
    let view = [2, 1].map(i64::to_le_bytes).concat();
    let at = bytes.windows(16).position(|window| window == view).unwrap();
    let mut changed = bytes.clone();
    changed[at] = 3;
    std::fs::write(&path, changed).unwrap();
    let run = pmatrix(&["run", saved]);
    assert_eq!(run.status.code(), Some(1));
    let error = text(run.stderr);
    assert!(error.ends_with("saved_bad: operation 1: a 2x1 view leaves its 2x2 matrix\n"), "{error}");
    let error = text(pmatrix(&["save-trace", source, "/no/such/folder/file"]).stderr);
    assert!(error.starts_with("pmatrix: /no/such/folder/file: "), "{error}");
}
