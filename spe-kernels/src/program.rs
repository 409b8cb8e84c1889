//! Element-wise programs: what they compute, their execution in main memory, and their records.

use std::mem::MaybeUninit;

use crate::block::{Block, BlockMut, Element};
use crate::execute::{VectorWidth, kernels};
use crate::operation::{Form, Opcode, Precision, Status};
use crate::sys;

/// Most steps of a program.
pub const STEPS: usize = sys::PROGRAM_STEPS as usize;

/// Most blocks that a program reads.
pub const INPUTS: usize = sys::PROGRAM_INPUTS as usize;

/// Most blocks that a program writes.
pub const RESULTS: usize = sys::PROGRAM_RESULTS as usize;

/// Most strips that steps pass on to each other.
pub const STRIPS: usize = sys::PROGRAM_STRIPS as usize;

/// What a step reads or writes, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A block input.
    Input(u8),
    /// A part of a block that never reaches main memory.
    Strip(u8),
    /// A block result.
    Result(u8),
}

/// One element-wise operation of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What it computes.
    pub opcode: Opcode,
    /// Which operands are blocks.
    pub form: Form,
    /// What it reads: the second place counts where two operands are blocks.
    pub operands: [Place; 2],
    /// What it writes: none of its operands, and no input.
    pub result: Place,
    /// The scalar of the scalar forms.
    pub scalar: f64,
}

/// Why a program was not executed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("step {step} of a program: {status}")]
pub struct Failure {
    /// What is wrong.
    pub status: Status,
    /// The step that has met an element outside of its domain; else 0.
    pub step: u32,
}

/// A sound list of steps.
#[derive(Clone)]
pub struct Program {
    steps: [sys::program_step; STEPS],
    step_count: u8,
    input_count: u8,
    result_count: u8,
    strip_count: u8,
    of_bytes: Precision,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = (self.input_count, self.strip_count, self.result_count);
        f.debug_struct("Program").field("counts", &counts).field("steps", &self.steps()).finish()
    }
}

impl Program {
    /// A program that reads and writes so many blocks.
    ///
    /// # Errors
    ///
    /// [`Status::Opcode`] for a step that is not element-wise, and for a form that its operation does not
    /// have; [`Status::Shape`] for too many steps, blocks or strips, for a step that reads what no step
    /// before it has written, and for results that no step writes.
    pub fn new(inputs: usize, results: usize, steps: &[Step]) -> Result<Self, Status> {
        let places = steps.iter().flat_map(|step| step.operands.into_iter().chain([step.result]));
        let strips =
            places.map(|place| if let Place::Strip(strip) = place { usize::from(strip) + 1 } else { 0 });
        let strips = strips.max().unwrap_or(0);
        if inputs > INPUTS || results > RESULTS || strips > STRIPS || steps.len() > STEPS {
            return Err(Status::Shape);
        }
        let mut program = Self {
            steps: [sys::program_step::default(); STEPS],
            step_count: steps.len() as u8,
            input_count: inputs as u8,
            result_count: results as u8,
            strip_count: strips as u8,
            of_bytes: Precision::Single,
        };
        let number = |place| {
            let number = match place {
                Place::Input(input) if usize::from(input) < inputs => usize::from(input),
                Place::Input(_) => return Err(Status::Shape),
                Place::Strip(strip) => INPUTS + usize::from(strip),
                Place::Result(result) => INPUTS + strips + usize::from(result),
            };
            u8::try_from(number).map_err(|_| Status::Shape)
        };
        for (to, step) in program.steps.iter_mut().zip(steps) {
            let both = step.opcode.is_binary() && step.form == Form::Blocks;
            let operands = [step.operands[0], step.operands[usize::from(both)]];
            *to = sys::program_step {
                opcode: step.opcode as u8,
                form: step.form as u8,
                operands: [number(operands[0])?, number(operands[1])?],
                result: number(step.result)?,
                reserved: [0; 3],
                scalar: if step.form == Form::Blocks { 0.0 } else { step.scalar },
            };
        }
        if cfg!(miri) {
            // Miri executes no C: neither this check nor the program.
            return Ok(program);
        }
        // The steps are checked with blocks that fit each other.
        let block = sys::kernel_block { rows: 1, columns: 1, ..sys::kernel_block::default() };
        let description = program.description((0..inputs + results).map(|_| block));
        // SAFETY: the check reads the description alone, and the steps, which outlive it.
        let raw = unsafe { sys::program_check(&raw const description) };
        Status::from_raw(raw).expect("a check returns an enum meu_status").map(|()| program)
    }

    /// The program, which is computed in this precision if all of its blocks are of bytes. Without a call of
    /// this function it is computed in single precision then.
    #[must_use]
    pub fn of_bytes_in(self, precision: Precision) -> Self {
        Self { of_bytes: precision, ..self }
    }

    /// Its steps, as records hold them.
    #[must_use]
    pub fn steps(&self) -> &[sys::program_step] {
        &self.steps[..usize::from(self.step_count)]
    }

    /// The number of blocks that it reads.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.input_count.into()
    }

    /// The number of blocks that it writes.
    #[must_use]
    pub fn results(&self) -> usize {
        self.result_count.into()
    }

    /// The number of strips, each of `PROGRAM_STRIP_BYTES` bytes; in a local store they lie behind the
    /// results.
    #[must_use]
    pub fn strips(&self) -> usize {
        self.strip_count.into()
    }

    /// The number of lines of its record.
    #[must_use]
    pub fn record_lines(&self) -> u32 {
        lines(self.inputs() + self.results(), if self.step_count == 1 { 0 } else { self.steps().len() })
    }

    /// The number of lines of the record of a product whose epilogue it is.
    #[must_use]
    pub fn product_lines(&self) -> u32 {
        lines(1 + self.inputs() + self.results(), self.steps().len())
    }

    /// With blocks, of which there are enough.
    fn description(&self, blocks: impl Iterator<Item = sys::kernel_block>) -> sys::program {
        let mut description = sys::program {
            steps: self.steps.as_ptr(),
            step_count: self.step_count.into(),
            input_count: self.input_count.into(),
            result_count: self.result_count.into(),
            strip_count: self.strip_count.into(),
            of_bytes: self.of_bytes as u32,
            ..sys::program::default()
        };
        description.blocks.iter_mut().zip(blocks).for_each(|(to, block)| *to = block);
        description
    }

    /// Executes it on slices, in the widest vectors of this machine.
    ///
    /// # Errors
    ///
    /// [`Status::Shape`] when the blocks do not fit the program, [`Status::Opcode`] when their precisions do
    /// not; [`Status::Domain`], with the step, when the contents of the results are arbitrary.
    pub fn execute<T: Element>(
        &self,
        inputs: &[Block<'_, T>],
        results: &mut [BlockMut<'_, T>],
    ) -> Result<(), Failure> {
        self.execute_with(None, inputs, results)
    }

    /// [`execute`](Self::execute) in vectors of a given width.
    ///
    /// # Errors
    ///
    /// As [`execute`](Self::execute).
    ///
    /// # Panics
    ///
    /// If this machine lacks the width.
    pub fn execute_with<T: Element>(
        &self,
        width: Option<VectorWidth>,
        inputs: &[Block<'_, T>],
        results: &mut [BlockMut<'_, T>],
    ) -> Result<(), Failure> {
        if inputs.len() != self.inputs() || results.len() != self.results() {
            return Err(Failure { status: Status::Shape, step: 0 });
        }
        let blocks = inputs.iter().map(Block::raw).chain(results.iter_mut().map(BlockMut::raw));
        // SAFETY: `Block::new` and `BlockMut::new` have asserted that the slices hold the blocks, and the
        // slices are borrowed until after the call. Results are borrowed uniquely, so they overlap no other
        // block.
        unsafe { self.execute_description(width, self.description(blocks)) }
    }

    /// Executes it on blocks in main memory, the inputs and then the results, in vectors of this width, or in
    /// the widest of this machine.
    ///
    /// # Errors
    ///
    /// As [`execute`](Self::execute).
    ///
    /// # Safety
    ///
    /// The blocks lie in memory that can be read, or for results written, in whole groups of 16 bytes a
    /// column; blocks of bytes that are widened or narrowed need hold no more than their elements. Until this
    /// returns nobody else writes them, or reads the results, which overlap no other block.
    pub unsafe fn execute_at(
        &self,
        width: Option<VectorWidth>,
        blocks: &[sys::meu_block],
    ) -> Result<(), Failure> {
        if blocks.len() != self.inputs() + self.results() {
            return Err(Failure { status: Status::Shape, step: 0 });
        }
        let blocks = blocks.iter().map(|block| sys::kernel_block {
            data: std::ptr::with_exposed_provenance_mut(block.ea as usize),
            stride_bytes: block.stride_bytes,
            rows: block.rows,
            columns: block.columns,
            precision: block.precision.into(),
        });
        // SAFETY: the contract of this function.
        unsafe { self.execute_description(width, self.description(blocks)) }
    }

    /// # Safety
    ///
    /// As [`execute_at`](Self::execute_at); the description has all blocks.
    unsafe fn execute_description(
        &self,
        width: Option<VectorWidth>,
        mut description: sys::program,
    ) -> Result<(), Failure> {
        if self.strip_count == 0 {
            // SAFETY: the contract of this function.
            return unsafe { execute_description(kernels(width), &raw mut description) };
        }
        let mut strips = [MaybeUninit::<Strip>::uninit(); STRIPS];
        description.strips = strips.as_mut_ptr().cast();
        // SAFETY: the contract of this function; the strips are as many as a program can have.
        unsafe { execute_description(kernels(width), &raw mut description) }
    }

    /// The first line of its record for these blocks, the inputs and then the results. Flags and sequence
    /// number are 0.
    ///
    /// # Panics
    ///
    /// If there are not as many blocks as the program has.
    #[must_use]
    pub fn record(&self, blocks: &[sys::meu_block]) -> sys::meu_record {
        assert_eq!(blocks.len(), self.inputs() + self.results(), "a program has all its blocks");
        let opcode = sys::MEU_PROGRAM as u8;
        let mut record = sys::meu_record {
            version: sys::MEU_PROTOCOL_VERSION as u8,
            input_count: self.input_count,
            result_count: self.result_count,
            step_count: self.step_count,
            strip_count: self.strip_count,
            of_bytes: self.of_bytes as u8,
            work: sys::meu_work {
                step: match self.step_count {
                    1 => self.steps[0],
                    _ => sys::program_step { opcode, ..sys::program_step::default() },
                },
            },
            ..sys::meu_record::default()
        };
        record.blocks.iter_mut().zip(blocks).for_each(|(to, block)| *to = *block);
        record
    }

    /// The record of a product, with this program as its epilogue.
    #[must_use]
    pub fn with_product(&self, product: sys::meu_record) -> sys::meu_record {
        sys::meu_record {
            input_count: self.input_count + 1,
            result_count: self.result_count,
            step_count: self.step_count,
            strip_count: self.strip_count,
            ..product
        }
    }

    /// The lines behind the first.
    pub fn further_lines<'a>(
        &'a self,
        blocks: &'a [sys::meu_block],
    ) -> impl Iterator<Item = FurtherLine> + 'a {
        further_lines(blocks, if self.step_count == 1 { &[] } else { self.steps() })
    }

    /// The lines behind the first of a product whose epilogue it is.
    pub fn further_product_lines<'a>(
        &'a self,
        blocks: &'a [sys::meu_block],
    ) -> impl Iterator<Item = FurtherLine> + 'a {
        further_lines(blocks, self.steps())
    }
}

/// The number of lines of a record with so many blocks, and so many steps in lines of their own.
fn lines(blocks: usize, steps: usize) -> u32 {
    let blocks = blocks.saturating_sub(sys::MEU_RECORD_BLOCKS as usize);
    (1 + blocks.div_ceil(sys::MEU_LINE_BLOCKS as usize) + steps.div_ceil(sys::MEU_LINE_STEPS as usize)) as u32
}

/// The lines behind the first of a record with these blocks, and these steps in lines of their own.
fn further_lines<'a>(
    blocks: &'a [sys::meu_block],
    steps: &'a [sys::program_step],
) -> impl Iterator<Item = FurtherLine> + 'a {
    let blocks = blocks.get(sys::MEU_RECORD_BLOCKS as usize..).unwrap_or_default();
    let blocks = blocks.chunks(sys::MEU_LINE_BLOCKS as usize).map(|chunk| FurtherLine::Blocks(filled(chunk)));
    blocks.chain(steps.chunks(sys::MEU_LINE_STEPS as usize).map(|chunk| FurtherLine::Steps(filled(chunk))))
}

fn filled<T: Copy + Default, const N: usize>(from: &[T]) -> [T; N] {
    let mut to = [T::default(); N];
    to[..from.len()].copy_from_slice(from);
    to
}

/// A line of a record behind the first.
#[derive(Debug, Clone, Copy)]
pub enum FurtherLine {
    /// Blocks of a program.
    Blocks([sys::meu_block; sys::MEU_LINE_BLOCKS as usize]),
    /// Steps of a program.
    Steps([sys::program_step; sys::MEU_LINE_STEPS as usize]),
    /// A direct operation.
    Direct(sys::direct_operation),
    /// What a move gathers.
    Gather(sys::meu_gather),
}

/// A strip in main memory.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Strip {
    _bytes: [u8; sys::PROGRAM_STRIP_BYTES as usize],
}

/// Checks a program of one step, and executes it.
///
/// # Safety
///
/// As [`Program::execute_at`].  `kernels` is a table that has the operation.
pub(crate) unsafe fn execute_step(
    kernels: *const sys::kernel_table,
    (opcode, form, scalar): (Opcode, Form, f64),
    of_bytes: Precision,
    inputs: &[sys::kernel_block],
    result: sys::kernel_block,
) -> Result<(), Status> {
    let step = sys::program_step {
        opcode: opcode as u8,
        form: form as u8,
        operands: [0, inputs.len() as u8 - 1],
        result: INPUTS as u8,
        reserved: [0; 3],
        scalar,
    };
    let mut description = MaybeUninit::<sys::program>::uninit();
    let to = description.as_mut_ptr();
    // SAFETY: the fields lie in the description.  C reads no others: no more blocks than the counts say.  To
    // fill all of it would take longer than a small operation.
    unsafe {
        (&raw mut (*to).steps).write(&raw const step);
        (&raw mut (*to).step_count).write(1);
        (&raw mut (*to).input_count).write(inputs.len() as u32);
        (&raw mut (*to).result_count).write(1);
        (&raw mut (*to).strip_count).write(0);
        (&raw mut (*to).strips).write(std::ptr::null_mut());
        (&raw mut (*to).of_bytes).write(of_bytes as u32);
        let blocks = (&raw mut (*to).blocks).cast::<sys::kernel_block>();
        blocks.copy_from_nonoverlapping(inputs.as_ptr(), inputs.len());
        blocks.add(inputs.len()).write(result);
    }
    // SAFETY: the contract of this function; there are no strips.
    unsafe { execute_description(kernels, to) }.map_err(|failure| failure.status)
}

/// # Safety
///
/// As [`Program::execute_at`]. `kernels` is a table that has the operations, and there is room for the
/// strips.
unsafe fn execute_description(
    kernels: *const sys::kernel_table,
    description: *mut sys::program,
) -> Result<(), Failure> {
    let mut step = 0;
    // SAFETY: program_check reads the description alone. It has compared the shapes with each other when
    // program_execute reads and writes whole columns of the blocks, as the contract of this function allows,
    // and strips.
    let raw = unsafe {
        match sys::program_check(description) {
            sys::MEU_STATUS_OK => sys::program_execute(kernels, description, &raw mut step),
            status => status,
        }
    };
    let outcome = Status::from_raw(raw).expect("a program returns an enum meu_status");
    outcome.map_err(|status| Failure { status, step })
}
