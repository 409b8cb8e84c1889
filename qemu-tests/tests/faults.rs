//! What fails says what failed, and leaves everything else as it was.

use pmatrix::operation::Precision;
use qemu_tests::Emulated;

#[test]
fn a_complex_result_is_named_and_what_came_before_is_shown() {
    let Some(pmatrix) = Emulated::find() else { return };
    let text =
        "a = ones(40, 40) * -8;\nprint(ones(1, 40) * a * ones(40, 1));\nb = a .^ (1 / 3);\nprint(b);\n";
    for engine in ["host", "reference"] {
        let outcome = pmatrix.run(text, Precision::Double, &["--engine", engine], &[]);
        assert_eq!((outcome.code, outcome.out.trim()), (Some(1), "-12800"), "{outcome:?}");
        assert!(outcome.err.contains(":3:") && outcome.err.contains("complex"), "{}", outcome.err);
    }
}

#[test]
fn senseless_options_are_refused() {
    let Some(pmatrix) = Emulated::find() else { return };
    let outcome = pmatrix.run("", Precision::Double, &["--engine", "magic"], &[]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.err.contains("--engine is 'magic': it must be one of"), "{}", outcome.err);
}
