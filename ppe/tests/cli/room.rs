//! Programs whose matrices do not fit the memory that they may use are refused before anything is executed.

use crate::{file, pmatrix, run};

/// Three matrices of 8 MB that exist together.
const THREE: &str = "A = ones(1000, 1000);\nB = A * A;\nC = B + A;\nprint(C(1, 1));";

#[test]
fn what_does_not_fit_is_said_before_anything_is_shown_or_saved() {
    let saved = file("room-saved.csv", b"before");
    let program = format!("print(7); save(\"{}\", 1);\n{THREE}", saved.display());
    let (status, out, error) = run("room.trace", &program, &["--memory", "20000000"]);
    assert_eq!((status, out.as_str()), (1, ""), "{error}");
    assert_eq!(std::fs::read(&saved).unwrap(), b"before");
    assert!(error.starts_with("pmatrix: room.trace:5:"), "{error}");
    for text in ["out of memory: 8000000 bytes for ", "1000x1000", " may take 20000000 (--memory"] {
        assert!(error.contains(text), "no '{text}' in {error}");
    }
    let outcome = run("room.trace", &program, &["--memory", "30000000"]);
    assert_eq!(outcome, (0, "   7\n   1001\n".into(), String::new()));
    assert_ne!(std::fs::read(&saved).unwrap(), b"before");
}

#[test]
fn a_file_that_the_program_itself_writes_is_not_asked_for_its_size() {
    let saved = file("room-written.csv", b"1,2,3");
    let name = saved.display();
    let program = format!("save(\"{name}\", ones(1, 2));\nA = load(\"{name}\");\nprint(A * 2);");
    assert_eq!(run("written.trace", &program, &[]), (0, "   2   2\n".into(), String::new()));
}

#[test]
fn an_input_that_does_not_fit_is_named_with_its_bytes() {
    let (status, out, error) =
        run("input.trace", "A = ones(10, 10);\nB = rand(2000, 1000, 1);", &["--memory", "9000000"]);
    assert_eq!((status, out.as_str()), (1, ""));
    let expected = "pmatrix: input.trace:2:5: out of memory: 16000000 bytes for a 2000x1000 matrix: the other matrices of the \
                    program take ";
    assert!(error.starts_with(expected), "{error}");
    // Half as much in single precision still does not fit; a quarter does.
    let single = |rows: u32| {
        let program = format!("A = ones(10, 10);\nB = rand({rows}, 1000, 1); print(B(1, 1) < 2);");
        run("input.trace", &program, &["--memory", "9000000", "--single"]).0
    };
    assert_eq!([single(3000), single(1000)], [1, 0]);
}

#[test]
fn matrices_that_are_gone_leave_room() {
    let program = "A = ones(1000, 1000);\nA = A * A;\nprint(A(1, 1));\nA = A * ones(1000, 1000);\nA = transposed(A);\nprint(A(1, 1));";
    let options = ["--memory", "36000000", "--engine", "host"];
    assert_eq!(run("gone.trace", program, &options), (0, "   1000\n   1000000\n".into(), String::new()));
}

#[test]
fn a_simulation_is_refused_too_and_other_failures_are_those_of_the_run() {
    let path = file("room-simulated.trace", THREE.as_bytes());
    let simulate = |memory: &str| pmatrix(&["simulate", "--memory", memory, path.to_str().unwrap()]);
    let output = simulate("20000000");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--memory"));
    assert!(simulate("40000000").status.success());
    let (status, out, error) = run("wrong.trace", "print(1);\nA = ones(2, 3) * ones(2, 3);", &[]);
    assert_eq!((status, out.as_str()), (1, "   1\n"));
    assert!(error.contains("wrong.trace:2:"), "{error}");
}
