//! `pmatrix explain`: what would be executed where, why, at which cost, and hints.

use crate::{file, pmatrix};

fn explained(name: &str, program: &str, options: &[&str]) -> String {
    let path = file(name, program.as_bytes());
    let output = pmatrix(&[&["explain", "--meus", "2"], options, &[path.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A duration in nanoseconds.
fn nanoseconds(text: &str) -> f64 {
    let mut words = text.split([' ', ';', ',', '\n']);
    let number: f64 = words.next().unwrap().parse().unwrap();
    number
        * [("ns", 1.0), ("us", 1e3), ("ms", 1e6)]
            .into_iter()
            .find(|(unit, _)| words.clone().next() == Some(unit))
            .unwrap()
            .1
}

#[test]
fn each_planned_operation_has_its_place_reasons_and_cost() {
    let program = "A = rand(400, 400, 1)\nB = sin(A) + 1\nC = A * B\n";
    let path = file("explain_plan.trace", program.as_bytes());
    let plan = pmatrix(&["dump", "--stage", "plan", "--meus", "2", path.to_str().unwrap()]);
    let text = explained("explain_plan.trace", program, &[]);
    // The plan is that of `dump`, line by line.
    for line in String::from_utf8(plan.stdout).unwrap().lines() {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert!(
        text.contains("line 2: %1 add: program of 2 steps") && text.contains("line 3: %2 multiply: "),
        "{text}"
    );
    assert_eq!(text.matches("  costs ").count(), 2, "{text}");
    // Costs and streams add up to the same time.
    let sum = |mark: &str| -> f64 { text.split(mark).skip(1).map(nanoseconds).sum() };
    let (costs, busy) = (sum("  costs "), sum(", busy "));
    assert!(costs > 0.0 && (costs - busy).abs() < 0.01 * costs, "{costs} {busy}\n{text}");
    let first = "3 operations become ";
    assert!(
        text.starts_with(first) && text.contains(" block operations, on 2 MEUs of engine host\n"),
        "{text}"
    );
    assert!(!text.contains("hints"), "{text}");
}

#[test]
fn operations_that_are_alike_are_told_once() {
    let text = explained(
        "explain_alike.trace",
        &["A = rand(90, 90, 1);\nB = A;\n", &"B = B * A;\n".repeat(9)].concat(),
        &[],
    );
    assert!(
        text.contains("lines 3 to 11, 9 operations alike: %0 multiply: ") && text.contains(" each in "),
        "{text}"
    );
    assert_eq!(text.matches("  costs ").count(), 1, "{text}");
}

#[test]
fn hints_name_conversions_thin_products_the_ppe_and_frequent_forces() {
    let program = "a = single(rand(300, 300, 1));\nv = rand(300, 1, 2);\nb = a .* 2;\nw = rand(4, 4, 3) * rand(4, 4, 4);\n";
    let text = explained("explain_hints.trace", &[program, &"print(b);\n".repeat(6)].concat(), &[]);
    let hints = text.split("\nhints\n").nth(1).unwrap_or_default();
    assert!(hints.contains("line 1: a 300x300 operand is converted to single here"), "{text}");
    assert!(hints.contains("line 4: a 4x4 product takes "), "{text}");
    assert!(hints.contains("lines 5 to 10: 6 statements show, save or force values"), "{text}");
    let text =
        explained("explain_ppe.trace", "A = rand(50, 50, 1)\nB = cos(A * A)\n", &["--meu-kinds", "multiply"]);
    assert!(text.contains("  the PPE executes what MEUs do not have (cos)"), "{text}");
    assert!(text.contains("on 2 MEUs and the PPE of engine host"), "{text}");
    assert_eq!(explained("explain_nothing.trace", "a = 1\n", &[]), "the program leaves nothing to execute\n");
}

#[test]
fn the_memory_of_a_run_is_told_and_whether_it_is_too_little() {
    let program = "A = rand(400, 400, 1);\nB = sin(A);\nC = A * B\n";
    let text = explained("explain_memory.trace", program, &["--memory", "50000000"]);
    let (_, told) = text.split_once("its matrices take at most ").expect(&text);
    let (bytes, of) = told.split_once(" bytes at a time, of ").expect(&text);
    // Three matrices of 400 x 400 doubles, and little else.
    let bytes: u64 = bytes.parse().expect(&text);
    assert!((3_840_000..6_000_000).contains(&bytes) && of.starts_with("50000000 (--memory)"), "{text}");
    let text = explained("explain_memory.trace", program, &["--memory", "2000000"]);
    assert!(text.contains("a run of it is refused: "), "{text}");
    assert!(text.contains(": out of memory: 1280000 bytes for ") && text.contains("costs"), "{text}");
}
