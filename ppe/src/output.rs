//! Writing a file as a whole: a reader finds the old contents or the new contents, never a mixture.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces the contents of a file, or makes it. The new contents are written beside it, reach the disk, and
/// take its name: when that fails, for instance since the disk is full, the file is as it was. A device or a
/// pipe is written to as it is.
///
/// # Errors
/// Errors of the system, with the file's name.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(contents))
}

/// Checks that a file of this name can probably be made or replaced, without touching it.
///
/// # Errors
/// Errors of the system, with the file's name.
pub fn check(path: &Path) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if path.is_dir() {
        return Err(named(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    folder_of(path).metadata().map(|_| ()).map_err(named)
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Replaces the contents of a file as [`replace`] does, by what `write` writes.
///
/// # Errors
/// As [`replace`], and the errors of `write`.
pub fn replace_by(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    replace_unnamed(path, write).map_err(named)
}

fn replace_unnamed(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let to_end = |file: &File| {
        let mut buffered = BufWriter::new(file);
        write(&mut buffered)?;
        buffered.flush()
    };
    // What a symbolic link leads to is replaced, not the link.
    let target = match path.canonicalize() {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let old = target.metadata().ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return to_end(&File::options().write(true).open(&target)?);
    }
    let folder = folder_of(&target);
    if old.is_some() {
        // A file that may not be written stays, even in a folder where names may be changed.
        File::options().write(true).open(&target)?;
    }
    // The system removes the permissions that the user's mask forbids, as for every new file.
    let new = Permissions::from_mode(0o666);
    let beside = tempfile::Builder::new().prefix(".pmatrix-").permissions(new).tempfile_in(folder)?;
    to_end(beside.as_file())?;
    if let Some(old) = old {
        beside.as_file().set_permissions(old.permissions())?;
    }
    beside.as_file().sync_all()?;
    beside.persist(&target)?;
    File::open(folder)?.sync_all()
}
