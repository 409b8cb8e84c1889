//! `pmatrix manual` and `pmatrix completions`: what is generated from the description of the command line.

use crate::pmatrix;

#[test]
fn each_command_has_a_manual_page() {
    let folder = format!("{}/manual", env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).unwrap();
    let output = pmatrix(&["manual", &folder]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = |name: &str| std::fs::read_to_string(format!("{folder}/{name}.1")).unwrap();
    for command in ["run", "dump", "explain", "optimal", "simulate", "profile", "info", "manual"] {
        let (text, listed) = (page(&format!("pmatrix-{command}")), page("pmatrix"));
        assert!(text.contains(&format!(".TH pmatrix-{command} 1")), "{text}");
        assert!(listed.contains(&format!("pmatrix\\-{command}(1)")), "{listed}");
    }
    assert!(page("pmatrix-run").contains("Exit codes"), "the end of the help is part of the page");
    assert_eq!(pmatrix(&["manual", "/nonexistent"]).status.code(), Some(1));
}

#[test]
fn shells_complete_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let output = pmatrix(&["completions", shell]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            output.status.success() && text.contains("simulate") && text.contains("ppe-factor"),
            "{shell}"
        );
    }
    assert_eq!(pmatrix(&["completions", "cobol"]).status.code(), Some(2));
}
