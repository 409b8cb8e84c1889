//! The Cell engine: the program for the PPE drives the MEU's SPE program through a libspe2 whose SPEs are
//! simulated.

use std::fs;

use pmatrix::lang::programs;
use pmatrix::lang::random::{RandomOptions, program};
use pmatrix::operation::{KindSet, OpKind, Precision};
use pmatrix::session::{Options, Processor};
use qemu_tests::{Emulated, Outcome, compare, native_with, printing, root};

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A program in double precision, whose results do not depend on the SPU's single precision.
fn double_only(text: &str) -> String {
    text.replace("single(", "(")
}

/// Runs a program on that many SPEs of a kind of Cell, and compares it with the host engine of this machine.
fn agrees(pmatrix: &Emulated, text: &str, meus: usize, cpu: &str) {
    let (meus, library) = (meus.to_string(), pmatrix.libspe2());
    let variables =
        [("PMATRIX_LIBSPE2", library.as_str()), ("LIBSPE2_SIM_SPES", "16"), ("LIBSPE2_SIM_CPU", cpu)];
    pmatrix.agrees(text, Precision::Double, &["--engine", "cell", "--meus", &meus], &variables);
}

#[test]
fn operations_in_double_precision_have_the_bits_of_the_host() {
    let Some(pmatrix) = Emulated::find() else { return };
    for cpu in ["cell", "celledp"] {
        for path in [
            "qemu-tests/tests/programs/operations.trace",
            "ppe/examples/add.trace",
            "ppe/tests/golden/power.trace",
        ] {
            agrees(&pmatrix, &double_only(&printing(&text(path))), 2, cpu);
        }
    }
    // What a Cell BE cannot compute with: denormal operands.
    agrees(&pmatrix, &double_only(&text("qemu-tests/tests/programs/special.trace")), 2, "celledp");
}

#[test]
fn single_precision_has_the_bits_of_the_simulated_cell_on_this_machine() {
    let Some(pmatrix) = Emulated::find() else { return };
    let library = pmatrix.libspe2();
    let operations = text("qemu-tests/tests/programs/operations.trace");
    // Functions that the C library computes, on the PPE, have other code on other machines.
    let nine =
        programs::NAMES.map(|name| printing(&programs::text(name, programs::Size::Tiny).unwrap_or_default()));
    for (cpu, processor) in [("cell", Processor::CellBe), ("celledp", Processor::PowerXCell8i)] {
        for text in nine.iter().chain([&operations]) {
            let options = Options { engine: "sim".into(), processor, ..Options::default() };
            let expected = native_with(text, Precision::Single, options);
            let variables = [("PMATRIX_LIBSPE2", library.as_str()), ("LIBSPE2_SIM_CPU", cpu)];
            let outcome =
                pmatrix.run(text, Precision::Single, &["--engine", "cell", "--meus", "4"], &variables);
            assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""), "{cpu}");
            compare(&outcome.out, &expected, Precision::Single, 0, &format!("{cpu}, program:\n{text}"));
        }
    }
}

#[test]
fn functions_of_overlays_have_the_bits_of_the_simulated_cell_on_this_machine() {
    let Some(pmatrix) = Emulated::find() else { return };
    let library = pmatrix.libspe2();
    let text = text("qemu-tests/tests/programs/overlays.trace");
    for (cpu, processor) in [("cell", Processor::CellBe), ("celledp", Processor::PowerXCell8i)] {
        for (precision, seed) in [(Precision::Single, "1"), (Precision::Double, "2")] {
            let options = Options { engine: "sim".into(), processor, ..Options::default() };
            let expected = native_with(&text, precision, options);
            let variables = [
                ("PMATRIX_LIBSPE2", library.as_str()),
                ("LIBSPE2_SIM_CPU", cpu),
                ("LIBSPE2_SIM_REORDER", seed),
            ];
            let outcome = pmatrix.run(&text, precision, &["--engine", "cell", "--meus", "4"], &variables);
            assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""), "{cpu}");
            compare(&outcome.out, &expected, precision, 0, &format!("{cpu}, program:\n{text}"));
        }
    }
}

#[test]
fn the_order_of_dma_does_not_matter() {
    let Some(pmatrix) = Emulated::find() else { return };
    let library = pmatrix.libspe2();
    let text = text("qemu-tests/tests/programs/operations.trace");
    for seed in ["1", "2", "3"] {
        let variables = [("PMATRIX_LIBSPE2", library.as_str()), ("LIBSPE2_SIM_REORDER", seed)];
        pmatrix.agrees(&text, Precision::Double, &["--engine", "cell", "--meus", "5"], &variables);
    }
}

#[test]
fn the_nine_programs() {
    let Some(pmatrix) = Emulated::find() else { return };
    for name in programs::NAMES {
        let text = programs::text(name, programs::Size::Tiny).unwrap_or_default();
        agrees(&pmatrix, &printing(&text), 3, "celledp");
    }
}

#[test]
fn any_number_of_spes() {
    let Some(pmatrix) = Emulated::find() else { return };
    for meus in 1..=16 {
        let operations = OpKind::ALL.into_iter().filter(|&kind| KindSet::PAPER.contains(kind)).collect();
        let options = RandomOptions {
            length: 20,
            min_side: 1,
            max_side: 40,
            seed: meus as u64,
            operations,
            ..RandomOptions::default()
        };
        agrees(&pmatrix, &double_only(&program(&options)), meus, ["cell", "celledp"][meus % 2]);
    }
}

#[test]
fn all_spes_are_used_unless_told_otherwise() {
    let Some(pmatrix) = Emulated::find() else { return };
    let library = pmatrix.libspe2();
    let variables = [("PMATRIX_LIBSPE2", library.as_str()), ("LIBSPE2_SIM_SPES", "6")];
    let outcome = pmatrix.run("print(ones(3, 3) + 1);", Precision::Double, &["--engine", "cell"], &variables);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let outcome =
        pmatrix.run("print(1);", Precision::Double, &["--engine", "cell", "--meus", "7"], &variables);
    assert!(outcome.code != Some(0) && outcome.err.contains("7 SPEs are wanted"), "{outcome:?}");
}

#[test]
fn what_is_missing_is_named() {
    let Some(pmatrix) = Emulated::find() else { return };
    let variables = [("PMATRIX_LIBSPE2", "/nonexistent/libspe2.so.2")];
    let outcome =
        pmatrix.run("print(1);", Precision::Double, &["--engine", "cell", "--meus", "1"], &variables);
    assert!(outcome.code != Some(0) && outcome.err.contains("/nonexistent/libspe2.so.2"), "{outcome:?}");
}

#[test]
fn an_spe_that_is_lost_and_an_operation_that_fails_are_named() {
    let Some(pmatrix) = Emulated::find() else { return };
    let library = pmatrix.libspe2();
    // An MEU starts within this limit, and no product of this size ends within it: the library ends the
    // program, as it would end one that hangs.
    let variables =
        [("PMATRIX_LIBSPE2", library.as_str()), ("LIBSPE2_SIM_LIMIT", "6000"), ("LIBSPE2_SIM_QUIET", "1")];
    let text = "a = ones(200, 200);\nb = a * a;\nprint(b);\n";
    let Outcome { code, err, out } =
        pmatrix.run(text, Precision::Double, &["--engine", "cell", "--meus", "2"], &variables);
    // Both MEUs are lost, and what takes their place computes the product.
    let names = |meu: u32| err.contains(&format!("MEU {meu} is lost")) && err.contains(":2; ");
    assert!(code == Some(0) && names(0) && names(1) && err.contains("no MEU is left"), "{code:?} {err}");
    assert!(out.contains("200") && !out.contains("199"), "{out}");
    let domain = "a = ones(40, 40) * -8;\nb = a .^ (1 / 3);\nprint(b);\n";
    let variables = [("PMATRIX_LIBSPE2", library.as_str())];
    let Outcome { code, err, .. } =
        pmatrix.run(domain, Precision::Double, &["--engine", "cell", "--meus", "2"], &variables);
    assert!(code == Some(1) && err.contains(":2:") && err.contains("complex"), "{code:?} {err}");
}
