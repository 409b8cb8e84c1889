//! Matrix files.

use std::path::Path;

use pmatrix::lang::files::{Format, parse, to_bytes};
use pmatrix::lang::table::Table;
use pmatrix::operation::{Class, Shape};

use super::fuzz;

const NAMES: [(Format, &str); 4] = [
    (Format::Text, "m.txt"),
    (Format::Csv, "m.csv"),
    (Format::MatrixMarket, "m.mtx"),
    (Format::Npy, "m.npy"),
];

/// Equal elements by their bits, where NaN has but one.
fn same(a: &Table, b: &Table) -> bool {
    let bits = |table: &Table| -> Vec<u64> {
        table.elements.iter().map(|x| if x.is_nan() { f64::NAN } else { *x }.to_bits()).collect()
    };
    a.shape == b.shape && bits(a) == bits(b)
}

#[test]
fn readers() {
    let table = |rows: u32, columns: u32, class| Table {
        shape: Shape { rows, columns },
        class,
        elements: (0..rows * columns).map(|i| f64::from(i % 5) - 1.5).collect(),
    };
    let tables = [table(3, 4, None), table(1, 6, Some(Class::Single)), table(5, 1, Some(Class::Double))];
    let foreign: [&[u8]; 4] = [
        b"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 3\n1 1 2.5\n2 1 -1\n3 3 4\n",
        b"%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n",
        b"a;b\n1,5;2\n-3;4,25\n",
        b"# name: x\n1 2 3\n4 5 6\n",
    ];
    for (format, name) in NAMES {
        let path = Path::new(name);
        let mut good: Vec<_> = tables.iter().map(|table| to_bytes(path, table).unwrap()).collect();
        good.extend(foreign.iter().map(|bytes| bytes.to_vec()));
        fuzz(13, &good, |bytes| {
            // Whatever a file is called, the format is one of these.
            assert!(NAMES.iter().any(|(format, _)| *format == Format::of_file(path, bytes)));
            let Ok(read) = parse(format, bytes) else { return false };
            assert_eq!(read.elements.len() as u64, read.shape.elements());
            if let Ok(written) = to_bytes(path, &read) {
                match parse(format, &written) {
                    Ok(again) => assert!(same(&again, &read), "{read:?} came back as {again:?}"),
                    Err(what) => panic!("what was written of {read:?} cannot be read: {what:?}"),
                }
            }
            true
        });
    }
}
