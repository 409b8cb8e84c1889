//! The MEU end to end: ring, mailbox, transfers, completion.

mod common;

use common::{Matrix, Ppe, record, small};
use spe_kernels::sys::{MEU_STATUS_OK, meu_completion};
use spe_kernels::{Form, MeuOptions, Opcode};

fn assert_done(completion: &meu_completion, sequence: u32) {
    assert_eq!(completion.status, MEU_STATUS_OK, "detail {}", completion.detail);
    assert_eq!(completion.sequence, sequence);
}

/// Blocks that travel as one run, as a list, and with pads, over many seeds.
#[test]
fn operations_of_every_layout_in_chaos() {
    let seeds = [None].into_iter().chain((0..40).map(Some));
    for chaos_seed in seeds {
        let mut ppe = Ppe::new(None);
        let mut expected = Vec::new();
        for (index, &(m, k, n, extra)) in
            [(1, 1, 1, 0), (4, 3, 5, 0), (68, 68, 68, 0), (67, 9, 33, 6), (3, 70, 2, 2), (64, 64, 64, 64)].iter().enumerate()
        {
            let a = Matrix::new(m, k, extra, |i, j| small(i, j, index));
            let b = Matrix::new(k, n, extra, |i, j| small(i, j, index + 1));
            let c = Matrix::new(m, n, extra, |_, _| 0.0);
            ppe.offer(record(Opcode::Multiply, Form::Blocks, 0.0, c.block(), &[a.block(), b.block()]));
            expected.push((a, b, c));
        }
        ppe.terminate();
        ppe.run(&MeuOptions { chaos_seed, ..Default::default() }).unwrap();
        assert_done(&ppe.completion(), expected.len() as u32);
        for (a, b, c) in &expected {
            for j in 0..c.columns {
                for i in 0..c.rows {
                    let sum: f64 = (0..a.columns).map(|l| a.get(i, l) * b.get(l, j)).sum();
                    assert_eq!(c.get(i, j), sum, "element {i},{j} of {}x{}, seed {chaos_seed:?}", c.rows, c.columns);
                }
            }
        }
    }
}
