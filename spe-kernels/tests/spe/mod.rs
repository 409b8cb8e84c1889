//! A simulated SPE with the MEU's program, and the memory that it shares with a PPE.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    reason = "shared by a test and a benchmark"
)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use spe_kernels::sys::{self, meu_block, meu_completion};
use spe_kernels::{Block, BlockMut, Element, Form, Opcode, Processor, Program, big_endian, execute, spe};
use spu_sim::elf::Image;
use spu_sim::memory::{MainMemory, Ram};
use spu_sim::mfc::Order;
use spu_sim::port::Wait;
use spu_sim::spe::{Arguments, Spe, SpeConfig, StopReason};
use spu_sim::spu::{Cpu, Observer, Unobserved};

const BASE: u64 = 0x1000_0000;
const RING: u64 = BASE;
const COMPLETION: u64 = RING + (sys::MEU_RING_LINES * sys::MEU_LINE_BYTES) as u64;
const PARAMETERS: u64 = COMPLETION + 128;
const OVERLAYS: u64 = PARAMETERS + 128;
const BYTES: usize = 4 << 20;

/// Far more than the programs of a test need.
const INSTRUCTION_LIMIT: u64 = 2_000_000_000;

/// An element in main memory and as numbers.
pub trait Number: Element {
    fn bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
    fn of(value: f64) -> Self;
    fn bits(self) -> u64;
    /// The operation on one element of an SPE.
    fn computed(processor: Processor, opcode: Opcode, a: Self, b: Self) -> Self;
}

impl Number for f32 {
    fn bytes(self) -> Vec<u8> {
        self.to_be_bytes().to_vec()
    }
    fn from_bytes(bytes: &[u8]) -> f32 {
        f32::from_be_bytes(bytes.try_into().unwrap())
    }
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn computed(processor: Processor, opcode: Opcode, a: f32, b: f32) -> f32 {
        spe::element(processor, opcode, a, b).unwrap()
    }
}

impl Number for f64 {
    fn bytes(self) -> Vec<u8> {
        self.to_be_bytes().to_vec()
    }
    fn from_bytes(bytes: &[u8]) -> f64 {
        f64::from_be_bytes(bytes.try_into().unwrap())
    }
    fn of(value: f64) -> f64 {
        value
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn computed(processor: Processor, opcode: Opcode, a: f64, b: f64) -> f64 {
        if opcode.is_library() {
            return spe::element(processor, opcode, a, b).unwrap();
        }
        let (a, b, mut result) = ([a; 2], [b; 2], [0.0; 2]);
        let second = opcode.is_binary().then(|| Block::new(&b, 1, 1, 2));
        let target = BlockMut::new(&mut result, 1, 1, 2);
        execute(opcode, Form::Blocks, 0.0, Block::new(&a, 1, 1, 2), second, target).unwrap();
        result[0]
    }
}

/// The memory is written a line at a time.
fn write_code(memory: &Ram, code: &[u8]) {
    for (number, line) in code.chunks(128).enumerate() {
        memory.write(OVERLAYS + number as u64 * 128, line).unwrap();
    }
}

/// A simulated SPE with the MEU's program, and the memory that it shares with a PPE.
pub struct Machine {
    memory: Arc<Ram>,
    spe: Spe,
    free: u64,
    next_line: u32,
    offered: u32,
}

impl Machine {
    /// None, with a line that says so, where there is no SPU compiler.
    pub fn new(processor: Processor, order: Order) -> Option<Machine> {
        let file = match spe_kernels::image(processor) {
            Ok(file) => file,
            Err(missing) => {
                assert!(std::env::var("REQUIRE_ALL").is_err(), "{missing}");
                println!("skipped: {missing}");
                return None;
            }
        };
        let cpu = if processor == Processor::CellBe { Cpu::CellBe } else { Cpu::PowerXCell8i };
        let memory = Arc::new(Ram::new(BASE, BYTES));
        let mut spe =
            Spe::new(&SpeConfig { cpu, order, cycles_per_tick: 1, ..SpeConfig::default() }, memory.clone());
        let parameters = sys::meu_parameters {
            ring_ea: RING,
            completion_ea: COMPLETION,
            overlays_ea: OVERLAYS,
            version: sys::MEU_PROTOCOL_VERSION,
            // A nanosecond of a stage time stands for a cycle.
            tick_ns_q16: 1 << 16,
            ..Default::default()
        };
        memory.write(PARAMETERS, &big_endian::parameters(&parameters)).unwrap();
        let overlays = spe_kernels::overlays(processor).unwrap();
        write_code(&memory, overlays);
        let free = (OVERLAYS + overlays.len() as u64).next_multiple_of(128);
        spe.start(&Image::parse(file).unwrap(), Arguments { argp: PARAMETERS, ..Arguments::default() });
        Some(Machine { memory, spe, free, next_line: 0, offered: 0 })
    }

    /// A block with these elements, and NaN in the pads.
    pub fn block<T: Number>(
        &mut self,
        rows: usize,
        columns: usize,
        element: impl Fn(usize, usize) -> T,
    ) -> meu_block {
        let column_bytes = (rows * size_of::<T>()).next_multiple_of(16) as u64;
        let block = meu_block {
            ea: self.free,
            stride_bytes: column_bytes as u32,
            rows: rows as u32,
            columns: columns as u32,
            precision: T::PRECISION as u8,
            ..Default::default()
        };
        for column in 0..columns {
            for row in 0..column_bytes as usize / size_of::<T>() {
                let value = if row < rows { element(row, column) } else { T::of(f64::NAN) };
                let ea = self.free + (column as u64 * column_bytes) + (row * size_of::<T>()) as u64;
                self.memory.write(ea, &value.bytes()).unwrap();
            }
        }
        self.free = (self.free + column_bytes * columns as u64).next_multiple_of(128);
        assert!(self.free < BASE + BYTES as u64);
        block
    }

    pub fn element<T: Number>(&self, block: &meu_block, row: usize, column: usize) -> T {
        let row = if block.rows == 1 { 0 } else { row };
        let column = if block.columns == 1 { 0 } else { column };
        let mut bytes = vec![0; size_of::<T>()];
        let ea = block.ea + (column * block.stride_bytes as usize + row * size_of::<T>()) as u64;
        self.memory.read(ea, &mut bytes).unwrap();
        T::from_bytes(&bytes)
    }

    /// The mailbox word of a program whose record is written now, with the flag that asks for stage times.
    pub fn offer(&mut self, program: &Program, blocks: &[meu_block]) -> u32 {
        let further = program.further_lines(blocks).map(|line| big_endian::further(&line)).collect();
        self.offer_lines(program.record(blocks), further)
    }

    /// The mailbox word of a record with these further lines.
    pub fn offer_lines(&mut self, record: sys::meu_record, further: Vec<big_endian::Line>) -> u32 {
        self.offered += 1;
        let flags = sys::MEU_FLAG_PROFILE as u8;
        let record = sys::meu_record { sequence: self.offered, flags, ..record };
        let lines: Vec<_> = std::iter::once(big_endian::record(&record)).chain(further).collect();
        if self.next_line + lines.len() as u32 > sys::MEU_RING_LINES {
            self.next_line = 0;
        }
        let first = self.next_line;
        for line in &lines {
            self.memory.write(RING + u64::from(self.next_line * sys::MEU_LINE_BYTES), line).unwrap();
            self.next_line += 1;
        }
        ((lines.len() as u32) << 16) | first
    }

    /// Another operation in a step of the first record, whose second line has the steps.
    pub fn set_opcode(&mut self, step: usize, opcode: u8) {
        let offset = step * size_of::<sys::program_step>() + std::mem::offset_of!(sys::program_step, opcode);
        self.memory.write(RING + u64::from(sys::MEU_LINE_BYTES) + offset as u64, &[opcode]).unwrap();
    }

    /// Runs the MEU over all words until it ends.
    pub fn run(&mut self, words: &[u32]) -> meu_completion {
        self.run_observed(words, &mut Unobserved)
    }

    /// Other code in place of the MEU's overlays in main memory.
    pub fn set_overlays(&mut self, overlays: &[u8]) {
        write_code(&self.memory, overlays);
    }

    /// [`run`](Self::run) with an observer.
    pub fn run_observed<O: Observer>(&mut self, words: &[u32], observer: &mut O) -> meu_completion {
        match self.end(words, observer) {
            StopReason::Stop(0x2000) => {}
            reason => panic!("{reason} at {:#x}", self.spe.pc()),
        }
        let mut line = [0; 128];
        self.memory.read(COMPLETION, &mut line).unwrap();
        big_endian::completion(&line)
    }

    /// Runs the MEU over all words: why its program has ended.
    pub fn run_to_the_end(&mut self, words: &[u32]) -> StopReason {
        self.end(words, &mut Unobserved)
    }

    fn end<O: Observer>(&mut self, words: &[u32], observer: &mut O) -> StopReason {
        let mut words = words.iter().chain([&sys::MEU_WORD_TERMINATE]).copied().peekable();
        loop {
            while let Some(&word) = words.peek()
                && self.spe.port().write_in_mailbox(&[word], Wait::No) == 1
            {
                words.next();
            }
            match self.spe.run_observed(observer, INSTRUCTION_LIMIT) {
                StopReason::Blocked(_) if words.peek().is_some() => {}
                reason => return reason,
            }
        }
    }
}
