//! Reading files that a user names: only regular files up to a size, because other files may never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

fn too_large(most_bytes: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most_bytes} bytes"))
}

/// The contents of a regular file of at most `most_bytes` bytes.
///
/// # Errors
/// Why the file cannot be read. A file that is not regular is refused before it is opened, because opening a
/// pipe may wait for ever.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if metadata.len() > most_bytes {
        return Err(too_large(most_bytes));
    }
    read_all(File::open(path)?, most_bytes)
}

/// Whether a regular file begins with these bytes.
#[must_use]
pub fn begins_with(path: &Path, first: &[u8]) -> bool {
    let is_regular = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut found = vec![0; first.len()];
    is_regular && File::open(path).and_then(|mut file| file.read_exact(&mut found)).is_ok() && found == first
}

/// What is left of a stream, when that is at most `most_bytes` bytes.
///
/// # Errors
/// Why it cannot be read.
pub fn read_all(stream: impl Read, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    stream.take(most_bytes.saturating_add(1)).read_to_end(&mut contents)?;
    if contents.len() as u64 > most_bytes { Err(too_large(most_bytes)) } else { Ok(contents) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn what_may_never_end_is_refused() {
        let text = |path: &str| read(Path::new(path), 100).unwrap_err().to_string();
        for path in ["/dev/urandom", "/dev/zero", "/dev/null"] {
            assert_eq!(text(path), "it is no regular file");
        }
        assert_eq!(text("/"), "it is a directory");
        assert_eq!(text("/proc/self/maps"), "it is larger than 100 bytes");
        assert!(!begins_with(Path::new("/dev/zero"), &[0]) && !begins_with(Path::new("/nonexistent"), &[]));
        assert_eq!(read_all(io::repeat(1), 10).unwrap_err().to_string(), "it is larger than 10 bytes");
        assert_eq!(read_all(&[1u8, 2][..], 2).unwrap(), [1, 2]);
        assert!(text("/nonexistent").starts_with("No such file or directory"));
    }
}
