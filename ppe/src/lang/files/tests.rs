use super::*;
use crate::operation::{Class, Shape};
use proptest::prelude::*;

fn table(rows: u32, columns: u32, elements: &[f64]) -> Table {
    Table { shape: Shape { rows, columns }, class: None, elements: elements.to_vec() }
}

fn malformed(format: Format, bytes: &[u8]) -> String {
    match parse(format, bytes).unwrap_err() {
        Malformed::Line(line, what) => format!("line {line}: {what}"),
        Malformed::Byte(byte, what) => format!("byte {byte}: {what}"),
        Malformed::Memory(error) => format!("memory: {error}"),
    }
}

#[test]
fn text_and_csv() {
    let expected = table(2, 3, &[1.0, -4.0, 2.5, f64::INFINITY, 3.0, 6e-3]);
    let text = b"# a comment\n  1 2.5\t3 # another\n\n-4 Inf 6e-3\n";
    assert_eq!(parse(Format::Text, text), Ok(expected.clone()));
    assert_eq!(parse(Format::Csv, b"1, 2.5,3\r\n-4,inf,6e-3"), Ok(expected));
    assert_eq!(parse(Format::Text, b""), Ok(table(0, 0, &[])));
    assert_eq!(
        malformed(Format::Text, b"1 2\n\n3\n"),
        "line 3: this row has 1 elements; the rows before it have 2"
    );
    assert_eq!(malformed(Format::Text, b"1 2\n3 x\n"), "line 2: column 2: 'x' is not a number");
    assert_eq!(malformed(Format::Csv, b"1,,2\n"), "line 1: column 2: an element is missing");
    assert_eq!(malformed(Format::Csv, b"1,2\n\xff,3\n"), "line 2: this is not text (UTF-8)");
}

#[test]
fn csv_as_other_programs_write_it() {
    let expected = table(2, 3, &[1.0, -4.0, 2.5, 1e3, 3.0, f64::INFINITY]);
    let rows = [["1", "2.5", "3"], ["-4", "1e3", "Inf"]];
    // Every separator, with every way to end a line and to write a field, below every kind of header.
    for separator in [",", ";", "\t", " ", " , ", "  "] {
        for end in ["\n", "\r\n", "\n\n", "\r\n  \r\n"] {
            for quote in ["", "\""] {
                let line = |fields: &[&str]| {
                    let fields: Vec<String> =
                        fields.iter().map(|field| format!("{quote}{field}{quote}")).collect();
                    fields.join(separator) + end
                };
                let data = rows.map(|row| line(&row)).concat();
                let names = line(&["length", "\u{e4}", "m/s"]);
                for header in [
                    "",
                    &names,
                    &format!("{names}{names}"),
                    "# \"made, by hand\n% 1;2\n",
                    "\u{feff}",
                    "title\n",
                ] {
                    let text = format!("{header}{data}");
                    assert_eq!(parse(Format::Csv, text.as_bytes()), Ok(expected.clone()), "{text:?}");
                    let last = text.trim_end();
                    assert_eq!(parse(Format::Csv, last.as_bytes()), Ok(expected.clone()), "{last:?}");
                }
            }
        }
    }
    assert_eq!(parse(Format::Csv, b"\"a \"\"b\"\"; c\",\"d\ne\"\n1,2\n"), Ok(table(1, 2, &[1.0, 2.0])));
    assert_eq!(parse(Format::Csv, b"5\n6\n"), Ok(table(2, 1, &[5.0, 6.0])));
    for empty in ["", "\n\n", "# nothing\n", "\u{feff}"] {
        assert_eq!(parse(Format::Csv, empty.as_bytes()), Ok(table(0, 0, &[])), "{empty:?}");
    }
    let bad = |text: &str| malformed(Format::Csv, text.as_bytes());
    assert_eq!(bad("a,b\n# c\n\n1,2\n3,x y\n"), "line 5: column 2: 'x y' is not a number");
    assert_eq!(bad("a,b\n1,2\n\n3\n"), "line 4: this row has 1 elements; the rows before it have 2");
    assert_eq!(bad("1,2\nc,d\n"), "line 2: column 1: 'c' is not a number");
    assert_eq!(bad("name,1,2\n"), "line 1: column 1: 'name' is not a number");
    assert_eq!(bad("a,b\n"), "line 1: no row of numbers follows this header");
    assert_eq!(bad("1;2,5\n"), "line 1: column 2: '2,5' is not a number");
    assert_eq!(bad("1,2\n3,\n"), "line 2: column 2: an element is missing");
    assert_eq!(
        bad("1,2\n\"3,4\n5,6\n"),
        "line 2: column 1: a field in quotes has no closing quote in its line"
    );
    assert_eq!(bad("1 2\n3 4 5\n"), "line 2: this row has 3 elements; the rows before it have 2");
}

#[test]
fn matrix_market() {
    let check = |text: &str, expected: &Table| {
        assert_eq!(parse(Format::MatrixMarket, text.as_bytes()), Ok(expected.clone()), "{text}")
    };
    check(
        "%%MatrixMarket matrix array integer general\n% c\n2 2\n1\n2\n3\n4\n",
        &table(2, 2, &[1.0, 2.0, 3.0, 4.0]),
    );
    check("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", &table(2, 2, &[1.0, 2.0, 2.0, 3.0]));
    let skew = table(3, 3, &[0.0, 1.0, 2.0, -1.0, 0.0, 3.0, -2.0, -3.0, 0.0]);
    check("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", &skew);
    check("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 1\n3 1 2\n3 2 3\n", &skew);
    check(
        "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n",
        &table(2, 3, &[1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    );
    check(
        "%%matrixmarket Matrix Coordinate Real Symmetric\n2 2 3\n1 1 4\n2 1 5\n2 1 1\n",
        &table(2, 2, &[4.0, 6.0, 6.0, 0.0]),
    );
    let bad = |text: &str| malformed(Format::MatrixMarket, text.as_bytes());
    assert_eq!(bad(""), "line 1: the first line must be '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'");
    assert_eq!(
        bad("%%MatrixMarket matrix array complex general\n"),
        "line 1: complex matrices are not available"
    );
    assert_eq!(
        bad("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n"),
        "line 5: the file ends after 3 of 4 entries"
    );
    assert_eq!(
        bad("%%MatrixMarket matrix array real general\n1 1\n1\n2\n"),
        "line 4: there are more than the 1 entries promised"
    );
    let huge = "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n";
    assert_eq!(bad(huge), "line 2: 1000000000000 entries are promised, but the file has 59 bytes");
    let sparse = "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n";
    assert_eq!(
        bad(sparse),
        "line 2: a full 1000000x1000000 matrix is too large (at most 268435456 elements)"
    );
    let outside = "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n";
    assert_eq!(bad(outside), "line 3: entry (3, 1) lies outside of the 2x2 matrix");
    assert_eq!(
        bad("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n"),
        "line 3: entry (0, 1) lies outside of the 2x2 matrix"
    );
}

fn npy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let length = header.len() as u32;
    let mut bytes = [npy::MAGIC, &[version, 0]].concat();
    match version {
        1 => bytes.extend((length as u16).to_le_bytes()),
        _ => bytes.extend(length.to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn npy_types_orders_and_versions() {
    let header = |kind: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    };
    let values = [1i32, 2, -3, 4, 5, 6];
    let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
    let by_rows = table(2, 3, &[1.0, 4.0, 2.0, 5.0, -3.0, 6.0]);
    let by_columns = table(2, 3, &[1.0, 2.0, -3.0, 4.0, 5.0, 6.0]);
    for version in 1..=3 {
        let read = |header: String, data: &[u8]| parse(Format::Npy, &npy(version, &header, data));
        assert_eq!(read(header("<i4", "False", "(2, 3)"), &little), Ok(by_rows.clone()));
        assert_eq!(read(header(">i4", "True", "(2, 3)"), &big), Ok(by_columns.clone()));
        assert_eq!(read(header("|u1", "True", "(3,)"), &[1, 2, 255]), Ok(table(3, 1, &[1.0, 2.0, 255.0])));
        let eight: Vec<u8> = [-1i64, 1 << 40].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!(
            read(header(">i8", "False", "(1, 2)"), &eight),
            Ok(table(1, 2, &[-1.0, (1u64 << 40) as f64]))
        );
        let single = read(header(">f4", "False", "()"), &0.1f32.to_be_bytes()).unwrap();
        assert_eq!((single.class, single.elements), (Some(Class::Single), vec![f64::from(0.1f32)]));
        let logical = read(header("|b1", "False", "(1, 2)"), &[0, 1]).unwrap();
        assert_eq!((logical.class, logical.elements), (Some(Class::Logical), vec![0.0, 1.0]));
    }
    let bad = |header: &str, data: &[u8]| malformed(Format::Npy, &npy(1, header, data));
    let absurd = bad(&header("<f8", "False", "(1000000, 1000000)"), &[0; 100]);
    assert_eq!(
        absurd,
        "byte 82: a 1000000x1000000 matrix takes 8000000000000 bytes, but 100 follow the header"
    );
    assert_eq!(
        bad(&header("<c8", "False", "(1,)"), &[]),
        "byte 25: type '<c8' is not one of f4, f8, i4, i8, b1, u1"
    );
    assert!(
        bad(&header("<f8", "False", "(1, 2, 3)"), &[])
            .ends_with("more than two dimensions are not available")
    );
    assert!(
        bad(&header("<f8", "False", "(99999999999999999999,)"), &[])
            .ends_with("a whole number is needed here")
    );
    assert!(bad("{'descr': '<f8'}", &[]).contains("needs the keys"));
    assert_eq!(
        malformed(Format::Npy, b"\x93NUMPY\x01\x00\xff\xff{"),
        "byte 11: the file ends within its header"
    );
    assert_eq!(malformed(Format::Npy, b"\x93NUMPY\x09"), "byte 6: there is no version 9 of this format");
}

#[test]
fn formats_are_told_by_content_then_by_name() {
    let of = |name: &str, bytes: &[u8]| Format::of_file(Path::new(name), bytes);
    assert_eq!(of("x.csv", b"\x93NUMPY\x01"), Format::Npy);
    assert_eq!(of("x", b"%%MatrixMarket matrix"), Format::MatrixMarket);
    assert_eq!(of("x.CSV", b"1"), Format::Csv);
    assert_eq!(of("x.txt", b"# a, b\n1,2"), Format::Csv);
    assert_eq!(of("x", b"1;2"), Format::Csv);
    assert_eq!(of("x.tsv", b"1\t2"), Format::Csv);
    assert_eq!(of("x.txt", b"1 2"), Format::Text);
    assert_eq!(of("x.npy", b"1 2"), Format::Npy);
}

#[test]
fn empty_matrices_keep_their_sides_where_the_format_can() {
    for name in ["x.txt", "x.mtx", "x.npy"] {
        let empty = table(0, 3, &[]);
        let bytes = to_bytes(Path::new(name), &empty).unwrap();
        assert_eq!(
            parse(Format::of_file(Path::new(name), &bytes), &bytes).unwrap().shape,
            empty.shape,
            "{name}"
        );
    }
    assert!(to_bytes(Path::new("x.csv"), &table(0, 3, &[])).is_err());
}

fn same_bits(left: &[f64], right: &[f64]) -> bool {
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    left.len() == right.len() && left.iter().zip(right).all(same)
}

proptest! {
    #[test]
    fn doubles_come_back_bit_for_bit(rows in 1u32..6, columns in 1u32..6, bits in proptest::collection::vec(any::<u64>(), 36)) {
        let elements: Vec<f64> = bits[..(rows * columns) as usize].iter().map(|&bits| f64::from_bits(bits)).collect();
        let original = table(rows, columns, &elements);
        for name in ["x.txt", "x.csv", "x.mtx", "x.npy"] {
            let path = Path::new(name);
            let bytes = to_bytes(path, &original).unwrap();
            let back = parse(Format::of_file(path, &bytes), &bytes).unwrap();
            prop_assert_eq!(back.shape, original.shape);
            prop_assert!(same_bits(&back.elements, &original.elements), "{}", name);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for format in [Format::Text, Format::Csv, Format::MatrixMarket, Format::Npy] {
            _ = parse(format, &bytes);
        }
    }

    #[test]
    fn no_damage_makes_a_reader_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let original = table(2, 2, &[1.0, 2.0, 3.0, 4.0]);
        for name in ["x.txt", "x.csv", "x.mtx", "x.npy"] {
            let path = Path::new(name);
            let mut bytes = to_bytes(path, &original).unwrap();
            let position = at.index(bytes.len());
            bytes[position] = byte;
            _ = parse(Format::of_name(path).unwrap_or(Format::Text), &bytes);
            bytes.truncate(cut.index(bytes.len()));
            _ = parse(Format::of_name(path).unwrap_or(Format::Text), &bytes);
        }
    }
}
