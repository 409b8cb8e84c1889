//! The C99 stdio calls (class 0x2100; numbers from newlib's interface, cell-facts D4).

use std::fs::{File, OpenOptions};

use super::{
    CallResult, Errno, OnError, Reply, arguments::Arguments, format::format, scan::Scanner, scan::Source,
    stream::Streams,
};

const EOF: u32 = u32::MAX;

/// Serves one call; `None` if there is no such call.
pub(super) fn call(s: &mut Streams, op: u8, a: &mut Arguments<'_>) -> Option<(CallResult, OnError)> {
    use OnError::{Minus, Zero};
    Some(match op {
        1 => (clear_error(s, a), Minus),
        2 => (s.close_stream(a.word()).map(|()| Reply::Word(0)), Minus),
        3 => (s.stream(a.word()).map(|stream| Reply::Word(u32::from(stream.end))), Zero),
        4 => (s.stream(a.word()).map(|stream| Reply::Word(u32::from(stream.error))), Zero),
        5 => (flush(s, a), Minus),
        6 | 19 => (get_byte(s, a.word()), Minus),
        7 => (get_position(s, a), Minus),
        8 => (get_line(s, a), Zero),
        9 => (s.descriptor(a.word()).map(Reply::Word), Minus),
        10 => (open(s, a), Zero),
        11 | 23 => (put_byte(s, a), Minus),
        12 => (put_string(s, a), Minus),
        13 => (read(s, a), Zero),
        14 => (reopen(s, a), Zero),
        15 => (seek(s, a), Minus),
        16 => (set_position(s, a), Minus),
        17 => (s.tell_stream(a.word()).map(|at| Reply::Word(at as u32)), Minus),
        18 => (write(s, a), Zero),
        20 => (get_byte(s, 1), Minus),
        21 => (get_standard_line(s, a), Zero),
        22 => (print_error(s, a), Minus),
        24 => (put_standard_byte(s, a), Minus),
        25 => (put_standard_line(s, a), Minus),
        26 => (remove(a), Minus),
        27 => (rename(a), Minus),
        28 => (rewind(s, a), Minus),
        // Buffering is not visible to the program.
        29 | 30 => (Ok(Reply::Word(0)), Minus),
        32 => (temporary_file(s), Zero),
        33 => (temporary_name(a), Zero),
        34 => (unget(s, a), Minus),
        35 => (print_to_stream(s, a), Minus),
        36 => (scan_stream(s, a), Minus),
        37 => (print_to_standard_output(s, a), Minus),
        38 => (scan_standard_input(s, a), Minus),
        39 => (print_to_string(a, true), Minus),
        40 => (print_to_string(a, false), Minus),
        41 => (scan_string(a), Minus),
        _ => return None,
    })
}

fn clear_error(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let stream = s.stream(a.word())?;
    (stream.end, stream.error) = (false, false);
    Ok(Reply::Word(0))
}

fn flush(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    match a.word() {
        0 => s.flush_all(),
        number => s.flush_stream(number)?,
    }
    Ok(Reply::Word(0))
}

fn get_byte(s: &mut Streams, number: u32) -> CallResult {
    Ok(Reply::Word(s.read_byte(number)?.map_or(EOF, u32::from)))
}

/// Positions are 32-bit words in local store.
fn get_position(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let at = s.tell_stream(a.word())?;
    let address = a.word();
    a.ls().write(address, &(at as u32).to_be_bytes());
    Ok(Reply::Word(0))
}

fn set_position(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let number = a.word();
    let mut at = [0; 4];
    let address = a.word();
    a.ls().read(address, &mut at);
    s.seek_stream(number, i64::from(u32::from_be_bytes(at)), 0)?;
    Ok(Reply::Word(0))
}

/// Reads a line of at most `limit - 1` bytes into local store; 0 if there is none.
fn line(s: &mut Streams, number: u32, limit: usize, keep_newline: bool) -> Result<Option<Vec<u8>>, Errno> {
    let mut text = Vec::new();
    let mut any = false;
    while text.len() + 1 < limit {
        let Some(byte) = s.read_byte(number)? else { break };
        any = true;
        if byte == b'\n' {
            if keep_newline {
                text.push(byte);
            }
            break;
        }
        text.push(byte);
    }
    text.push(0);
    Ok(any.then_some(text))
}

fn get_line(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (address, limit, number) = (a.word(), a.int(), a.word());
    let limit = usize::try_from(limit).map_err(|_| Errno::EINVAL)?;
    let Some(text) = line(s, number, limit, true)? else { return Ok(Reply::Word(0)) };
    a.ls().write(address, &text);
    Ok(Reply::Word(address))
}

fn get_standard_line(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let address = a.word();
    let Some(text) = line(s, 1, usize::MAX, false)? else { return Ok(Reply::Word(0)) };
    a.ls().write(address, &text);
    Ok(Reply::Word(address))
}

/// Opens a file as the mode string of `fopen` says.
fn open_file(path: &std::path::Path, mode: &[u8]) -> Result<File, Errno> {
    let update = mode.contains(&b'+');
    let mut options = OpenOptions::new();
    match mode.first() {
        Some(b'r') => options.read(true).write(update),
        Some(b'w') => options.write(true).create(true).truncate(true).read(update),
        Some(b'a') => options.append(true).create(true).read(update),
        _ => return Err(Errno::EINVAL),
    };
    Ok(options.open(path)?)
}

fn open(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (path, mode) = (a.path(), a.string());
    let descriptor = s.open(open_file(&path, &mode)?)?;
    Ok(Reply::Word(s.open_stream(descriptor)?))
}

fn reopen(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (path, mode, number) = (a.path(), a.string(), a.word());
    s.reopen_stream(number, open_file(&path, &mode)?)?;
    Ok(Reply::Word(number))
}

fn put_byte(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let byte = a.word() as u8;
    s.write_stream(a.word(), &[byte])?;
    Ok(Reply::Word(u32::from(byte)))
}

fn put_standard_byte(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let byte = a.word() as u8;
    s.write_stream(2, &[byte])?;
    Ok(Reply::Word(u32::from(byte)))
}

fn put_string(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let text = a.string();
    s.write_stream(a.word(), &text)?;
    Ok(Reply::Word(1))
}

fn put_standard_line(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let mut text = a.string();
    text.push(b'\n');
    s.write_stream(2, &text)?;
    Ok(Reply::Word(text.len() as u32))
}

/// `size * count` for `fread` and `fwrite`; more than the local store makes no sense.
fn block_bytes(size: u32, count: u32) -> Result<usize, Errno> {
    let bytes = u64::from(size) * u64::from(count);
    if bytes > crate::local_store::LS_SIZE as u64 { Err(Errno::EINVAL) } else { Ok(bytes as usize) }
}

fn read(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (address, size, count, number) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; block_bytes(size, count)?];
    let bytes = s.read_stream(number, &mut buffer)?;
    a.ls().write(address, &buffer[..bytes]);
    Ok(Reply::Word(bytes.checked_div(size as usize).unwrap_or(0) as u32))
}

fn write(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (address, size, count, number) = (a.word(), a.word(), a.word(), a.word());
    let mut buffer = vec![0; block_bytes(size, count)?];
    a.ls().read(address, &mut buffer);
    s.write_stream(number, &buffer)?;
    Ok(Reply::Word(if size == 0 { 0 } else { count }))
}

fn seek(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let (number, offset, whence) = (a.word(), a.int(), a.word());
    s.seek_stream(number, i64::from(offset), whence)?;
    Ok(Reply::Word(0))
}

fn rewind(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let number = a.word();
    s.seek_stream(number, 0, 0)?;
    s.stream(number)?.error = false;
    Ok(Reply::Word(0))
}

fn print_error(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let mut text = a.string();
    text.extend(b": error\n");
    s.write_stream(3, &text)?;
    Ok(Reply::Word(0))
}

fn remove(a: &mut Arguments<'_>) -> CallResult {
    std::fs::remove_file(a.path())?;
    Ok(Reply::Word(0))
}

fn rename(a: &mut Arguments<'_>) -> CallResult {
    let (from, to) = (a.path(), a.path());
    std::fs::rename(from, to)?;
    Ok(Reply::Word(0))
}

/// A name that no other file of this process has.
fn fresh_name() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("spu{}-{number}", std::process::id()))
}

/// An open file without a name.
fn temporary_file(s: &mut Streams) -> CallResult {
    let path = fresh_name();
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    let descriptor = s.open(file)?;
    Ok(Reply::Word(s.open_stream(descriptor)?))
}

fn temporary_name(a: &mut Arguments<'_>) -> CallResult {
    use std::os::unix::ffi::OsStrExt;
    let address = a.word();
    if address == 0 {
        return Err(Errno::EINVAL);
    }
    let mut name = fresh_name().as_os_str().as_bytes().to_vec();
    name.push(0);
    a.ls().write(address, &name);
    Ok(Reply::Word(address))
}

fn unget(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let byte = a.word();
    if byte == EOF {
        return Ok(Reply::Word(EOF));
    }
    s.push_back(a.word(), byte as u8)?;
    Ok(Reply::Word(byte & 0xff))
}

fn print(s: &mut Streams, number: u32, a: &mut Arguments<'_>) -> CallResult {
    let text = a.string();
    let text = format(&text, &mut a.variadic())?;
    s.write_stream(number, &text)?;
    Ok(Reply::Word(text.len() as u32))
}

fn print_to_stream(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let number = a.word();
    print(s, number, a)
}

fn print_to_standard_output(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    print(s, 2, a)
}

fn print_to_string(a: &mut Arguments<'_>, limited: bool) -> CallResult {
    let address = a.word();
    let limit = if limited { a.word() as usize } else { usize::MAX };
    let text = a.string();
    let text = format(&text, &mut a.variadic())?;
    if limit > 0 {
        a.ls().write(address, &text[..text.len().min(limit - 1)]);
        a.ls().write(address.wrapping_add(text.len().min(limit - 1) as u32), &[0]);
    }
    Ok(Reply::Word(text.len() as u32))
}

fn scan(source: Source<'_>, a: &mut Arguments<'_>) -> CallResult {
    let pattern = a.string();
    let mut arguments = a.variadic();
    Ok(Reply::Word(Scanner::new(source).scan(&pattern, &mut arguments)?.map_or(EOF, |count| count)))
}

fn scan_stream(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    let number = a.word();
    scan(Source::Stream(s, number), a)
}

fn scan_standard_input(s: &mut Streams, a: &mut Arguments<'_>) -> CallResult {
    scan(Source::Stream(s, 1), a)
}

fn scan_string(a: &mut Arguments<'_>) -> CallResult {
    let text = a.string();
    scan(Source::Text(text.into_iter().peekable()), a)
}
