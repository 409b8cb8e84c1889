//! Moves: views and joins of all sizes, and which of them the PPE executes.

use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};

use crate::{PROCESSORS, can_run, output, reference, same};

/// Each slice, transpose and join of matrices whose sides are no multiples of a quadword or of a block.
fn program() -> String {
    let mut text = String::new();
    for (number, (rows, columns)) in
        [(1, 1), (1, 37), (37, 1), (4, 4), (5, 3), (33, 17), (16, 70), (66, 35)].into_iter().enumerate()
    {
        text += &format!(
            "a = rand({rows}, {columns}, {number}) - 0.5; t = transpose(a); print(t, transpose(t));\n"
        );
        text += "b = a + 1; c = b(:, 1); print(horzcat(a, b), vertcat(b, a), horzcat(a, c), vertcat(t, transpose(c)));\n";
        // From each place of a quadword on.
        for first in 1..=5.min(rows) {
            text += &format!(
                "s = b({first}:{rows}, :); print(s, transpose(s), vertcat(s, b), vertcat(b, s), horzcat(s, s), sum(s), s + 1);\n"
            );
        }
        for first in 1..=3.min(columns) {
            text += &format!("print(b(:, {first}:{columns}), transpose(b(1:1, {first}:{columns})));\n");
        }
    }
    // Rows and columns that lie apart or are reversed, and triangles, of whole matrices and of parts.
    for (number, (rows, columns)) in
        [(1, 1), (1, 41), (41, 1), (9, 7), (70, 33), (34, 67)].into_iter().enumerate()
    {
        text += &format!("a = rand({rows}, {columns}, {number}) - 0.5; n = a ./ (a > 0);\n");
        let (odd_rows, odd_columns) = ((rows + 1) / 2 * 2 - 1, (columns + 1) / 2 * 2 - 1);
        text += &format!(
            "print(a({rows}:-1:1, :), a(:, {columns}:-1:1), a({rows}:-1:1, {columns}:-1:1), n(1:2:{odd_rows}, :));\n\
             print(n(:, 1:2:{odd_columns}), a({odd_rows}:-2:1, 1:2:{odd_columns}), a(1:2:{odd_rows}, {odd_columns}:-2:1) + 1);\n\
             print(tril(n), triu(n), tril(a, 2), triu(a, -3), tril(a, -{rows}), triu(a, {columns}), sum(tril(a + 1)));\n"
        );
        for first in 2..=5.min(rows) {
            text += &format!(
                "print(a({first}:3:{rows}, :), a({rows}:-4:{first}, :), tril(a({first}:{rows}, :)));\n"
            );
        }
    }
    text += "b = rand(200, 5, 3); c = transpose(b); print(b(3:16:200, :), b(200:-17:1, 5:-2:1), c(:, 2:9:200), c(5:-3:1, 200:-1:1));\n";
    // Views that take no rectangles, and other moves whose elements are gathered.
    text += "a = rand(40, 30, 9); print(a(40:-1:1, :), a(1:3:40, 2:2:30), reshape(a, 30, 40), a(:), diag(a(:, 1)), tril(a));\n";
    text
}

#[test]
fn moves_have_the_elements_of_the_reference() {
    if !can_run() {
        return;
    }
    let text = program();
    for precision in Precision::ALL {
        for processor in PROCESSORS {
            for chaos in [None, Some(5)] {
                let options = Options {
                    engine: "sim".into(),
                    processor,
                    meus: 3,
                    chaos,
                    poison: true,
                    ..Options::default()
                };
                let expected = output(&text, precision, &reference(&options));
                same(&output(&text, precision, &options), &expected, &format!("{options:?}:\n{text}"));
            }
        }
    }
}

/// How many block operations of a program the PPE executes.
fn on_the_ppe(text: &str) -> u64 {
    let session = Session::new(&Options { engine: "sim".into(), meus: 2, ..Options::default() }).unwrap();
    let run = RunOptions { precision: Precision::Single, ..RunOptions::default() };
    let mut out = Vec::new();
    Runner::new(&session, run, &mut out).run(&parse(text.as_bytes(), "test").unwrap(), |_| ()).unwrap();
    session.reports().iter().find(|report| report.meu.is_none()).unwrap().operations
}

#[test]
fn the_ppe_moves_few_elements_only() {
    if !can_run() {
        return;
    }
    let rectangles = "a = rand(300, 200, 1); b = transpose(a(3:290, 5:180)); d = horzcat(b, b); c = vertcat(d, d); print(sum(sum(c > 0.5)));";
    assert_eq!(on_the_ppe(rectangles), 0);
    let reduced =
        "a = rand(300, 200, 1); b = cumsum(a, 1); c = cumsum(b, 2); print(sum(c) + norm(c), norm(a));";
    assert_eq!(on_the_ppe(reduced), 0);
    let picked = "a = rand(300, 200, 1); b = a(300:-1:1, 1:3:199); c = tril(b(:, 67:-1:1)); d = triu(a(1:7:294, :), 3); print(sum(c), sum(d));";
    assert_eq!(on_the_ppe(picked), 0);
    for (many, few) in [
        ("reshape(a, 20, 54)", "reshape(a(1:8, 1:6), 6, 8)"),
        ("a(1:17:40, :)", "a(1:17:40, 1:9)"),
        ("repmat(a, 2, 2)", "repmat(a(1:3, 1:4), 2, 2)"),
        ("diag(a(:, 1))", "diag(a(1:7, 1))"),
    ] {
        let program = |moved: &str| format!("a = rand(40, 27, 1); print(sum({moved}));");
        assert_eq!(on_the_ppe(&program(many)), 0, "{many}");
        assert_eq!(on_the_ppe(&program(few)), 1, "{few}");
    }
}
