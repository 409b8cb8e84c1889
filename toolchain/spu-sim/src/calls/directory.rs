//! The POSIX.1 calls that read directories. A directory is read when it is opened; its handle is a
//! doubleword, because on a PPE it is a pointer.

use std::{collections::BTreeMap, fs, os::unix::ffi::OsStrExt, os::unix::fs::MetadataExt, path::PathBuf};

use super::{CallResult, Errno, OnError, Reply, arguments::Arguments};

/// Serves one call; `None` if there is no such call here.
pub(super) fn call(d: &mut Directories, op: u8, a: &mut Arguments<'_>) -> Option<(CallResult, OnError)> {
    Some(match op {
        55 => (d.open(a.path()), OnError::Zero),
        56 => (d.close(a.double()), OnError::Minus),
        57 => (d.read(a), OnError::Zero),
        58 => (d.at(a.double()).map(|directory| directory.seek(0)), OnError::Minus),
        59 => (seek(d, a), OnError::Minus),
        60 => (d.at(a.double()).map(|directory| Reply::Word(directory.next as u32)), OnError::Minus),
        _ => return None,
    })
}

/// Longest name that fits into the structure of the interface, with its final zero.
const NAME_BYTES: usize = 256;

#[derive(Debug)]
struct Directory {
    /// Number and name of each entry.
    entries: Vec<(u32, Vec<u8>)>,
    next: usize,
}

impl Directory {
    fn seek(&mut self, to: usize) -> Reply {
        self.next = to.min(self.entries.len());
        Reply::Word(0)
    }
}

/// The open directories.
#[derive(Debug, Default)]
pub(super) struct Directories {
    open: BTreeMap<u64, Directory>,
    last: u64,
}

impl Directories {
    fn at(&mut self, handle: u64) -> Result<&mut Directory, Errno> {
        self.open.get_mut(&handle).ok_or(Errno::EBADF)
    }

    fn open(&mut self, path: PathBuf) -> CallResult {
        let number = |path: PathBuf| fs::symlink_metadata(path).map_or(0, |status| status.ino() as u32);
        let mut entries =
            vec![(number(path.join(".")), b".".to_vec()), (number(path.join("..")), b"..".to_vec())];
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            entries.push((number(entry.path()), entry.file_name().as_bytes().to_vec()));
        }
        self.last += 1;
        self.open.insert(self.last, Directory { entries, next: 0 });
        Ok(Reply::Double(self.last))
    }

    fn close(&mut self, handle: u64) -> CallResult {
        self.open.remove(&handle).map(|_| Reply::Word(0)).ok_or(Errno::EBADF)
    }

    /// Stores the next entry (its number, then its name) and gives its address; zero at the end.
    fn read(&mut self, a: &mut Arguments<'_>) -> CallResult {
        let (handle, address) = (a.double(), a.word());
        let directory = self.at(handle)?;
        let Some((number, name)) = directory.entries.get(directory.next) else { return Ok(Reply::Word(0)) };
        directory.next += 1;
        let mut bytes = number.to_be_bytes().to_vec();
        bytes.extend(&name[..name.len().min(NAME_BYTES - 1)]);
        bytes.push(0);
        a.ls().write(address, &bytes);
        Ok(Reply::Word(address))
    }
}

fn seek(d: &mut Directories, a: &mut Arguments<'_>) -> CallResult {
    let (handle, to) = (a.double(), a.word());
    Ok(d.at(handle)?.seek(to as usize))
}
