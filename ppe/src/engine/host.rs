//! The host engine: one thread for each MEU, which runs the MEU's own C program in a local store of its own.
//!
//! Everything that is true of an SPE holds here: operations come as mailbox words that name a record, operands and results move by
//! checked DMA commands, the local store is 256 KiB, and completion is a record in main memory that the PPE polls.
//!
//! The PPE need not look at every completion.  An MEU calls for it when it is about to run dry, or when another MEU is idle and
//! may be waiting for this one's result; otherwise completions are acknowledged several at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use crossbeam_utils::sync::{Parker, Unparker};
use spe_kernels::sys;

use super::direct::direct_operation;
use super::mailbox::{DEPTH, Mailbox};
use super::ppe::Ppe;
use super::record::{Record, SharedLines};
use super::{Command, Engine, Fault};
use crate::error::{Error, Result};
use crate::lower::BlockLimits;
use crate::time::StageTimes;
use crate::trace::{KindSet, OpKind, Precision};

/// Words left in a mailbox at which an MEU calls for the PPE.
const LOW_WATER: u32 = 1;

/// How long the PPE looks for completions before it sleeps, when an MEU is idle.
const POLL: Duration = Duration::from_micros(50);

/// How long stopping MEUs may take.
const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// What an MEU's thread and the PPE share.
#[derive(Debug)]
struct Shared {
    lines: SharedLines,
    mailbox: Mailbox,
    /// Set by the MEU's thread, with release order, once its completion record says that it has failed.
    failed: AtomicBool,
    /// The thread of execution control.
    ppe: Unparker,
    /// MEUs that wait for a mailbox word.
    idle: Arc<CachePadded<AtomicUsize>>,
}

/// The MEU's view of its surroundings.
struct Surroundings {
    shared: Arc<Shared>,
    parker: std::sync::Mutex<Parker>,
}

impl spe_kernels::Mailbox for Surroundings {
    fn read(&self) -> u32 {
        // Only this MEU's thread ever locks it.
        let parker = self.parker.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let idle = &self.shared.idle;
        self.shared.mailbox.read(&parker, |begins| {
            _ = if begins {
                idle.fetch_add(1, Ordering::SeqCst)
            } else {
                idle.fetch_sub(1, Ordering::SeqCst)
            };
        })
    }

    fn count(&self) -> u32 {
        self.shared.mailbox.count()
    }

    fn completed(&self, words_left: u32) {
        // SAFETY: this is the MEU's own thread, between two of its completion records.
        let failed = unsafe { self.shared.lines.completion() }.status != sys::MEU_STATUS_OK;
        if failed {
            self.shared.failed.store(true, Ordering::Release);
        }
        if failed || words_left <= LOW_WATER || self.shared.idle.load(Ordering::SeqCst) > 0 {
            self.shared.ppe.unpark();
        }
    }
}

/// One MEU, as the PPE sees it.
#[derive(Debug)]
struct Meu {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    offered: u64,
    completed: u64,
}

impl Meu {
    /// Whether something has completed or failed since the PPE last looked.
    fn has_news(&self) -> bool {
        self.shared.lines.sequence() != self.completed as u32 || self.shared.failed.load(Ordering::Acquire)
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub struct Host {
    limits: BlockLimits,
    chaos: Option<u64>,
    parker: Parker,
    idle: Arc<CachePadded<AtomicUsize>>,
    meus: Vec<Meu>,
    /// The kinds that MEUs execute.
    kinds: KindSet,
    /// Executes the others.
    ppe: Option<Ppe>,
    profile: bool,
}

impl Host {
    /// Blocks of 96x96 single and 64x64 double elements: whole DMA lines in both.  Chains spare writing products out and
    /// fetching them again to add them; they end where a long inner side is worth more MEUs.
    /// The long sides of thin matrices are stretched.
    #[must_use]
    pub fn default_limits(meus: usize) -> BlockLimits {
        BlockLimits { meus, block_elements: [9216, 4096], divisor: [4, 2], chain: 32, stretch: true }
    }

    /// An engine with these limits.  With `chaos`, DMA commands are executed late and in any order that the rules allow.
    ///
    /// # Errors
    /// [`Error::Argument`] when blocks of that size do not fit the local store, or begin at addresses that DMA cannot reach.
    pub fn new(limits: BlockLimits, chaos: Option<u64>) -> Result<Host> {
        Host::restricted(limits, chaos, KindSet::ALL)
    }

    /// An engine whose MEUs execute these kinds only, as those of a Cell do, and whose PPE executes the others.
    ///
    /// # Errors
    /// As [`Host::new`].
    pub fn restricted(limits: BlockLimits, chaos: Option<u64>, kinds: KindSet) -> Result<Host> {
        limits.validate()?;
        for precision in Precision::ALL {
            check_local_store(&limits, precision)?;
        }
        let mut host = Host {
            limits,
            chaos,
            parker: Parker::new(),
            idle: Arc::default(),
            meus: Vec::new(),
            kinds,
            ppe: None,
            profile: false,
        };
        host.start()?;
        Ok(host)
    }

    fn start(&mut self) -> Result<()> {
        self.idle.store(0, Ordering::SeqCst);
        if self.kinds != KindSet::ALL {
            self.ppe = Some(Ppe::start("host", self.parker.unparker().clone())?);
        }
        for number in 0..self.limits.meus {
            let (mailbox, parker) = Mailbox::new();
            let shared = Arc::new(Shared {
                lines: SharedLines::new(),
                mailbox,
                failed: AtomicBool::new(false),
                ppe: self.parker.unparker().clone(),
                idle: Arc::clone(&self.idle),
            });
            let surroundings =
                Surroundings { shared: Arc::clone(&shared), parker: std::sync::Mutex::new(parker) };
            let chaos_seed = self.chaos.map(|seed| seed.wrapping_add(number as u64));
            let run = move || {
                let parameters = surroundings.shared.lines.parameters(number);
                let options = spe_kernels::MeuOptions { chaos_seed, ..Default::default() };
                // SAFETY: ring and completion record live in `surroundings`, past the call.  What records may name is
                // argued in matrix.rs (results and constants) and execute/README.md (temporaries): memory that stays until
                // the operation is acknowledged or the MEU has ended, with one writer of each block.
                let outcome = unsafe { spe_kernels::run_meu(&parameters, &surroundings, &options) };
                if let Err(status) = outcome {
                    log::error!("MEU {number} did not start: {status:?}");
                }
            };
            let thread = std::thread::Builder::new()
                .name(format!("pmatrix-meu-{number}"))
                .spawn(run)
                .map_err(|error| Error::Engine {
                    engine: "host",
                    what: format!("no thread for MEU {number}: {error}"),
                })?;
            self.meus.push(Meu { shared, thread: Some(thread), offered: 0, completed: 0 });
        }
        Ok(())
    }

    /// Tells all MEUs to stop, and waits until they have.
    fn stop(&mut self) -> Result<()> {
        self.ppe = None;
        let deadline = Instant::now() + STOP_PATIENCE;
        for (number, meu) in self.meus.iter_mut().enumerate() {
            let stuck = || Error::Engine { engine: "host", what: format!("MEU {number} cannot be stopped") };
            while !meu.shared.mailbox.write(sys::MEU_WORD_TERMINATE) {
                if Instant::now() > deadline {
                    return Err(stuck());
                }
                std::thread::sleep(Duration::from_micros(100));
            }
            let Some(thread) = meu.thread.take() else { continue };
            while !thread.is_finished() {
                if Instant::now() > deadline {
                    meu.thread = Some(thread);
                    return Err(stuck());
                }
                std::thread::sleep(Duration::from_micros(50));
            }
            if thread.join().is_err() {
                log::error!("MEU {number} has panicked");
            }
        }
        self.meus.clear();
        Ok(())
    }

    /// The PPE, when this is its number.
    fn ppe_numbered(&mut self, number: usize) -> Option<&mut Ppe> {
        self.ppe.as_mut().filter(|_| number == self.meus.len())
    }

    /// Whether operations are to be profiled.
    pub fn set_profile(&mut self, profile: bool) {
        self.profile = profile;
    }

    /// Stage times of the last operation of an MEU that has completed all it was offered, when profiling.
    #[must_use]
    pub fn last_times(&mut self, meu: usize) -> Option<StageTimes> {
        if self.completed(meu).ok()? != self.meus[meu].offered {
            return None;
        }
        // SAFETY: nothing is outstanding, which `completed` has seen with acquire order: the MEU waits for a mailbox word.
        let completion = unsafe { self.meus[meu].shared.lines.completion() };
        Some(StageTimes { df: completion.fetch_ns, ex: completion.execute_ns, wb: completion.write_back_ns })
    }
}

/// Checks that blocks fit the buffers of the local store, and that they begin at whole quadwords.
fn check_local_store(limits: &BlockLimits, precision: Precision) -> Result<()> {
    let (side, name) = (limits.side(precision), precision.name());
    let divisor_bytes = limits.divisor[precision as usize] * precision.element_bytes();
    if !divisor_bytes.is_multiple_of(crate::matrix::QUADWORD_BYTES) {
        let divisor = limits.divisor[precision as usize];
        return Err(Error::Argument(format!(
            "divisor {divisor} ({name}): rows of a block begin at multiples of {divisor_bytes} bytes, but DMA needs multiples of 16"
        )));
    }
    let elements = if limits.stretch { limits.block_elements[precision as usize] } else { side * side };
    let bytes = elements * precision.element_bytes();
    if bytes > sys::MEU_BLOCK_BYTES as usize {
        return Err(Error::Argument(format!(
            "blocks of {side}x{side} {name} elements take {bytes} bytes; an MEU's local store has room for {}",
            sys::MEU_BLOCK_BYTES
        )));
    }
    let converted = limits.side(Precision::Single).pow(2) * Precision::Double.element_bytes();
    if precision == Precision::Single && converted > sys::MEU_BUFFER_BYTES as usize {
        return Err(Error::Argument(format!(
            "converting blocks of {side}x{side} elements takes {converted} bytes of local store"
        )));
    }
    Ok(())
}

impl Engine for Host {
    fn name(&self) -> &'static str {
        "host"
    }

    fn limits(&self) -> BlockLimits {
        self.limits
    }

    fn executes(&self, kind: OpKind) -> bool {
        self.kinds.contains(kind)
    }

    fn room(&mut self, meu: usize) -> usize {
        if let Some(ppe) = self.ppe_numbered(meu) {
            return ppe.room();
        }
        let outstanding = self.meus[meu].offered - self.meus[meu].completed;
        let free = DEPTH - self.meus[meu].shared.mailbox.count();
        // The ring is much longer than mailbox and MEU together can hold; acknowledging may lag behind, though.
        if outstanding + u64::from(DEPTH) < u64::from(sys::MEU_RING_LINES) { free as usize } else { 0 }
    }

    fn offer(&mut self, number: usize, command: &Command) {
        if let Some(ppe) = self.ppe_numbered(number) {
            return ppe.offer(command);
        }
        let meu = &mut self.meus[number];
        meu.offered += 1;
        let (lines, sequence) = (&meu.shared.lines, meu.offered as u32);
        let word = if command.kind.is_direct() {
            let operation = direct_operation(command);
            // SAFETY: as below.
            unsafe { lines.write_direct(&operation, sequence, self.profile) }
        } else {
            let record = Record::new(command, sequence, self.profile);
            // SAFETY: `&mut self` makes this the only writer; room() keeps fewer operations outstanding than the ring has lines.
            unsafe { lines.write(&record) }
        };
        let written = meu.shared.mailbox.write(word);
        assert!(written, "an operation was offered to an MEU without room");
    }

    fn completed(&mut self, number: usize) -> Result<u64, Fault> {
        if let Some(ppe) = self.ppe_numbered(number) {
            return ppe.completed();
        }
        let meu = &mut self.meus[number];
        let news = meu.shared.lines.sequence().wrapping_sub(meu.completed as u32);
        meu.completed += u64::from(news);
        if meu.shared.failed.load(Ordering::Acquire) {
            // SAFETY: a failed MEU writes no further completion record, and `failed` was loaded with acquire order.
            let completion = unsafe { meu.shared.lines.completion() };
            let number =
                meu.completed + u64::from(completion.failed_sequence.wrapping_sub(meu.completed as u32));
            return Err(Fault {
                operation: number.checked_sub(1),
                domain: completion.status == sys::MEU_STATUS_DOMAIN,
                what: fault_text(completion.status, completion.detail),
            });
        }
        Ok(meu.completed)
    }

    fn wait(&mut self, timeout: Duration) {
        // While an MEU is idle, latency counts: going to sleep and waking up takes longer than a small operation.
        let end = Instant::now() + POLL;
        while self.idle.load(Ordering::SeqCst) > 0 && Instant::now() < end {
            if self.meus.iter().any(Meu::has_news) || self.ppe.as_ref().is_some_and(Ppe::has_news) {
                return;
            }
            std::thread::yield_now();
        }
        self.parker.park_timeout(timeout);
    }

    fn reset(&mut self) -> Result<()> {
        self.stop()?;
        self.start()
    }
}

fn fault_text(status: u32, detail: u32) -> String {
    match status {
        sys::MEU_STATUS_VERSION => "the MEU speaks another version of the protocol".into(),
        sys::MEU_STATUS_OPCODE => "the MEU does not know this operation".into(),
        sys::MEU_STATUS_SHAPE => "the blocks do not fit the operation or the local store".into(),
        sys::MEU_STATUS_DMA => format!("a DMA command broke a rule of the MFC (fault {detail})"),
        sys::MEU_STATUS_DOMAIN => "the result would be complex".into(),
        other => format!("unknown status {other}"),
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            log::error!("{error}");
        }
    }
}
