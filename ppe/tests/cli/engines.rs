//! Time models, and the engines that simulate a Cell or need one.

use crate::{command, file, pmatrix, run};

#[test]
fn a_measured_model_can_be_used() {
    let file = |name: &str| format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let (model, program) = (file("measured.model"), file("measured.trace"));
    std::fs::write(&program, "A = ones(3, 3);\nprint(A * A);\n").unwrap();
    let page = file("measured.html");
    let profiled = pmatrix(&["profile", "--kinds", "sin,sum", "--output", &model, "--report", &page]);
    assert!(profiled.status.success(), "{}", String::from_utf8_lossy(&profiled.stderr));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<td>sum</td><td>double</td>") && !page.contains("<td>cos</td>"), "{page}");
    let used = pmatrix(&["run", "--model", &model, &program]);
    assert!(used.status.success(), "{}", String::from_utf8_lossy(&used.stderr));
    assert_eq!(pmatrix(&["profile", "--output", "/nonexistent/model"]).status.code(), Some(1));
}

#[test]
fn the_simulated_cell_counts_cycles() {
    let program = "A = ones(20, 20); B = A * A + sin(A); s = ones(1, 20) * B * ones(20, 1)";
    let options = ["--engine", "sim", "--meus", "2", "--cpu", "cell", "--timing", "--stats"];
    let (code, out, err) = run("sim.trace", program, &options);
    if err.contains("no MEU image") && std::env::var("REQUIRE_ALL").is_err() {
        println!("skipped: {err}");
        return;
    }
    assert_eq!((code, run("host.trace", program, &[]).1), (0, out), "{err}");
    for meu in ["MEU 0: ", "MEU 1: "] {
        let line = err.lines().find(|line| line.starts_with(meu)).unwrap();
        assert!(
            line.contains("bytes fetched") && line.contains("% dual-issued") && line.contains(" cycles"),
            "{line}"
        );
    }
    let (code, _, err) = run("cpu.trace", "x = 1", &["--engine", "sim", "--cpu", "cell2"]);
    assert!(code != 0 && err.contains("--cpu is 'cell2': it must be one of cell, celledp"), "{err}");
}

#[test]
fn without_spes_the_cell_engine_says_what_is_missing() {
    let path = file("cell.trace", b"x = 1");
    let output = command()
        .env("PMATRIX_LIBSPE2", "/nonexistent/libspe2.so.2")
        .args(["run", "--engine", "cell", "--meus", "1"])
        .arg(path)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let expected =
        if cfg!(target_endian = "little") { "big-endian order" } else { "/nonexistent/libspe2.so.2" };
    assert!(!output.status.success() && err.contains(expected), "{err}");
}
