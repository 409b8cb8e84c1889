//! The processor: registers, program counter, and the loop that fetches, decodes and executes.

use std::sync::Arc;

use crate::{
    channels::{Access, Channels},
    exec::{Flow, execute, vector::Host},
    fpscr::Fpscr,
    instruction::decode::{Instruction, decode},
    instruction::isa::Opcode,
    local_store::{LS_MASK, LS_SIZE, LocalStore},
    mfc::MfcFault,
    quad::Quad,
};

/// Which processor is simulated. They differ in double precision only (cell-facts A1, A7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Cpu {
    /// Cell Broadband Engine (PlayStation 3, QS20, QS21).
    CellBe,
    /// PowerXCell 8i (QS22), with fully pipelined double precision.
    #[default]
    PowerXCell8i,
}

/// Watches execution; the timing model and the tracer are observers. The functional simulator uses
/// [`Unobserved`], which costs nothing.
pub trait Observer {
    /// Called before an instruction executes; returns the cycle at which it does.
    fn issue(&mut self, spu: &Spu, instruction: &Instruction) -> u64;
    /// Called after an instruction has executed, unless it has to wait for a channel. `spu.pc` is still the
    /// address of this instruction.
    fn retire(&mut self, spu: &Spu, instruction: &Instruction, flow: Flow);
}

/// Observes nothing: every instruction takes one cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    #[inline]
    fn issue(&mut self, spu: &Spu, _: &Instruction) -> u64 {
        spu.cycle + 1
    }

    #[inline]
    fn retire(&mut self, _: &Spu, _: &Instruction, _: Flow) {}
}

/// The register file.
pub(crate) type Registers = [Quad; 128];

/// Architected state of one SPU.
#[derive(Debug)]
pub struct Spu {
    registers: Registers,
    /// Address of the instruction at hand.
    pub pc: u32,
    /// Interrupt return address.
    pub srr0: u32,
    /// The cycle at which the instruction at hand executes.
    pub cycle: u64,
    /// Instructions executed since creation.
    pub instructions: u64,
    /// Which processor this is.
    pub cpu: Cpu,
    pub(crate) fpscr: Fpscr,
    pub(crate) ls: Arc<LocalStore>,
    pub(crate) channels: Channels,
    interrupts_enabled: bool,
    /// The exception of the last [`Flow::Fault`].
    fault: Option<MfcFault>,
    host: Host,
    /// The cache of decoded instructions; `run` takes it out while instructions run. It is there from the start, because
    /// the thread that makes an SPE can report that there is no memory, and the thread that runs the SPE cannot.
    cache: Option<DecodeCache>,
}

/// Decoded instructions by address. An entry is valid just if it was decoded from the word that is in local
/// store now, so stores by the SPU, the MFC or the PPE need not be tracked, and code may change itself at
/// will.
struct DecodeCache {
    entries: Box<[Instruction; LS_SIZE / 4]>,
}

impl std::fmt::Debug for DecodeCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecodeCache").finish_non_exhaustive()
    }
}

impl DecodeCache {
    fn new() -> DecodeCache {
        // Word 0 is a valid instruction, so that every entry is valid from the start.
        let entries: Box<[Instruction]> = vec![decode(0); LS_SIZE / 4].into();
        match entries.try_into() {
            Ok(entries) => DecodeCache { entries },
            Err(_) => unreachable!("the vector has exactly that many entries"),
        }
    }

    #[inline]
    fn fetch(&mut self, ls: &LocalStore, pc: u32) -> &Instruction {
        let word = ls.load_word(pc);
        let entry = &mut self.entries[(pc & LS_MASK) as usize / 4];
        if entry.word != word {
            *entry = decode(word);
        }
        entry
    }
}

impl Spu {
    pub(crate) fn new(cpu: Cpu, channels: Channels) -> Spu {
        Spu {
            registers: [Quad::ZERO; 128],
            pc: 0,
            srr0: 0,
            cycle: 0,
            instructions: 0,
            cpu,
            fpscr: Fpscr::default(),
            ls: Arc::clone(channels.port().ls()),
            channels,
            interrupts_enabled: false,
            fault: None,
            host: Host::detect(),
            cache: Some(DecodeCache::new()),
        }
    }

    /// Register `number` (0 to 127; higher bits are ignored).
    #[inline]
    pub fn get(&self, number: u8) -> Quad {
        self.registers[usize::from(number & 127)]
    }

    /// Sets register `number` (0 to 127; higher bits are ignored).
    #[inline]
    pub fn set(&mut self, number: u8, value: Quad) {
        self.registers[usize::from(number & 127)] = value;
    }

    /// All registers.
    #[inline]
    pub(crate) fn registers_mut(&mut self) -> &mut Registers {
        &mut self.registers
    }

    /// Preferred slot of register `number`.
    #[inline]
    pub fn scalar(&self, number: u8) -> u32 {
        self.get(number).preferred()
    }

    /// Whether interrupts are enabled.
    pub fn interrupts_enabled(&self) -> bool {
        self.interrupts_enabled
    }

    pub(crate) fn set_interrupts(&mut self, enabled: bool) {
        self.interrupts_enabled = enabled;
    }

    /// The channels, and through them the MFC.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The floating-point status and control register.
    pub fn fpscr(&self) -> &Fpscr {
        &self.fpscr
    }

    /// Notes an exception of the MFC.
    pub(crate) fn raise(&mut self, fault: MfcFault) -> Flow {
        self.fault = Some(fault);
        Flow::Fault
    }

    /// Takes the exception that ended the last run.
    pub(crate) fn take_fault(&mut self) -> Option<MfcFault> {
        self.fault.take()
    }

    /// Puts the processor into the state in which a program starts.
    pub(crate) fn reset(&mut self) {
        self.registers.fill(Quad::ZERO);
        self.fpscr = Fpscr::default();
        self.srr0 = 0;
        self.interrupts_enabled = false;
    }

    /// What the host offers to the functions that execute instructions.
    #[inline]
    pub(crate) fn host(&self) -> Host {
        self.host
    }

    /// Does without the host's vector instructions.
    #[cfg(test)]
    pub(crate) fn set_host(&mut self, host: Host) {
        self.host = host;
    }

    /// Executes at most `limit` instructions, and none that would issue at or after cycle `until`. Returns
    /// the flow that ended it, or [`Flow::Next`] at a limit. The program counter stays at an instruction that
    /// has to wait or that failed, and moves behind a stop.
    pub(crate) fn run<O: Observer>(&mut self, observer: &mut O, limit: u64, until: u64) -> Flow {
        self.run_until::<O, false>(observer, limit, until)
    }

    /// Executes at most `limit` instructions, and none from the next one on that uses a channel.
    pub(crate) fn run_to_channel<O: Observer>(&mut self, observer: &mut O, limit: u64) -> Flow {
        self.run_until::<O, true>(observer, limit, u64::MAX)
    }

    fn run_until<O: Observer, const LOCAL: bool>(
        &mut self,
        observer: &mut O,
        limit: u64,
        until: u64,
    ) -> Flow {
        let mut cache = self.cache.take().unwrap_or_else(DecodeCache::new);
        #[cfg(target_arch = "x86_64")]
        let flow = if self.host.has_vectors() {
            // SAFETY: the host has AVX2 and FMA.
            unsafe { self.run_with_vectors::<O, LOCAL>(&mut cache, observer, limit, until) }
        } else {
            self.run_cached::<O, LOCAL>(&mut cache, observer, limit, until)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let flow = self.run_cached::<O, LOCAL>(&mut cache, observer, limit, until);
        self.cache = Some(cache);
        flow
    }

    /// [`Spu::run_cached`], compiled for hosts with AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,movbe")]
    fn run_with_vectors<O: Observer, const LOCAL: bool>(
        &mut self,
        cache: &mut DecodeCache,
        observer: &mut O,
        limit: u64,
        until: u64,
    ) -> Flow {
        self.run_cached::<O, LOCAL>(cache, observer, limit, until)
    }

    #[inline(always)]
    fn run_cached<O: Observer, const LOCAL: bool>(
        &mut self,
        cache: &mut DecodeCache,
        observer: &mut O,
        limit: u64,
        until: u64,
    ) -> Flow {
        let ls = Arc::clone(&self.ls);
        for _ in 0..limit {
            if LOCAL && self.interrupts_enabled {
                return Flow::Next;
            }
            if self.interrupts_enabled
                && let Some(flow) = self.take_interrupt()
            {
                return flow;
            }
            let instruction = cache.fetch(&ls, self.pc);
            if LOCAL && uses_channel(instruction.opcode) {
                return Flow::Next;
            }
            let cycle = observer.issue(self, instruction);
            if cycle >= until {
                return Flow::Next;
            }
            self.cycle = cycle;
            let flow = execute(self, instruction);
            if matches!(flow, Flow::Blocked(_)) {
                return flow;
            }
            self.instructions += 1;
            observer.retire(self, instruction, flow);
            match flow {
                Flow::Next => self.pc = (self.pc + 4) & LS_MASK,
                Flow::Jump(target) => self.pc = target,
                Flow::Stop(_) | Flow::Yield(_) => {
                    self.pc = (self.pc + 4) & LS_MASK;
                    return flow;
                }
                _ => return flow,
            }
        }
        Flow::Next
    }

    /// Enters the interrupt handler at address 0 if an enabled event waits (SPU ISA chapter 12).
    fn take_interrupt(&mut self) -> Option<Flow> {
        match self.channels.poll_events(Access { now: self.cycle, ls: &self.ls }) {
            Ok(true) => {
                self.srr0 = self.pc;
                self.pc = 0;
                self.interrupts_enabled = false;
                None
            }
            Ok(false) => None,
            Err(fault) => Some(self.raise(fault)),
        }
    }
}

/// Whether an instruction reads or writes what an SPE shares with its MFC and the outside.
#[inline]
fn uses_channel(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Rdch | Opcode::Rchcnt | Opcode::Wrch | Opcode::Bisled)
}
