use super::*;

fn shape(rows: u32, columns: u32) -> Shape {
    Shape { rows, columns }
}

#[test]
fn columns_are_padded_to_quadwords() {
    let pool = Pool::new(0, true);
    let matrix = Matrix::from_fn(shape(5, 3), &pool, |r, c| (10 * r + c) as f32).unwrap();
    assert_eq!(matrix.stride_bytes(), 32);
    assert_eq!(matrix.ea(0, 0) % 128, 0);
    assert_eq!(matrix.ea(2, 1), matrix.ea(0, 0) + 32 + 8);
    assert_eq!(matrix.column::<f32>(2), [2.0, 12.0, 22.0, 32.0, 42.0]);
    assert_eq!(matrix.value(4, 0), 40.0);
    assert_eq!(matrix.values().count(), 15);
}

/// All bytes of a matrix with its pads.
fn bytes(matrix: &Matrix) -> Vec<u8> {
    let length = matrix.bytes().next_multiple_of(QUADWORD_BYTES);
    // SAFETY: buffers are whole quadwords, and all bytes of this one have been written.
    unsafe { std::slice::from_raw_parts(matrix.base(), length) }.to_vec()
}

#[test]
fn pads_of_matrices_that_the_program_gives_are_zeros() {
    // The pool gives the same memory again.
    let pool = Pool::new(1 << 20, false);
    let dirty = |bytes| {
        let buffer = pool.allocate(bytes).unwrap();
        // SAFETY: nobody else has the buffer.
        unsafe { buffer.pointer().write_bytes(0xff, bytes) };
    };
    for (rows, columns) in [(1, 5), (3, 2), (4, 4), (5, 1)] {
        dirty(128);
        let whole = Arc::new(Matrix::from_fn(shape(rows, columns), &pool, |_, _| 0f32).unwrap());
        assert!(bytes(&whole).iter().all(|&byte| byte == 0), "{rows} {columns}");
        for layout in [Layout::Touching, Layout::Apart] {
            dirty(128);
            let copy = whole.copy::<f32>(layout, &pool).unwrap();
            assert!(bytes(&copy).iter().all(|&byte| byte == 0), "{rows} {columns} {layout:?}");
        }
    }
}

#[test]
fn foreign_memory_is_used_in_place_when_it_can_be() {
    let pool = Pool::new(0, false);
    let released = Arc::new(AtomicBool::new(false));
    let backing: Arc<Vec<u128>> = Arc::new(vec![0; 4]); // 16-byte aligned
    let flag = Arc::clone(&released);
    let keep = Arc::clone(&backing);
    let release = Box::new(move || {
        drop(keep);
        flag.store(true, Ordering::SeqCst);
    });
    // SAFETY: the vector lives in the release closure.
    let matrix = Arc::new(unsafe {
        Matrix::foreign(shape(2, 4), Precision::Double, backing.as_ptr().cast(), release)
    });
    let same = matrix.in_layout(Layout::Apart, &pool).unwrap();
    assert!(Arc::ptr_eq(&matrix, &same));
    drop((matrix, same));
    assert!(released.load(Ordering::SeqCst));
}

#[test]
fn rows_are_copied_into_a_layout_once() {
    let pool = Pool::new(0, false);
    let backing: Vec<f64> = (0..8).map(f64::from).collect();
    let backing = (&raw const *backing.leak()).cast::<u8>();
    let row = |columns| {
        let start = backing.wrapping_add(backing.align_offset(QUADWORD_BYTES));
        // SAFETY: the vector is never freed, and has six elements from its first or second one on.
        Arc::new(unsafe { Matrix::foreign(shape(1, columns), Precision::Double, start, Box::new(|| ())) })
    };
    for (columns, in_place) in [(4, true), (5, false)] {
        let matrix = row(columns);
        let first = matrix.value(0, 0);
        let touching = matrix.in_layout(Layout::Touching, &pool).unwrap();
        let apart = matrix.in_layout(Layout::Apart, &pool).unwrap();
        assert_eq!(Arc::ptr_eq(&matrix, &touching), in_place, "{columns} columns");
        assert_eq!([touching.stride_bytes(), apart.stride_bytes()], [8, 16]);
        assert!(Arc::ptr_eq(&apart, &matrix.in_layout(Layout::Apart, &pool).unwrap()));
        let back = apart.in_layout(Layout::Touching, &pool).unwrap();
        assert_eq!(back.stride_bytes(), 8);
        for matrix in [&touching, &apart, &back] {
            assert!(matrix.values().eq((0..columns).map(|c| first + f64::from(c))));
        }
    }
}

#[test]
#[should_panic(expected = "before it is complete")]
fn an_incomplete_result_cannot_be_read() {
    let pool = Pool::new(0, false);
    let matrix = Matrix::result(shape(2, 2), Precision::Double, Layout::Apart, &pool).unwrap();
    let _ = matrix.column::<f64>(0);
}

#[test]
fn wrong_element_counts_are_refused() {
    let pool = Pool::new(0, false);
    assert!(Matrix::from_columns(shape(2, 2), &[1.0, 2.0, 3.0], &pool).is_err());
}
