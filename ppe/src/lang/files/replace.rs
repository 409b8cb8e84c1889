//! Writing a file as a whole: a reader finds the old contents or the new contents, never a mixture.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces the contents of a file, or makes it. The new contents are written beside it, reach the disk, and
/// take its name: when that fails, for instance since the disk is full, the file is as it was. A device or a
/// pipe is written to as it is.
///
/// # Errors
/// Errors of the system, with the file's name.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    replace_unnamed(path, contents).map_err(named)
}

fn replace_unnamed(path: &Path, contents: &[u8]) -> io::Result<()> {
    // What a symbolic link leads to is replaced, not the link.
    let target = match path.canonicalize() {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let old = target.metadata().ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return File::options().write(true).open(&target)?.write_all(contents);
    }
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if old.is_some() {
        // A file that may not be written stays, even in a folder where names may be changed.
        File::options().write(true).open(&target)?;
    }
    // The system removes the permissions that the user's mask forbids, as for every new file.
    let new = Permissions::from_mode(0o666);
    let mut beside = tempfile::Builder::new().prefix(".pmatrix-").permissions(new).tempfile_in(folder)?;
    beside.write_all(contents)?;
    if let Some(old) = old {
        beside.as_file().set_permissions(old.permissions())?;
    }
    beside.as_file().sync_all()?;
    beside.persist(&target)?;
    File::open(folder)?.sync_all()
}
