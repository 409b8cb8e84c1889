//! Progress, as a file and a terminal show it.

use crate::{command, file, run};

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
