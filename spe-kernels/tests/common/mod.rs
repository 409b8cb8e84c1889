//! A small PPE: a ring, a mailbox, and matrices as the MEU sees them.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    reason = "shared by several tests"
)]

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};

use spe_kernels::program::FurtherLine;
use spe_kernels::sys::{
    MEU_LINE_BYTES, MEU_PROTOCOL_VERSION, MEU_RING_LINES, MEU_WORD_TERMINATE, PROGRAM_INPUTS,
    direct_operation, meu_block, meu_completion, meu_gather, meu_parameters, meu_product, meu_record,
    meu_report, program_step,
};
use spe_kernels::{Element, Form, LocalStore, Mailbox, MeuOptions, Opcode, run_meu};

/// What a test does when a completion record has become visible.
pub type OnCompletion<'a> = Box<dyn Fn(u32) + Sync + Send + 'a>;

/// The mailbox of one MEU.
#[derive(Default)]
pub struct TestMailbox<'a> {
    words: Mutex<VecDeque<u32>>,
    arrived: Condvar,
    pub reads_while_empty: AtomicU32,
    pub completions: AtomicU32,
    pub on_completion: Option<OnCompletion<'a>>,
}

impl TestMailbox<'_> {
    pub fn send(&self, word: u32) {
        self.words.lock().expect("no test panics with the lock").push_back(word);
        self.arrived.notify_all();
    }
}

impl Mailbox for TestMailbox<'_> {
    fn read(&self) -> u32 {
        let mut words = self.words.lock().expect("no test panics with the lock");
        loop {
            if let Some(word) = words.pop_front() {
                return word;
            }
            self.reads_while_empty.fetch_add(1, Ordering::Relaxed);
            words = self.arrived.wait(words).expect("no test panics with the lock");
        }
    }

    fn count(&self) -> u32 {
        self.words.lock().expect("no test panics with the lock").len() as u32
    }

    fn completed(&self, words_left: u32) {
        self.completions.fetch_add(1, Ordering::Relaxed);
        if let Some(on_completion) = &self.on_completion {
            on_completion(words_left);
        }
    }
}

/// A column-major matrix in memory that begins on a line; its pads are NaN. Raw: the MEU writes to it.
pub struct Matrix<T> {
    memory: Vec<u8>,
    offset: usize,
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Element> Matrix<T> {
    pub fn new(
        rows: usize,
        columns: usize,
        extra_stride: usize,
        mut value: impl FnMut(usize, usize) -> T,
    ) -> Self {
        let group = 16 / size_of::<T>();
        let stride = (rows + extra_stride).next_multiple_of(group);
        let mut memory = vec![0xff_u8; stride * columns * size_of::<T>() + 128];
        let offset = memory.as_mut_ptr().align_offset(128);
        let mut matrix = Self { memory, offset, rows, columns, stride, element: std::marker::PhantomData };
        for column in 0..columns {
            for row in 0..rows {
                matrix.set(row, column, value(row, column));
            }
        }
        matrix
    }

    fn at(&self, row: usize, column: usize) -> *mut T {
        assert!(row < self.stride && column < self.columns);
        let index = self.offset + (column * self.stride + row) * size_of::<T>();
        self.memory.as_ptr().wrapping_add(index).cast::<T>().cast_mut()
    }

    pub fn get(&self, row: usize, column: usize) -> T {
        // SAFETY: inside the allocation, aligned, initialised; volatile because an MEU wrote it through its
        // address.
        unsafe { self.at(row, column).read_volatile() }
    }

    pub fn set(&mut self, row: usize, column: usize, value: T) {
        // SAFETY: inside the allocation and aligned.
        unsafe { self.at(row, column).write(value) }
    }

    pub fn block(&self) -> meu_block {
        meu_block {
            ea: self.at(0, 0) as u64,
            stride_bytes: (self.stride * size_of::<T>()) as u32,
            rows: self.rows as u32,
            columns: self.columns as u32,
            precision: T::PRECISION as u8,
            ..Default::default()
        }
    }
}

/// A record of one step.
pub fn step_record(step: program_step, operands: &[meu_block], result: meu_block) -> meu_record {
    let mut record = meu_record {
        version: MEU_PROTOCOL_VERSION as u8,
        input_count: operands.len() as u8,
        result_count: 1,
        step_count: 1,
        ..Default::default()
    };
    record.blocks[..operands.len()].copy_from_slice(operands);
    record.blocks[operands.len()] = result;
    record.work.step = step;
    record
}

/// The status with which an MEU answers a record, while its DMA is executed in any order.
pub fn status(record: meu_record) -> u32 {
    status_of_lines(record, &[])
}

/// [`status`] of a record with these further lines.
pub fn status_of_lines(record: meu_record, further: &[FurtherLine]) -> u32 {
    let ppe = Ppe::new(None);
    ppe.offer_lines(record, further);
    ppe.terminate();
    ppe.run(&MeuOptions { chaos_seed: Some(3), ..MeuOptions::default() }).expect("memory for a local store");
    ppe.completion().report.status.into()
}

/// A record of one line.
pub fn record(
    opcode: Opcode,
    form: Form,
    scalar: f64,
    result: meu_block,
    operands: &[meu_block],
) -> meu_record {
    let step = program_step {
        opcode: opcode as u8,
        form: form as u8,
        operands: [0, operands.len() as u8 - 1],
        result: PROGRAM_INPUTS as u8,
        scalar,
        ..Default::default()
    };
    let mut record = step_record(step, operands, result);
    if opcode == Opcode::Multiply {
        record.step_count = 0;
        record.work.product = meu_product { opcode: opcode as u8, parts: 1, ..Default::default() };
    }
    record
}

/// A product of doubles as an accumulation chain: the inner side in `parts` parts of multiples of two
/// elements.
pub fn chain(mut product: meu_record, parts: u16) -> meu_record {
    let inner = product.blocks[0].columns;
    let groups = inner.div_ceil(2) as u16;
    product.inner = inner;
    let (base, longer) = (groups / parts, groups % parts);
    product.work.product =
        meu_product { opcode: Opcode::Multiply as u8, parts, longer, divisor: 2, base, ..Default::default() };
    let first = inner.min(2 * u32::from(base + u16::from(longer > 0)));
    (product.blocks[0].columns, product.blocks[1].rows) = (first, first);
    product
}

/// The memory that a PPE shares with one MEU.
pub struct Ppe<'a> {
    ring: Box<UnsafeCell<[meu_record; MEU_RING_LINES as usize]>>,
    completion: Box<UnsafeCell<meu_completion>>,
    pub mailbox: TestMailbox<'a>,
    offered: Cell<u32>,
    next_line: Cell<u32>,
}

impl<'a> Ppe<'a> {
    pub fn new(on_completion: Option<OnCompletion<'a>>) -> Self {
        Self {
            ring: Box::new(UnsafeCell::new([meu_record::default(); MEU_RING_LINES as usize])),
            completion: Box::default(),
            mailbox: TestMailbox { on_completion, ..Default::default() },
            offered: Cell::new(0),
            next_line: Cell::new(0),
        }
    }

    pub fn parameters(&self) -> meu_parameters {
        meu_parameters {
            ring_ea: self.ring.get() as u64,
            completion_ea: self.completion.get() as u64,
            version: MEU_PROTOCOL_VERSION,
            ..Default::default()
        }
    }

    pub fn completion_ea(&self) -> usize {
        self.completion.get() as usize
    }

    /// Offers an operation with a record of one line.
    pub fn offer(&self, record: meu_record) -> u32 {
        self.offer_lines(record, &[])
    }

    /// Offers an operation: its record lies in one piece in the ring.
    pub fn offer_lines(&self, mut record: meu_record, further: &[FurtherLine]) -> u32 {
        let sequence = self.offered.get() + 1;
        self.offered.set(sequence);
        record.sequence = sequence;
        let lines = 1 + further.len() as u32;
        let next = self.next_line.get();
        let line = if next + lines > MEU_RING_LINES { 0 } else { next };
        self.next_line.set(line + lines);
        // SAFETY: inside the ring. The lines are ours until their operation is done, and the MEU reads them
        // after the word.
        unsafe {
            let mut to = self.ring.get().cast::<meu_record>().add(line as usize);
            to.write_volatile(record);
            for further in further {
                to = to.byte_add(MEU_LINE_BYTES as usize);
                match further {
                    FurtherLine::Blocks(blocks) => to.cast::<[meu_block; 4]>().write_volatile(*blocks),
                    FurtherLine::Steps(steps) => to.cast::<[program_step; 8]>().write_volatile(*steps),
                    FurtherLine::Direct(direct) => to.cast::<direct_operation>().write_volatile(*direct),
                    FurtherLine::Gather(gather) => to.cast::<meu_gather>().write_volatile(*gather),
                }
            }
        }
        self.mailbox.send((lines << 16) | line);
        sequence
    }

    pub fn terminate(&self) {
        self.mailbox.send(MEU_WORD_TERMINATE);
    }

    /// The completion record as the PPE reads it.
    pub fn completion(&self) -> meu_completion {
        read_completion(self.completion_ea())
    }

    /// Runs the MEU on this thread over what has been offered.
    pub fn run(&self, options: &MeuOptions) -> Result<(), spe_kernels::Status> {
        let mut local_store = LocalStore::new().expect("there is memory for a local store");
        // SAFETY: the records describe matrices that the test keeps alive and does not touch meanwhile.
        unsafe { run_meu(&mut local_store, &self.parameters(), &self.mailbox, options) }
    }
}

pub fn read_completion(ea: usize) -> meu_completion {
    let completion = ea as *const meu_completion;
    // SAFETY: `ea` is the address of a completion record that lives; its doublewords are written atomically.
    unsafe {
        let report = AtomicU64::from_ptr(completion.cast_mut().cast()).load(Ordering::Acquire);
        meu_completion {
            report: std::mem::transmute::<u64, meu_report>(report),
            ..completion.read_volatile()
        }
    }
}

/// Small integers whose sums and products are exact; neighbours differ.
pub fn small(row: usize, column: usize, seed: usize) -> f64 {
    ((row * 7 + column * 13 + seed * 29) % 31) as f64 - 15.0
}
