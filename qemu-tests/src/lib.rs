//! Runs the `pmatrix` command that was built for the PPE (powerpc64, big-endian) under qemu, and computes on
//! this machine what it should print.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::operation::Precision;
use pmatrix::session::{Options, Session};

/// Blocks of all runs that are compared: the order of sums follows from them.
pub const BLOCK_ELEMENTS: usize = 256;
/// Rows and columns of a block are multiples of this.
pub const DIVISOR: usize = 4;
/// Products in an accumulation chain.
pub const CHAIN: usize = 3;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; None when a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it said on the standard error.
    pub err: String,
}

/// The program for the PPE.
#[derive(Debug, Clone)]
pub struct Emulated {
    binary: PathBuf,
}

impl Emulated {
    /// The program that `scripts/cross` has built, or None after a message that the test is skipped.
    ///
    /// # Panics
    /// If there is none and `REQUIRE_ALL=1`.
    #[must_use]
    pub fn find() -> Option<Emulated> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
        let binary = target.join("cross/powerpc64-unknown-linux-gnu/release/pmatrix");
        if binary.exists() {
            return Some(Emulated { binary });
        }
        let message = format!("scripts/cross has not built {}", binary.display());
        assert!(env::var_os("REQUIRE_ALL").is_none(), "{message}, and REQUIRE_ALL asks for it");
        println!("skipped: {message}");
        None
    }

    /// The path of the libspe2 that was built with the program, whose SPEs are simulated.
    #[must_use]
    pub fn libspe2(&self) -> String {
        self.binary.with_file_name("libspe2.so").display().to_string()
    }

    /// Runs the command with these arguments, with `input` on its standard input and `variables` in its
    /// environment.
    ///
    /// # Panics
    /// If qemu cannot be started.
    #[must_use]
    pub fn command(&self, arguments: &[&str], input: &str, variables: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "240", "qemu-ppc64", "-L", "/usr/powerpc64-linux-gnu"]);
        command.arg(&self.binary).args(arguments);
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("PMATRIX_") || name.starts_with("LIBSPE2_"))
            {
                command.env_remove(name);
            }
        }
        command.envs(variables.iter().copied());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        if let Some(mut stdin) = child.stdin.take() {
            // A command that ends before it has read all closes the pipe, which its outcome shows.
            _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Outcome { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// Runs a program of the trace language with the blocks that [`native`] uses.
    #[must_use]
    pub fn run(
        &self,
        text: &str,
        precision: Precision,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Outcome {
        let (elements, divisor) = (BLOCK_ELEMENTS.to_string(), DIVISOR.to_string());
        let (chain, precision) = (CHAIN.to_string(), format!("--{}", precision.name()));
        let blocks =
            ["--block-elements", &elements, "--divisor", &divisor, "--chain", &chain, "--stretch", "true"];
        let arguments = [&["run"], &blocks[..], &[&precision, "--poison"], options, &["-"]].concat();
        self.command(&arguments, text, variables)
    }

    /// Runs a program, which has to print what this machine's host engine prints.
    ///
    /// # Panics
    /// If the run fails or prints something else.
    pub fn agrees(&self, text: &str, precision: Precision, options: &[&str], variables: &[(&str, &str)]) {
        let outcome = self.run(text, precision, options, variables);
        assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""), "{options:?}");
        compare(
            &outcome.out,
            &native(text, precision),
            precision,
            0,
            &format!("{options:?}, program:\n{text}"),
        );
    }
}

/// Compares two outputs number by number. With 0 units in the last place the texts have to be equal.
///
/// # Panics
/// If they differ, with the first line that does.
pub fn compare(found: &str, expected: &str, precision: Precision, ulps: u64, what: &str) {
    assert!(!expected.is_empty(), "nothing is printed: {what}");
    let same =
        |a: &str, b: &str| a == b || distance(a, b, precision).is_some_and(|distance| distance <= ulps);
    for (index, (f, e)) in found.lines().zip(expected.lines()).enumerate() {
        let (f, e): (Vec<_>, Vec<_>) = (f.split_whitespace().collect(), e.split_whitespace().collect());
        let column = f.iter().zip(&e).position(|(f, e)| !same(f, e));
        if let Some(column) = column {
            let line = index + 1;
            panic!("line {line}, number {}: {} here, {} there: {what}", column + 1, e[column], f[column]);
        }
        assert_eq!(f.len(), e.len(), "line {}: {what}", index + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{what}");
}

/// Units in the last place between two numbers of equal sign; None for other numbers.
fn distance(a: &str, b: &str, precision: Precision) -> Option<u64> {
    let (a, b) = (a.parse::<f64>().ok()?, b.parse::<f64>().ok()?);
    let comparable = a.is_finite() && b.is_finite() && a.is_sign_negative() == b.is_sign_negative();
    comparable.then(|| match precision {
        Precision::Single => u64::from((a as f32).to_bits().abs_diff((b as f32).to_bits())),
        Precision::Double | Precision::Byte => a.to_bits().abs_diff(b.to_bits()),
    })
}

/// What a program of the trace language prints on this machine: the host engine's results.
///
/// # Panics
/// If it fails.
#[must_use]
pub fn native(text: &str, precision: Precision) -> String {
    native_with(text, precision, Options::default())
}

/// What a program prints on this machine with the engine of these options.
///
/// # Panics
/// If it fails.
#[must_use]
pub fn native_with(text: &str, precision: Precision, options: Options) -> String {
    let options = Options {
        meus: 3,
        block_elements: Some(BLOCK_ELEMENTS),
        divisor: Some(DIVISOR),
        chain: Some(CHAIN),
        stretch: Some(true),
        ..options
    };
    let session = Session::new(&options).unwrap_or_else(|error| panic!("{error}"));
    let program = parse(text.as_bytes(), "program").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut out = Vec::new();
    let run = RunOptions { precision, ..RunOptions::default() };
    let result = Runner::new(&session, run, &mut out).run(&program, |_| ());
    result.unwrap_or_else(|error| panic!("{error}\n{text}"));
    String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"))
}

/// A program that prints what it would otherwise only compute.
#[must_use]
pub fn printing(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix("force(") {
        Some(values) => format!("print({values}"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The repository.
///
/// # Panics
/// If this crate lies elsewhere.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or_else(|| panic!("qemu-tests lies in the repository"))
}
