//! SPEs in two Cells, which have a memory each.

use pmatrix::engine::MeuReport;
use pmatrix::lang::programs::{Size, text};
use pmatrix::lang::{RunOptions, Runner, parse};
use pmatrix::session::{Options, Session};

fn run(program: &str, options: Options) -> (Vec<MeuReport>, String) {
    let session = Session::new(&Options { ppe_factor: 0.0, ..options }).unwrap();
    let mut out = Vec::new();
    let program = parse(program.as_bytes(), "test").unwrap();
    Runner::new(&session, RunOptions::default(), &mut out).run(&program, |_| ()).unwrap();
    (session.reports(), String::from_utf8(out).unwrap())
}

fn far(reports: &[MeuReport]) -> u64 {
    reports.iter().map(|report| report.far_bytes).sum()
}

fn moved(reports: &[MeuReport]) -> u64 {
    reports.iter().map(|report| report.fetched_bytes + report.written_bytes).sum()
}

/// Virtual time of simulated SPEs, or of the virtual clock.
fn ns(reports: &[MeuReport]) -> f64 {
    let cycles = |report: &MeuReport| report.pipeline.as_ref().map(|pipeline| pipeline.cycles as f64 / 3.2);
    let time = |report: &MeuReport| report.waits.map(|waits| waits.total_ns()).or(cycles(report));
    reports.iter().filter_map(time).fold(0.0, f64::max)
}

#[test]
fn two_cells_give_the_bits_of_one_and_equal_cycles_in_every_run() {
    if !super::can_run() {
        return;
    }
    for name in ["dft", "kmeans"] {
        let small = Options { block_elements: Some(64), divisor: Some(4), ..Options::default() };
        let of = |cells| {
            let options = Options {
                engine: "sim".into(),
                meus: 4,
                timing: true,
                cells,
                overlap: false,
                ..small.clone()
            };
            run(&text(name, Size::Tiny).unwrap(), options)
        };
        let (one, two) = (of(1), of(2));
        assert_eq!(one.1, two.1, "{name}");
        assert_eq!(of(2), two, "{name}");
        assert_eq!(far(&one.0), 0, "{name}");
        assert!(far(&two.0) > 0, "{name}");
    }
}

/// Sums of matrices that have several stripes in either memory: their transfers alone take time.
const SUMS: &str = "a = rand(512, 768, 1); b = rand(512, 768, 2); c = a + b; force(c);";

#[test]
fn the_memories_of_two_cells_move_more_than_one_as_the_virtual_clock_says() {
    if !super::can_run() {
        return;
    }
    let of = |engine: &str, cells| {
        let timing = engine == "sim";
        let options =
            Options { engine: engine.into(), timing, overlap: false, cells, meus: 16, ..Options::default() };
        run(SUMS, options).0
    };
    let [one, two] = [1, 2].map(|cells| of("sim", cells));
    assert!(ns(&two) < 0.7 * ns(&one), "{} {}", ns(&two), ns(&one));
    // Without a preference for what is near it would be half of the bytes.
    assert!(far(&two) < moved(&two) * 3 / 10, "{} of {}", far(&two), moved(&two));
    let ratio = ns(&of("clock", 2)) / ns(&two);
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
}
