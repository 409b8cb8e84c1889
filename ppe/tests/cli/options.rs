//! Options, environment variables and help.

use std::process::Command;

use crate::{command, file, pmatrix};

#[test]
fn senseless_options_are_usage_errors() {
    let path = file("fine.trace", b"x = 1");
    let path = path.to_str().unwrap();
    let check = |options: &[&str], message: &str| {
        let output = pmatrix(&[&["run"], options, &[path]].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{options:?}: {error}");
        assert!(output.stdout.is_empty());
    };
    for meus in ["0", "-1", "many", "4097", "99999999999999999999"] {
        let message = format!("pmatrix: --meus is '{meus}': it must be a whole number from 1 to 4096\n");
        check(&["--meus", meus], &message);
    }
    for option in ["max-operations", "max-depth", "max-bytes"] {
        let message = format!("--{option} is '0': it must be a whole number from 1 to 4503599627370496");
        check(&[&format!("--{option}"), "0"], &message);
    }
    check(&["--chunk", "0"], "--chunk is '0': it must be a whole number from 1 to 16777216");
    check(&["--block-elements", "1000000"], "local store");
    check(&["--divisor", "0"], "--divisor is '0'");
    check(&["--stretch", "maybe"], "--stretch is 'maybe': it must be true or false, on or off, 1 or 0");
    check(&["--engine", "warp"], "--engine is 'warp': it must be one of host, cell, sim, reference, null");
    check(
        &["--scheduler", "none"],
        "--scheduler is 'none': it must be one of heuristic, round-robin, hlfet, online, portfolio",
    );
    check(&["--arithmetic", "nonsense"], "--arithmetic is 'nonsense': it must be one of ieee, spu");
    check(&["--cpu", "z80"], "--cpu is 'z80': it must be one of cell, celledp");
    check(&["--nonsense"], "unexpected argument");
    assert_eq!(pmatrix(&[]).status.code(), Some(2));
    assert_eq!(pmatrix(&["unroll", "nothing"]).status.code(), Some(2));
    assert_eq!(pmatrix(&["random", "--operations", "divine"]).status.code(), Some(2));
    assert_eq!(pmatrix(&["random", "--min-side", "9", "--max-side", "3"]).status.code(), Some(2));
}

#[test]
fn the_environment_sets_defaults() {
    let path = file("environment.trace", b"x = ones(2, 2) * 2");
    let output = command().env("PMATRIX_ENGINE", "warp").arg("run").arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = command()
        .env("PMATRIX_ENGINE", "warp")
        .args(["run", "--engine", "reference"])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let info = command()
        .env("PMATRIX_MEUS", "5")
        .env("PMATRIX_SCHEDULER", "round-robin")
        .arg("info")
        .output()
        .unwrap();
    let text = String::from_utf8(info.stdout).unwrap();
    assert!(text.contains("MEUs: 5\n") && text.contains("(in use: round-robin)"), "{text}");
}

#[test]
fn variables_count_where_no_option_is_given() {
    let path = file("variables.trace", b"x = 1");
    let run = |variables: &[(&str, &str)], options: &[&str]| {
        let mut command = command();
        command.envs(variables.iter().copied()).arg("run").args(options).arg(&path);
        let output = command.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let refused = |name: &str, value: &str, allowed: &str| {
        let text = format!("pmatrix: the environment variable {name} is '{value}': it must be {allowed}\n");
        assert_eq!(run(&[(name, value)], &[]), (2, text));
    };
    refused("PMATRIX_MEUS", "100000", "a whole number from 1 to 4096");
    refused("PMATRIX_MAX_BYTES", "abc", "a whole number from 1 to 4503599627370496");
    refused("PMATRIX_MAX_DEPTH", "0", "a whole number from 1 to 4503599627370496");
    refused("PMATRIX_OVERLAP", "maybe", "true or false, on or off, 1 or 0");
    refused("PMATRIX_ENGINE", "abacus", &format!("one of {}", pmatrix::session::ENGINES.join(", ")));
    assert_eq!(run(&[("PMATRIX_MEUS", "0"), ("PMATRIX_MODEL", "")], &["--meus", "1"]), (0, String::new()));
    let (code, text) = run(&[("PMATRIX_MODEL", "/nonexistent")], &[]);
    assert_eq!((code, text.as_str()), (3, "pmatrix: /nonexistent: No such file or directory (os error 2)\n"));
    let info = |variables: &[(&str, &str)], options: &[&str]| {
        let output = command().envs(variables.iter().copied()).arg("info").args(options).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(info(&[("PMATRIX_MAX_DEPTH", "77")], &[]).contains(", 77 deep, "));
    assert!(info(&[("PMATRIX_MAX_DEPTH", "77")], &["--max-depth", "78"]).contains(", 78 deep, "));
    assert!(info(&[("PMATRIX_ENGINE", "null"), ("PMATRIX_MEUS", "3")], &[]).contains("MEUs: 3\n"));
}

#[test]
fn help_tells_the_exit_codes() {
    for arguments in [vec!["--help"], vec!["run", "--help"], vec!["dump", "--help"]] {
        let output = pmatrix(&arguments);
        assert_eq!(output.status.code(), Some(0));
        assert!(String::from_utf8(output.stdout).unwrap().contains("Exit codes:"));
    }
    assert_eq!(pmatrix(&["--version"]).status.code(), Some(0));
}

/// The examples of the help are commands that work.
#[test]
fn every_command_has_an_example() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let runner = std::env::var("PMATRIX_TEST_RUNNER").unwrap_or_default();
    let program = format!("{runner} {}", env!("CARGO_BIN_EXE_pmatrix"));
    let mut found = 0;
    for name in ["", "run", "dump", "random", "unroll", "profile", "optimal", "simulate", "info"] {
        let arguments: Vec<&str> = [name, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        let help = String::from_utf8(pmatrix(&arguments).stdout).unwrap();
        let examples = help.split("Example").nth(1).unwrap_or_else(|| panic!("{name}: {help}"));
        let commands = examples
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| line.contains("pmatrix "));
        for command in commands {
            found += 1;
            if name == "profile" {
                // What it measures is another test.
                continue;
            }
            let command =
                command.replace("| dot -Tsvg > add.svg", "> /dev/null").replace("pmatrix ", "$PMATRIX ");
            let output = Command::new("sh")
                .args(["-ec", &command])
                .env("PMATRIX", &program)
                .current_dir(folder)
                .output();
            let output = output.unwrap();
            assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    assert!(found >= 8);
}
