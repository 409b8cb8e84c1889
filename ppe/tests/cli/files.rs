//! Files that programs load and save.

use std::path::PathBuf;

use crate::{command, file, pmatrix, run};

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
        // SAFETY: both calls are allowed between fork and exec, and take nothing but numbers and a structure
        // of this frame.
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

/// Files that are larger than any that somebody means. They have a hole, and take no room on the disk.
#[test]
fn files_that_are_too_large_are_not_read() {
    let sized = |name: &str, bytes: u64| {
        let path = file(name, b"");
        std::fs::File::options().write(true).open(&path).unwrap().set_len(bytes).unwrap();
        path
    };
    let program = sized("large.trace", (1 << 28) + 1);
    let output = command().arg("run").arg(&program).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("large.trace: it is larger than 268435456 bytes"), "{error}");
    assert_eq!(output.status.code(), Some(3));
    let model = sized("large.model", (1 << 20) + 1);
    let (code, _, error) = run("with_model.trace", "x = 1", &["--model", model.to_str().unwrap()]);
    assert!(error.contains("large.model: it is larger than 1048576 bytes"), "{error}");
    assert_eq!(code, 3);
    let matrix = sized("large.npy", (1 << 33) + 1);
    let (code, _, error) = run("with_matrix.trace", &format!("A = load('{}')", matrix.display()), &[]);
    assert!(error.contains("large.npy: it is larger than 8589934592 bytes"), "{error}");
    assert_eq!(code, 3);
}
