//! Calls as a program makes them: arguments laid out in local store.

use std::sync::{Arc, Mutex};

use super::*;

/// Output that the test can read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Rig {
    services: Services,
    ls: LocalStore,
    output: Shared,
    /// Where the next string goes.
    strings: u32,
}

const PC: u32 = 0x100;
const BLOCK: u32 = 0x200;
const VARIADIC: u32 = 0x1000;

impl Rig {
    fn new(input: &'static [u8]) -> Rig {
        let output = Shared::default();
        let services = Services::new(Box::new(input), Box::new(output.clone()), Box::new(io::sink()));
        Rig { services, ls: LocalStore::new(), output, strings: 0x4000 }
    }

    fn string(&mut self, text: &str) -> u32 {
        let at = self.strings;
        self.ls.write(at, text.as_bytes());
        self.ls.write(at + text.len() as u32, &[0]);
        self.strings += text.len() as u32 + 1;
        at
    }

    /// Makes a call; gives the result and errno.
    fn call(&mut self, class: u16, op: u8, arguments: &[u32]) -> (u32, u32) {
        self.ls.store_word(PC, u32::from(op) << 24 | BLOCK);
        for (at, &argument) in (BLOCK..).step_by(16).zip(arguments) {
            self.ls.store_word(at, argument);
        }
        self.services.call(class, &self.ls, PC).unwrap();
        (self.ls.load_word(BLOCK), self.ls.load_word(BLOCK + 12))
    }

    /// Formats through `vsnprintf`; the arguments are doublewords, words in their left half.
    fn format(&mut self, format: &str, arguments: &[u64]) -> String {
        for (at, &argument) in (VARIADIC..).step_by(16).zip(arguments) {
            self.ls.write(at, &argument.to_be_bytes());
        }
        let format = self.string(format);
        let (length, _) = self.call(C99, 39, &[0x8000, 200, format, VARIADIC, 0]);
        let mut text = vec![0; length as usize];
        self.ls.read(0x8000, &mut text);
        String::from_utf8(text).unwrap()
    }
}

fn word(value: i32) -> u64 {
    u64::from(value as u32) << 32
}

#[test]
fn printf_as_c_has_it() {
    let mut rig = Rig::new(b"");
    let cases: [(&str, u64, &str); 39] = [
        ("%d", word(-5), "-5"),
        ("%5d|", word(42), "   42|"),
        ("%-5d|", word(42), "42   |"),
        ("%05d", word(-42), "-0042"),
        ("%+d", word(0), "+0"),
        ("% d", word(7), " 7"),
        ("%.3d", word(7), "007"),
        ("%.0d|", word(0), "|"),
        ("%u", word(-1), "4294967295"),
        ("%x", word(-1), "ffffffff"),
        ("%#X", word(255), "0XFF"),
        ("%#o", word(8), "010"),
        ("%hd", word(65537), "1"),
        ("%hhx", word(0x1ff), "ff"),
        ("%lld", i64::MIN as u64, "-9223372036854775808"),
        ("%c", word(65), "A"),
        ("%5.1f|", 2.25f64.to_bits(), "  2.2|"),
        ("%f", (-0.0f64).to_bits(), "-0.000000"),
        ("%.0f", 0.5f64.to_bits(), "0"),
        ("%#.0f", 3.0f64.to_bits(), "3."),
        ("%e", 12345.678f64.to_bits(), "1.234568e+04"),
        ("%.2E", 1e-100f64.to_bits(), "1.00E-100"),
        ("%g", 100000.0f64.to_bits(), "100000"),
        ("%g", 1000000.0f64.to_bits(), "1e+06"),
        ("%g", 0.0001f64.to_bits(), "0.0001"),
        ("%g", 0.00001f64.to_bits(), "1e-05"),
        ("%#g", 1.0f64.to_bits(), "1.00000"),
        ("%.3g", 1234.5f64.to_bits(), "1.23e+03"),
        ("%010.2f", (-1.5f64).to_bits(), "-000001.50"),
        ("%f", f64::INFINITY.to_bits(), "inf"),
        ("%5F", f64::NAN.to_bits(), "  NAN"),
        ("%a", 1.0f64.to_bits(), "0x1p+0"),
        ("%.1a", 1.96875f64.to_bits(), "0x2.0p+0"),
        ("%015.4a", 1.5f64.to_bits(), "0x00001.8000p+0"),
        ("%+010.1A", (-1.5f64).to_bits(), "-0X01.8P+0"),
        ("%lc", word(65), "A"),
        ("%p", word(0x1234), "0x1234"),
        ("100%%", 0, "100%"),
        ("%s", 0, "(null)"),
    ];
    for (format, argument, expected) in cases {
        assert_eq!(rig.format(format, &[argument]), expected, "{format}");
    }
    assert_eq!(
        rig.format("%*d|%-*d|%.*f", &[word(4), word(1), word(3), word(2), word(1), 0.25f64.to_bits()]),
        "   1|2  |0.2"
    );
}

#[test]
fn variadic_arguments_continue_in_the_callers_frame() {
    let mut rig = Rig::new(b"");
    // Two in the save area, then back chain and link register, then the third.
    for (at, value) in [(0, 1), (16, 2), (64, 3)] {
        rig.ls.store_word(VARIADIC + at, value);
    }
    let format = rig.string("%d %d %d");
    rig.call(C99, 39, &[0x8000, 200, format, VARIADIC, VARIADIC + 32]);
    let mut text = [0; 5];
    rig.ls.read(0x8000, &mut text);
    assert_eq!(&text, b"1 2 3");
}

#[test]
fn scanf_as_c_has_it() {
    let mut rig = Rig::new(b"");
    let text = rig.string("  42 -0x1F 077 word [abc] 3.5e1 x9");
    let format = rig.string("%d %i %i %s [%[a-c]] %lf x%1d%n");
    let targets: Vec<u32> = (0..8).map(|k| 0x6000 + k * 32).collect();
    for (at, &target) in (VARIADIC..).step_by(16).zip(&targets) {
        rig.ls.store_word(at, target);
    }
    assert_eq!(rig.call(C99, 41, &[text, format, VARIADIC, 0]).0, 7);
    let words: Vec<u32> = [0, 1, 2, 6, 7].map(|k| rig.ls.load_word(targets[k])).to_vec();
    assert_eq!(words, [42, (-31i32) as u32, 63, 9, 34]);
    assert_eq!(rig.ls.load_quad(targets[3]).bytes()[..5], *b"word\0");
    assert_eq!(rig.ls.load_quad(targets[4]).bytes()[..4], *b"abc\0");
    assert_eq!(rig.ls.load_quad(targets[5]).doubles()[0], 35.0f64.to_bits());
    let empty = rig.string("");
    assert_eq!(rig.call(C99, 41, &[empty, format, VARIADIC, 0]).0, u32::MAX, "EOF");
}

#[test]
fn scanf_reads_every_kind_of_number() {
    let mut rig = Rig::new(b"");
    let text = rig.string("0x1.8p3 -inf nan 0x.8p1 infinity 2.5");
    let format = rig.string("%lf %lf %lf %f %a %g");
    for (at, target) in (VARIADIC..).step_by(16).zip((0x6000..0x6060).step_by(16)) {
        rig.ls.store_word(at, target);
    }
    assert_eq!(rig.call(C99, 41, &[text, format, VARIADIC, 0]).0, 6);
    let doubles = [0x6000, 0x6010, 0x6020].map(|at| f64::from_bits(rig.ls.load_quad(at).doubles()[0]));
    assert_eq!(doubles[..2], [12.0, f64::NEG_INFINITY]);
    assert!(doubles[2].is_nan());
    let singles = [0x6030, 0x6040, 0x6050].map(|at| f32::from_bits(rig.ls.load_word(at)));
    assert_eq!(singles, [1.0, f32::INFINITY, 2.5]);
}

#[test]
fn wide_characters_are_words() {
    let mut rig = Rig::new(b"");
    let text = rig.string("ab word xyz");
    let format = rig.string("%2lc %ls %l[x-y]");
    for (at, target) in (VARIADIC..).step_by(16).zip([0x6000, 0x6010, 0x6030]) {
        rig.ls.store_word(at, target);
    }
    assert_eq!(rig.call(C99, 41, &[text, format, VARIADIC, 0]).0, 3);
    let words = |address: u32, count: u32| (0..count).map(|k| rig.ls.load_word(address + 4 * k)).collect();
    let (characters, string, set): (Vec<u32>, Vec<u32>, Vec<u32>) =
        (words(0x6000, 2), words(0x6010, 5), words(0x6030, 3));
    assert_eq!(characters, [97, 98]);
    assert_eq!(string, [119, 111, 114, 100, 0]);
    assert_eq!(set, [120, 121, 0]);
    assert_eq!(rig.format("%ls|%6.2ls|", &[word(0x6010), word(0x6010)]), "word|    wo|");
    // None of the locale "C".
    rig.ls.store_word(0x6010, 0x20ac);
    let format = rig.string("%ls");
    rig.ls.store_word(VARIADIC, 0x6010);
    assert_eq!(rig.call(C99, 39, &[0x8000, 100, format, VARIADIC, 0]), (u32::MAX, 84));
}

#[test]
fn streams() {
    let mut rig = Rig::new(b"line one\nrest");
    let text = rig.string("hello");
    assert_eq!(rig.call(C99, 25, &[text]), (6, 0));
    assert_eq!(rig.output.0.lock().unwrap().as_slice(), b"hello\n");
    assert_eq!(rig.call(C99, 8, &[0x7000, 100, 1]), (0x7000, 0));
    assert_eq!(rig.ls.load_quad(0x7000).bytes()[..10], *b"line one\n\0");
    assert_eq!(rig.call(C99, 6, &[1]).0, u32::from(b'r'));
    assert_eq!(rig.call(C99, 34, &[u32::from(b'R'), 1]).0, u32::from(b'R'));
    assert_eq!(rig.call(C99, 13, &[0x7000, 1, 10, 1]).0, 4);
    assert_eq!(rig.ls.load_quad(0x7000).bytes()[..4], *b"Rest");
    assert_eq!((rig.call(C99, 6, &[1]).0, rig.call(C99, 3, &[1]).0), (u32::MAX, 1));
    assert_eq!(rig.call(C99, 2, &[77]), (u32::MAX, 9), "EBADF");
}

#[test]
fn files() {
    let mut rig = Rig::new(b"");
    let directory = std::env::temp_dir().join(format!("spu-sim-test-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = rig.string(directory.join("file").to_str().unwrap());
    let missing = rig.string(directory.join("none").to_str().unwrap());
    assert_eq!(rig.call(POSIX, 15, &[missing, 0, 0]), (u32::MAX, 2), "ENOENT");
    let (descriptor, _) = rig.call(POSIX, 15, &[path, 2 | 64 | 512, 0o600]);
    rig.ls.write(0x7000, b"0123456789");
    assert_eq!(rig.call(POSIX, 27, &[descriptor, 0x7000, 10]), (10, 0));
    assert_eq!(rig.call(POSIX, 9, &[descriptor, 4, 0]), (4, 0));
    assert_eq!(rig.call(POSIX, 16, &[descriptor, 0x7100, 3]), (3, 0));
    assert_eq!(rig.ls.load_quad(0x7100).bytes()[..3], *b"456");
    assert_eq!(rig.call(POSIX, 4, &[descriptor, 0x7200]), (0, 0));
    assert_eq!(rig.ls.load_word(0x7200 + 7 * 4), 10, "size");
    assert_eq!(rig.call(POSIX, 2, &[descriptor]), (0, 0));
    assert_eq!(rig.call(POSIX, 2, &[descriptor]), (u32::MAX, 9), "EBADF");
    let mode = rig.string("a+");
    let (stream, _) = rig.call(C99, 10, &[path, mode]);
    assert_eq!(rig.call(C99, 18, &[0x7000, 2, 2, stream]).0, 2);
    assert_eq!(rig.call(C99, 15, &[stream, (-4i32) as u32, 2]).0, 0);
    assert_eq!(rig.call(C99, 17, &[stream]).0, 10);
    assert_eq!(rig.call(C99, 2, &[stream]).0, 0);
    assert_eq!(rig.call(POSIX, 24, &[path]), (0, 0));
    std::fs::remove_dir(&directory).unwrap();
}

#[test]
fn unknown_calls_are_errors() {
    let mut rig = Rig::new(b"");
    // Without memory, calls that need memory are unknown, too.
    for (class, op) in [(C99, 0), (C99, 99), (POSIX, 1), (POSIX, 11), (LIBEA, 1), (SYSTEM, 0)] {
        rig.ls.store_word(PC, u32::from(op) << 24 | BLOCK);
        assert_eq!(rig.services.call(class, &rig.ls, PC), Err(UnknownCall { class, op }));
    }
}
