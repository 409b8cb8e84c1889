//! The command line: what it prints, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod built;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn command() -> Command {
    let mut command = built::command(env!("CARGO_BIN_EXE_pmatrix"));
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for variable in variables.filter(|name| name.starts_with("PMATRIX_") && name != "PMATRIX_LIBSPE2") {
        command.env_remove(variable);
    }
    command
}

fn pmatrix(arguments: &[&str]) -> Output {
    command().args(arguments).output().unwrap()
}

/// A file for one test.
fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

/// Runs a program with some options; exit code, standard output, standard error without the file's directory.
fn run(name: &str, program: &str, options: &[&str]) -> (i32, String, String) {
    let path = file(name, program.as_bytes());
    let output = command().arg("run").args(options).arg(&path).output().unwrap();
    let directory = format!("{}/", path.parent().unwrap().display());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&directory, "");
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

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
    check(&["--scheduler", "none"], "--scheduler is 'none': it must be one of heuristic, round-robin");
    check(&["--arithmetic", "nonsense"], "--arithmetic is 'nonsense': it must be one of ieee, spu");
    check(&["--cpu", "z80"], "--cpu is 'z80': it must be one of cell, celledp");
    check(&["--nonsense"], "unexpected argument");
    assert_eq!(pmatrix(&[]).status.code(), Some(2));
    assert_eq!(pmatrix(&["unroll", "nothing"]).status.code(), Some(2));
    assert_eq!(pmatrix(&["random", "--operations", "divine"]).status.code(), Some(2));
    assert_eq!(pmatrix(&["random", "--min-side", "9", "--max-side", "3"]).status.code(), Some(2));
}

#[test]
fn missing_and_malformed_files() {
    assert_eq!(pmatrix(&["run", "no/such.trace"]).status.code(), Some(3));
    let binary = file("binary.trace", b"x = 1\n\xff\xfe");
    let output = pmatrix(&["run", binary.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("binary.trace:2:1: this is not text (UTF-8)\n")
    );
    let data = file("bad.csv", b"1,2\n3,x\n");
    let (code, _, error) = run("load.trace", &format!("A = load('{}')", data.display()), &[]);
    let first = error.lines().next().unwrap();
    assert_eq!((code, first), (3, "pmatrix: load.trace:1:5: bad.csv:2: column 2: 'x' is not a number"));
    let model = file("bad.model", b"nonsense\n");
    let (code, ..) = run("model.trace", "x = 1", &["--model", model.to_str().unwrap()]);
    assert_eq!(code, 3);
    let (code, _, error) = run("unwritable.trace", "save('no/such/file', 1)", &[]);
    assert_eq!(code, 1);
    assert!(error.contains("results cannot be written: no/such/file"), "{error}");
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

/// A file has neither a bar nor lines, unless they are asked for.
#[test]
fn progress_is_shown_where_it_is_wanted() {
    let program = "A = ones(200, 200); print((A * A)(1, 1))";
    assert_eq!(run("quiet.trace", program, &[]), (0, "   200\n".into(), String::new()));
    let (code, out, err) = run("progress.trace", program, &["--progress", "--meus", "2"]);
    assert_eq!((code, out.as_str()), (0, "   200\n"));
    let last = err.lines().last().unwrap();
    assert!(last.contains(" block operations, chunk ") && last.contains(", 2 MEUs, "), "{err}");
    let counts: Vec<u64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(counts[0] > 0 && counts[0] == counts[1], "{err}");
    assert_eq!(run("both.trace", "x = 1", &["--progress", "--quiet"]).0, 2);
}

#[test]
fn a_terminal_gets_a_bar() {
    let program = file("bar.trace", b"A = ones(200, 200); print((A * A)(1, 1)); x = 5");
    let text = on_a_terminal(&["run", "--progress", program.to_str().unwrap()]);
    assert!(text.contains(" block operations, chunk ") && text.contains(" %  "), "{text:?}");
    // Results stand on lines of their own.
    assert!(text.contains("x = 5\r\n") && !text.contains(" %  x"), "{text:?}");
    let text = on_a_terminal(&["run", "--quiet", program.to_str().unwrap()]);
    assert_eq!(text, "   200\r\nx = 5\r\n");
}

/// What a command writes when its output and its errors go to a terminal.
fn on_a_terminal(arguments: &[&str]) -> String {
    use std::io::Read;
    use std::os::fd::FromRawFd;
    use std::ptr::{null, null_mut};
    let (mut master, mut slave) = (0, 0);
    // SAFETY: both descriptors are variables of this frame; the other arguments may be null.
    let status = unsafe { libc::openpty(&raw mut master, &raw mut slave, null_mut(), null(), null()) };
    assert_eq!(status, 0, "there are no terminals here");
    // SAFETY: both were just opened, and belong to nothing else.
    let (mut master, slave) =
        unsafe { (std::fs::File::from_raw_fd(master), std::fs::File::from_raw_fd(slave)) };
    let mut command = command();
    command.args(arguments).env("TERM", "xterm").stdout(slave.try_clone().unwrap()).stderr(slave);
    let mut child = command.spawn().unwrap();
    // The command holds the terminal's other side; the end of the text is the end of all who do.
    drop(command);
    let mut text = Vec::new();
    // Linux ends a terminal nobody holds any more with an error.
    _ = master.read_to_end(&mut text);
    assert!(child.wait().unwrap().success());
    String::from_utf8(text).unwrap()
}

#[test]
fn a_program_that_shows_nothing_says_what_it_did() {
    let check = |program: &str, message: &str| {
        assert_eq!(run("silent.trace", program, &[]), (0, String::new(), message.into()), "{program}");
    };
    let rest = "nothing was shown: print (x) shows a value\n";
    check("A = ones(3, 3); B = A + 1; force(B);", &format!("pmatrix: 1 operation was executed; {rest}"));
    check(
        "A = ones(3, 3); B = A * A;",
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
    for name in ["", "run", "dump", "random", "unroll", "profile", "info"] {
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

#[test]
fn saved_matrices_come_back() {
    let directory = env!("CARGO_TARGET_TMPDIR");
    let mut program = String::from("A = rand(5, 3, 1) - 0.5;\n");
    for name in ["saved.txt", "saved.csv", "saved.mtx", "saved.npy"] {
        program += &format!(
            "save('{directory}/{name}', A);\nprint(abs(load('{directory}/{name}') - A) * ones(3, 1));\n"
        );
    }
    let (code, out, err) = run("saved.trace", &program, &[]);
    assert_eq!((code, out, err), (0, "   0\n".repeat(20), String::new()));
}

/// A full disk, which a limit on the size of files stands for, and a device without room.
#[test]
fn a_failed_save_leaves_the_old_file() {
    use std::os::unix::process::CommandExt;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("full");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, elements) in
        [("old.npy", 100_000), ("old.csv", 100_000), ("old.mtx", 100_000), ("old.txt", 100_000)]
    {
        let old = folder.join(name);
        std::fs::write(&old, "the old contents").unwrap();
        let program = file(
            &format!("{name}.trace"),
            format!("save('{}', rand({elements}, 1, 1))", old.display()).as_bytes(),
        );
        let mut command = command();
        command.arg("run").arg(&program);
        // SAFETY: both calls are allowed between fork and exec, and take nothing but numbers and a structure of this frame.
        unsafe {
            command.pre_exec(|| {
                let limit = libc::rlimit { rlim_cur: 65536, rlim_max: 65536 };
                libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                Ok(())
            });
        }
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(&format!("results cannot be written: {}: ", old.display())), "{error}");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "the old contents");
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
    let (code, _, error) = run("device.trace", "save('/dev/full', rand(100, 100, 1))", &[]);
    assert!(code == 1 && error.contains("results cannot be written: /dev/full: No space left"), "{error}");
    let shown = file("shown_full.trace", b"x = 1");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command().arg("run").arg(&shown).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("results cannot be written: No space left"));
}

/// A file that is replaced keeps its permissions, and a link to it stays a link.
#[test]
fn a_saved_file_is_what_the_old_one_was() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("replaced");
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (old, link) = (folder.join("old.txt"), folder.join("link.txt"));
    std::fs::write(&old, "the old contents").unwrap();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&old, &link).unwrap();
    let (code, ..) = run("replace.trace", &format!("save('{}', 5)", link.display()), &[]);
    assert_eq!((code, std::fs::read_to_string(&old).unwrap().as_str()), (0, "5\n"));
    assert_eq!(old.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    let (code, ..) = run("new.trace", &format!("save('{}', 6)", folder.join("new.txt").display()), &[]);
    let made = folder.join("new.txt").metadata().unwrap().permissions().mode();
    let usual = file("usual", b"").metadata().unwrap().permissions().mode();
    assert_eq!((code, made), (0, usual));
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
fn a_measured_model_can_be_used() {
    let file = |name: &str| format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let (model, program) = (file("measured.model"), file("measured.trace"));
    std::fs::write(&program, "A = ones(3, 3);\nprint(A * A);\n").unwrap();
    let profiled = pmatrix(&["profile", "--output", &model]);
    assert!(profiled.status.success(), "{}", String::from_utf8_lossy(&profiled.stderr));
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
    refused("PMATRIX_ENGINE", "abacus", "one of host, cell, sim, reference, null");
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
fn files_that_never_end_are_refused_at_once() {
    let path = file("endless.trace", b"x = load('/dev/zero')");
    let check = |arguments: &[&str], code: i32, message: &str| {
        let output = pmatrix(arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && text.contains(message), "{arguments:?}: {text}");
    };
    let path = path.to_str().unwrap();
    check(&["run", path], 3, "/dev/zero: it is no regular file");
    check(&["run", "/dev/urandom"], 3, "/dev/urandom: it is no regular file");
    check(&["run", "--model", "/dev/urandom", path], 3, "/dev/urandom: it is no regular file");
}
