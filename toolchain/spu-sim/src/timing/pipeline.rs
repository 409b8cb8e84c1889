//! The in-order dual-issue pipeline (cell-facts A1 to A5), as an observer of the functional simulator: it
//! says at which cycle each instruction issues, and why not earlier.
//!
//! Two instructions issue in one cycle if they lie in one aligned doubleword, the first goes to the even and
//! the second to the odd pipe, and both are ready. Not modelled, for want of a confirmed source: the
//! write-port conflict of FP7 with a following FP6 that GCC's model has, and ECC scrubbing.

use super::{
    constants::{BRANCH_MISS, CELL_BE_DOUBLE_STALL, FETCH_BYTES, INLINE_FETCH, SYNC, latency},
    hints::HintBuffer,
};
use crate::{
    exec::Flow,
    instruction::decode::Instruction,
    instruction::isa::{Class, Fields, INSTRUCTIONS, Opcode, Pipe},
    local_store::{LS_MASK, LS_SIZE},
    spu::{Cpu, Observer, Spu},
};

/// Why an instruction did not issue in the cycle after its predecessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Stall {
    /// A source register was not ready.
    Dependency,
    /// The predecessor was a branch that went another way than foreseen.
    BranchMiss,
    /// A hinted branch came before its hint was effective.
    Hint,
    /// A double-precision instruction of the Cell BE kept the pipes.
    Double,
    /// The instruction had not been fetched.
    Fetch,
    /// The MFC had the local store.
    LocalStore,
    /// A channel had no data or no room.
    Channel,
}

impl Stall {
    /// All kinds.
    pub const ALL: [Stall; 7] = [
        Stall::Dependency,
        Stall::BranchMiss,
        Stall::Hint,
        Stall::Double,
        Stall::Fetch,
        Stall::LocalStore,
        Stall::Channel,
    ];

    /// Short name for listings.
    pub const fn name(self) -> &'static str {
        match self {
            Stall::Dependency => "depend",
            Stall::BranchMiss => "branch",
            Stall::Hint => "hint",
            Stall::Double => "double",
            Stall::Fetch => "fetch",
            Stall::LocalStore => "lsport",
            Stall::Channel => "channel",
        }
    }
}

/// Counts over a stretch of execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions issued.
    pub instructions: u64,
    /// Instructions that issued together with their predecessor.
    pub paired: u64,
    /// Stall cycles by kind, indexed by `Stall as usize`.
    pub stalls: [u64; Stall::ALL.len()],
}

impl Counts {
    /// Cycles that the counted instructions took: one for each instruction that did not issue together with
    /// its predecessor, and the stalls.
    pub fn cycles(&self) -> u64 {
        self.instructions - self.paired + self.stalls.iter().sum::<u64>()
    }

    /// Adds another stretch.
    pub fn add(&mut self, other: &Counts) {
        self.instructions += other.instructions;
        self.paired += other.paired;
        for (sum, stall) in self.stalls.iter_mut().zip(other.stalls) {
            *sum += stall;
        }
    }
}

/// The issue decision for the instruction at hand, in force once it retires.
#[derive(Debug, Clone, Copy)]
struct Decision {
    cycle: u64,
    paired: bool,
    stall: Stall,
}

/// Inline prefetch of the next line of code: it needs one cycle without another access to local store.
#[derive(Debug, Clone, Copy)]
enum Prefetch {
    /// Asked for in this cycle, not yet granted.
    Wanted { since: u64 },
    /// The instructions can issue from this cycle on.
    ReadyAt(u64),
}

/// What the pipeline needs to know of an instruction, precomputed from the table by opcode.
#[derive(Debug, Clone, Copy)]
struct Traits {
    latency: u64,
    reads: Fields,
    odd: bool,
    uses_ls: bool,
    class: Class,
    writes: bool,
}

/// The pipeline of one SPU.
#[derive(Debug)]
pub struct Pipeline {
    cpu: Cpu,
    traits: Box<[Traits]>,
    /// Cycle from which each register can be read.
    ready: [u64; 128],
    /// Issue cycle of the last instruction. The next instruction issues later, or in this cycle as its pair.
    cycle: u64,
    /// Whether the instruction at `next_pc` may issue in `cycle`.
    may_pair: bool,
    /// Where the flow continues, if nothing interrupts it.
    next_pc: u32,
    /// No instruction issues before this cycle, for the reason given.
    blocked_until: u64,
    blocked_by: Stall,
    hints: HintBuffer,
    executed: u64,
    /// Last cycle in which a load, store or fetch used the local store.
    ls_used: u64,
    /// Cycle in which the MFC uses the local store.
    ls_taken: u64,
    line: u32,
    prefetch: Prefetch,
    /// The next instruction is known not to issue before this cycle.
    horizon: u64,
    decision: Decision,
    counts: Counts,
    /// By word address, if profiling.
    profile: Option<Vec<Counts>>,
}

impl Pipeline {
    /// An idle pipeline; the first instruction issues in cycle 1.
    pub fn new(cpu: Cpu) -> Pipeline {
        let unknown = Traits {
            latency: 1,
            reads: Fields::default(),
            odd: true,
            uses_ls: false,
            class: Class::Br,
            writes: false,
        };
        let known = INSTRUCTIONS.iter().map(|row| Traits {
            latency: latency(row.class, cpu),
            reads: row.reads,
            odd: row.class.pipe() == Pipe::Odd,
            uses_ls: row.class == Class::Ls,
            class: row.class,
            writes: row.writes,
        });
        Pipeline {
            cpu,
            traits: known.chain([unknown]).collect(),
            ready: [0; 128],
            cycle: 0,
            may_pair: false,
            next_pc: u32::MAX,
            blocked_until: 0,
            blocked_by: Stall::Fetch,
            hints: HintBuffer::default(),
            executed: 0,
            ls_used: 0,
            ls_taken: 0,
            line: u32::MAX,
            prefetch: Prefetch::ReadyAt(0),
            horizon: 0,
            decision: Decision { cycle: 0, paired: false, stall: Stall::Dependency },
            counts: Counts::default(),
            profile: None,
        }
    }

    /// Counts by address, too.
    pub fn with_profile(cpu: Cpu) -> Pipeline {
        Pipeline { profile: Some(vec![Counts::default(); LS_SIZE / 4]), ..Pipeline::new(cpu) }
    }

    /// The cycle in which the last instruction issued.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// A cycle before which nothing more issues.
    pub(crate) fn next_cycle(&self) -> u64 {
        self.horizon.max(self.cycle + 1)
    }

    /// The next instruction has been found not to issue before `cycle`.
    pub(crate) fn skip_to(&mut self, cycle: u64) {
        self.horizon = cycle;
    }

    /// Counts of everything so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Counts of the instruction at `address`; all zero unless profiling.
    pub fn counts_at(&self, address: u32) -> Counts {
        let index = (address & LS_MASK) as usize / 4;
        self.profile.as_ref().map_or_else(Counts::default, |profile| profile[index])
    }

    /// Nothing issues before `cycle`, because a channel was not ready.
    pub(crate) fn wait_for_channel(&mut self, cycle: u64) {
        if cycle > self.blocked_until {
            (self.blocked_until, self.blocked_by) = (cycle, Stall::Channel);
            self.may_pair = false;
        }
    }

    /// The MFC uses the local store in this cycle.
    pub(crate) fn take_local_store(&mut self, cycle: u64) {
        self.ls_taken = cycle;
    }

    fn traits_of(&self, opcode: Opcode) -> Traits {
        self.traits[(opcode as usize).min(self.traits.len() - 1)]
    }

    /// When the code at `pc` is there, if it begins another line than the last instruction's.
    fn fetched_at(&self, pc: u32) -> u64 {
        if pc / FETCH_BYTES == self.line {
            return 0;
        }
        match self.prefetch {
            Prefetch::ReadyAt(cycle) => cycle,
            // The prefetch is granted in the first cycle in which the local store is free. That is the next
            // cycle, because the pipeline waits.
            Prefetch::Wanted { .. } => self.cycle + 1 + INLINE_FETCH,
        }
    }

    /// Grants a waiting prefetch if the local store was free in some cycle before `now`.
    fn grant_prefetch(&mut self, now: u64) {
        if let Prefetch::Wanted { since } = self.prefetch {
            let first = since.max(self.ls_used + 1);
            if first < now && first != self.ls_taken {
                self.prefetch = Prefetch::ReadyAt(first + INLINE_FETCH);
            }
        }
    }

    fn enter_line(&mut self, line: u32, cycle: u64) {
        if line != self.line {
            self.line = line;
            self.prefetch = Prefetch::Wanted { since: cycle };
        }
    }
}

impl Observer for Pipeline {
    fn issue(&mut self, spu: &Spu, instruction: &Instruction) -> u64 {
        let traits = self.traits_of(instruction.opcode);
        let flushed = spu.pc != self.next_pc && self.next_pc != u32::MAX;
        let pair = self.may_pair && traits.odd && !flushed;
        let base = if pair { self.cycle } else { self.cycle + 1 };
        let mut cycle = base;
        let mut stall = Stall::Dependency;
        let mut wait = |until: u64, reason: Stall| {
            if until > cycle {
                (cycle, stall) = (until, reason);
            }
        };
        // An interrupt redirected the flow.
        if flushed {
            wait(self.cycle + 1 + BRANCH_MISS, Stall::BranchMiss);
        }
        wait(self.blocked_until, self.blocked_by);
        wait(self.fetched_at(spu.pc), Stall::Fetch);
        if traits.reads.contains(Fields::A) {
            wait(self.ready[usize::from(instruction.a)], Stall::Dependency);
        }
        if traits.reads.contains(Fields::B) {
            wait(self.ready[usize::from(instruction.b)], Stall::Dependency);
        }
        if traits.reads.contains(Fields::C) {
            wait(self.ready[usize::from(instruction.c)], Stall::Dependency);
        }
        if traits.reads.contains(Fields::T) {
            wait(self.ready[usize::from(instruction.t)], Stall::Dependency);
        }
        if traits.class == Class::Br
            && let Some(prediction) = self.hints.predict(spu.pc, self.executed)
        {
            wait(prediction.live_at, Stall::Hint);
        }
        if traits.uses_ls && cycle == self.ls_taken {
            (cycle, stall) = (cycle + 1, Stall::LocalStore);
        }
        // An instruction that waits longer than its pair issues alone.
        let paired = pair && cycle == base;
        self.decision = Decision { cycle, paired, stall };
        cycle
    }

    fn retire(&mut self, spu: &Spu, instruction: &Instruction, flow: Flow) {
        let Decision { cycle, paired, stall } = self.decision;
        let traits = self.traits_of(instruction.opcode);
        let pc = spu.pc;
        let stalled = (cycle - self.cycle).saturating_sub(u64::from(!paired && self.cycle != cycle));
        self.counts.instructions += 1;
        self.counts.paired += u64::from(paired);
        self.counts.stalls[stall as usize] += stalled;
        if let Some(profile) = &mut self.profile {
            let counts = &mut profile[pc as usize / 4];
            counts.instructions += 1;
            counts.paired += u64::from(paired);
            counts.stalls[stall as usize] += stalled;
        }
        self.grant_prefetch(cycle);
        self.enter_line(pc / FETCH_BYTES, cycle);
        self.cycle = cycle;
        if traits.uses_ls {
            self.ls_used = cycle;
        }
        if traits.writes {
            self.ready[usize::from(instruction.t)] = cycle + traits.latency;
        }
        let sequential = (pc + 4) & LS_MASK;
        self.next_pc = sequential;
        self.may_pair = pc.is_multiple_of(8) && !traits.odd;
        match traits.class {
            Class::Fpd if self.cpu == Cpu::CellBe => {
                (self.blocked_until, self.blocked_by) = (cycle + 1 + CELL_BE_DOUBLE_STALL, Stall::Double);
                self.may_pair = false;
            }
            Class::Hint => {
                self.ls_used = cycle;
                if instruction.is_inline_prefetch() {
                    if let Prefetch::Wanted { .. } = self.prefetch {
                        self.prefetch = Prefetch::ReadyAt(cycle + INLINE_FETCH);
                    }
                } else {
                    let branch = pc.wrapping_add_signed(instruction.hint_distance()) & LS_MASK;
                    self.hints.hint(branch, hint_target(spu, instruction), cycle, self.executed);
                }
            }
            Class::Br => {
                let target = if let Flow::Jump(target) = flow { target } else { sequential };
                let foreseen =
                    self.hints.predict(pc, self.executed).map_or(sequential, |prediction| prediction.target);
                self.next_pc = target;
                if target != foreseen {
                    (self.blocked_until, self.blocked_by) = (cycle + 1 + BRANCH_MISS, Stall::BranchMiss);
                } else if instruction.opcode == Opcode::Sync {
                    (self.blocked_until, self.blocked_by) = (cycle + 1 + SYNC, Stall::Fetch);
                }
                if target != sequential {
                    // The line of the target came with the hint or with the flush.
                    self.line = u32::MAX;
                    self.enter_line(target / FETCH_BYTES, cycle + 1);
                }
            }
            _ => {}
        }
        self.executed += 1;
    }
}

/// Where a hint says that its branch goes.
fn hint_target(spu: &Spu, hint: &Instruction) -> u32 {
    let target = match hint.opcode {
        Opcode::Hbr => spu.scalar(hint.a),
        Opcode::Hbra => hint.immediate as u32,
        _ => spu.pc.wrapping_add_signed(hint.immediate),
    };
    target & LS_MASK & !3
}

#[cfg(test)]
mod tests;
