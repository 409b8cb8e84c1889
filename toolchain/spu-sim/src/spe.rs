//! One SPE as other programs use it: load, start, run until something happens.

use std::{sync::Arc, time::Duration};

use crate::{
    channels::Channels,
    elf::Image,
    exec::Flow,
    local_store::{LS_MASK, LocalStore},
    memory::MainMemory,
    mfc::{Mfc, MfcFault, Order},
    port::Port,
    quad::Quad,
    spu::{Cpu, Observer, Spu, Unobserved},
};

/// Top of the stack when a program starts; a null back chain lies there (cell-facts D5).
pub const STACK_TOP: u32 = 0x3_fff0;

/// SPU cycles per decrementer tick: 3.2 GHz over the 26.664 MHz time base of a QS22 (cell-facts A8).
pub const QS22_CYCLES_PER_TICK: u64 = 120;
/// SPU cycles per decrementer tick of a PlayStation 3: 3.192 GHz over 79.8 MHz (cell-facts A8).
pub const PS3_CYCLES_PER_TICK: u64 = 40;

/// How to build an SPE.
#[derive(Debug, Clone)]
pub struct SpeConfig {
    /// The processor.
    pub cpu: Cpu,
    /// When the MFC executes its commands.
    pub order: Order,
    /// Whether writes to signal registers 1 and 2 combine by OR.
    pub signal_or_mode: [bool; 2],
    /// SPU cycles per decrementer tick.
    pub cycles_per_tick: u64,
}

impl Default for SpeConfig {
    fn default() -> Self {
        SpeConfig {
            cpu: Cpu::default(),
            order: Order::Immediate,
            signal_or_mode: [false; 2],
            cycles_per_tick: QS22_CYCLES_PER_TICK,
        }
    }
}

impl SpeConfig {
    /// An SPE of a processor, with the decrementer of the machine that has it: a QS22 or a PlayStation 3.
    pub fn of(cpu: Cpu) -> SpeConfig {
        let cycles_per_tick = match cpu {
            Cpu::CellBe => PS3_CYCLES_PER_TICK,
            Cpu::PowerXCell8i => QS22_CYCLES_PER_TICK,
        };
        SpeConfig { cpu, cycles_per_tick, ..SpeConfig::default() }
    }
}

/// The three 64-bit arguments of a program's `main`, and the address of its local store in main memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arguments {
    /// First argument of `main`: the handle of the SPE.
    pub spe: u64,
    /// Second argument of `main`.
    pub argp: u64,
    /// Third argument of `main`.
    pub envp: u64,
    /// Effective address of the local store, or 0 if it is not mapped.
    pub ls_ea: u64,
}

/// Why an SPE stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// `stop` with this 14-bit code. The next instruction is at [`Spe::pc`].
    Stop(u16),
    /// A halt instruction's condition held.
    Halt,
    /// Not an instruction of this processor.
    InvalidInstruction(u32),
    /// Access to a channel that does not exist, or in the wrong direction.
    InvalidChannel(u8),
    /// The MFC raised an exception.
    Fault(MfcFault),
    /// The instruction waits for this channel.
    Blocked(u8),
    /// All instructions of the limit were executed.
    Limit,
    /// [`Port::request_stop`] was called.
    Requested,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StopReason::Stop(code) => write!(f, "stopped with code {code:#06x}"),
            StopReason::Halt => write!(f, "halted"),
            StopReason::InvalidInstruction(word) => write!(f, "invalid instruction {word:#010x}"),
            StopReason::InvalidChannel(channel) => write!(f, "invalid access to channel {channel}"),
            StopReason::Fault(fault) => write!(f, "{fault}"),
            StopReason::Blocked(channel) => {
                write!(f, "waits for channel {channel}, which nothing will serve")
            }
            StopReason::Limit => write!(f, "reached the instruction limit"),
            StopReason::Requested => write!(f, "was asked to stop"),
        }
    }
}

/// One synergistic processing element: SPU, local store, MFC, channels.
#[derive(Debug)]
pub struct Spe {
    spu: Spu,
    port: Arc<Port>,
}

/// Instructions between two looks at a request to stop.
const SLICE: u64 = 1 << 16;

impl Spe {
    /// An SPE with an empty local store. Its MFC reaches `memory`.
    pub fn new(config: &SpeConfig, memory: Arc<dyn MainMemory>) -> Spe {
        Self::with_port(config, memory, Arc::new(Port::new(config.signal_or_mode)))
    }

    /// An SPE around an existing port, for when the memory shows the port before the SPE exists.
    pub fn with_port(config: &SpeConfig, memory: Arc<dyn MainMemory>, port: Arc<Port>) -> Spe {
        let mfc = Mfc::new(memory, config.order);
        let channels = Channels::new(Arc::clone(&port), mfc, config.cycles_per_tick);
        Spe { spu: Spu::new(config.cpu, channels), port }
    }

    /// The side shared with the outside: mailboxes, signals, local store, stop requests.
    pub fn port(&self) -> &Arc<Port> {
        &self.port
    }

    /// The local store.
    pub fn ls(&self) -> &LocalStore {
        self.port.ls()
    }

    /// The processor's state.
    pub fn spu(&self) -> &Spu {
        &self.spu
    }

    /// The processor's state, to change registers between runs.
    pub fn spu_mut(&mut self) -> &mut Spu {
        &mut self.spu
    }

    pub(crate) fn mfc_mut(&mut self) -> &mut Mfc {
        self.spu.channels.mfc_mut()
    }

    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.spu.pc
    }

    /// Continues at another address (the low two bits are dropped).
    pub fn set_pc(&mut self, pc: u32) {
        self.spu.pc = pc & LS_MASK & !3;
    }

    /// Loads a program and sets the registers as libspe2 does (cell-facts D5): arguments in r3 to r6, stack
    /// pointer at [`STACK_TOP`].
    pub fn start(&mut self, image: &Image, arguments: Arguments) {
        image.load(self.ls());
        self.enter(image.entry(), arguments);
    }

    /// Sets program counter and registers for a program that is already in local store.
    pub fn enter(&mut self, entry: u32, arguments: Arguments) {
        self.spu.reset();
        self.set_pc(entry);
        self.ls().store_quad(STACK_TOP, Quad::ZERO);
        self.spu.set(1, Quad::scalar(STACK_TOP));
        let Arguments { spe, argp, envp, ls_ea } = arguments;
        for (register, value) in (3..).zip([spe, argp, envp, ls_ea]) {
            self.spu.set(register, Quad::from_doubles([value, 0]));
        }
    }

    /// Runs at most `limit` instructions, or until something happens. A channel that has to wait is reported
    /// at once as [`StopReason::Blocked`]; run again when it may be served.
    pub fn run(&mut self, limit: u64) -> StopReason {
        self.run_observed(&mut Unobserved, limit)
    }

    /// [`Spe::run`] with an observer.
    pub fn run_observed<O: Observer>(&mut self, observer: &mut O, limit: u64) -> StopReason {
        let mut left = limit;
        loop {
            if self.port.take_stop_request() {
                return StopReason::Requested;
            }
            let slice = left.min(SLICE);
            let before = self.spu.instructions;
            let flow = self.spu.run(observer, slice, u64::MAX);
            left -= self.spu.instructions - before;
            match self.stop_reason(flow) {
                Some(StopReason::Blocked(0)) if self.skip_to_decrementer() => {}
                Some(reason) => return reason,
                None if left == 0 => return StopReason::Limit,
                None => {}
            }
        }
    }

    /// Runs like [`Spe::run`], but waits for other threads to serve blocked channels, until `patience` has
    /// passed without any change (for ever if `None`).
    pub fn run_waiting(&mut self, limit: u64, patience: Option<Duration>) -> StopReason {
        // A lost reservation wakes no waiter, so it is polled.
        const POLL: Duration = Duration::from_millis(1);
        let end = self.spu.instructions.saturating_add(limit);
        loop {
            let seen = self.port.generation();
            let reason = self.run(end.saturating_sub(self.spu.instructions));
            let StopReason::Blocked(_) = reason else { return reason };
            let polling = self.spu.channels.awaits_lost_reservation();
            self.port.wait_for_change(seen, if polling { Some(POLL) } else { patience });
            if !polling && self.port.generation() == seen {
                return reason;
            }
        }
    }

    /// Lets the MFC finish its commands, as it does while the SPU is stopped. Only an MFC that reorders its
    /// commands has any left.
    ///
    /// # Errors
    /// The exception of a command.
    pub fn finish_dma(&mut self) -> Result<(), MfcFault> {
        let ls = Arc::clone(self.port.ls());
        self.mfc_mut().drain(&ls)
    }

    /// Lets time pass until the decrementer raises its event, when nothing else can happen; gives whether it
    /// will.
    fn skip_to_decrementer(&mut self) -> bool {
        let Some(at) = self.spu.channels.decrementer_event_at() else { return false };
        self.spu.cycle = self.spu.cycle.max(at);
        true
    }

    pub(crate) fn stop_reason(&mut self, flow: Flow) -> Option<StopReason> {
        Some(match flow {
            Flow::Next | Flow::Jump(_) | Flow::Yield(_) => return None,
            Flow::Stop(code) => StopReason::Stop(code),
            Flow::Halt => StopReason::Halt,
            Flow::Invalid => StopReason::InvalidInstruction(self.ls().load_word(self.spu.pc)),
            Flow::Blocked(channel) => StopReason::Blocked(channel),
            Flow::InvalidChannel(channel) => StopReason::InvalidChannel(channel),
            Flow::Fault => StopReason::Fault(self.spu.take_fault()?),
        })
    }
}

#[cfg(test)]
mod tests;
