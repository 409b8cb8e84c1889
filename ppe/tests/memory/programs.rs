//! Programs of the trace language: read, run, with files that they load and save.

use std::path::Path;

use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::memory::injection;
use pmatrix::session::{Options, Session};

use crate::{alone, refuse_every_allocation};

/// Room for what the program shows: the test itself wants no memory while none is there.
const OUTPUT_BYTES: usize = 1 << 18;

/// Products with an epilogue, programs, moves, reductions, a solution, short operations, and files.
fn text(file: &Path) -> String {
    let file = file.display();
    format!(
        "A = rand(40, 60, 1); P = (A * A') .* 2 - 1; T = sum(cumsum(P), 2); N = norm(P); \
         G = horzcat(P, P)(3:20, 7:50); V = sin(G) ./ (1 + abs(G)); L = P(:, 40:-1:1) <= P; c = 3 + 4 * N; force(V); \
         save(\"{file}\", [1 2; 3 4] * 2); F = load(\"{file}\"); print(sum(T), c, sum(sum(V)), sum(sum(L)), F);"
    )
}

/// What the program shows, or the text of its error.
fn run(session: &Session, text: &str, out: &mut Vec<u8>) -> Result<(), String> {
    out.clear();
    let program = parse(text.as_bytes(), "test").map_err(|error| error.to_string())?;
    Runner::new(session, RunOptions::default(), out).run(&program, |_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_program_without_memory_fails_and_runs_again() {
    let _alone = alone();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory.npy");
    let text = text(&file);
    for (engine, overlap, immediate) in
        [("host", true, true), ("host", false, false), ("clock", false, false)]
    {
        let name = format!("a program on {engine}, overlap {overlap}, immediate {immediate}");
        let options = Options {
            engine: engine.into(),
            overlap,
            immediate,
            meus: 2,
            keep_bytes: 0,
            ..Options::default()
        };
        let session = Session::new(&options).unwrap();
        let mut out = Vec::with_capacity(OUTPUT_BYTES);
        run(&session, &text, &mut out).unwrap();
        let expected = out.clone();
        assert!(expected.len() > 40 && out.capacity() == OUTPUT_BYTES, "{} bytes", expected.len());
        let mut failures = 0;
        refuse_every_allocation(&name, |numbers| {
            injection::refuse(numbers.clone());
            let outcome = run(&session, &text, &mut out);
            let refused = injection::end();
            match outcome {
                Ok(()) => assert!(out == expected, "{name}, {numbers:?}"),
                Err(what) => {
                    assert!(what.contains("out of memory"), "{name}, {numbers:?}: {what}");
                    failures += 1;
                }
            }
            if numbers.start % 64 == 0 {
                run(&session, &text, &mut out).unwrap();
                assert!(out == expected, "{name}, again after {numbers:?}");
            }
            refused
        });
        assert!(failures > 10, "{name}: {failures} failures");
        assert_eq!(session.take_losses(), Vec::<String>::new(), "{name}");
    }
    std::fs::remove_file(file).unwrap();
}
