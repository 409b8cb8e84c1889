//! Problem-state areas: registers of an SPE that the PPE program reaches by plain loads and stores
//! (`SPE_MAP_PS`), and other SPEs by DMA.
//!
//! The areas lie in one range of addresses without access. An access of the PPE program faults, and the
//! signal handler does what the register does (`guard/trap.c`). So every access has its effect exactly once
//! and in order, on any thread: a mailbox takes each word that is written, and a read takes a word out. A
//! register holds a word in the byte order of the PPE. The instruction has to be a plain load or store of a
//! word, to which volatile accesses are compiled; the fault costs a few microseconds. The registers do not
//! work for a program that replaces the handler of SIGSEGV after it made a context, nor in a thread that
//! blocks the signal.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use spu_sim::memory::MainMemory;
use spu_sim::port::Port;
use spu_sim::proxy::{ProblemState, offset};

use crate::errno::Errno;
use crate::guard;
use crate::settings::tell;

/// Bytes of one SPE's area (cell-facts B7).
const AREA_BYTES: usize = 0x2_0000;
/// Most areas at a time.
const AREAS: usize = 256;

/// Multisource synchronisation.
const MSSYNC: u32 = 0;
/// Run control: 1 while the SPE runs.
const RUN_CONTROL: u32 = 0x401c;
/// SPU status.
const STATUS: u32 = 0x4024;
/// Address of the next instruction.
const NEXT_PC: u32 = 0x4034;
/// The registers of the proxy command queue.
const QUEUE: Range<u32> = 0x3000..0x4000;
/// Status bit: the SPU runs.
const RUNNING: u32 = 1;

/// The registers of one SPE.
#[derive(Debug)]
pub(crate) struct Registers {
    port: Arc<Port>,
    /// Mailboxes and signals, which need no state here.
    mailboxes: ProblemState,
    /// The proxy command queue. Its lock is held while a command moves data, so DMA must not come here.
    queue: Mutex<ProblemState>,
    status: AtomicU32,
    next_pc: AtomicU32,
}

impl Registers {
    /// The registers behind a port.
    pub(crate) fn new(port: &Arc<Port>, memory: Arc<dyn MainMemory>) -> Registers {
        Registers {
            port: Arc::clone(port),
            mailboxes: ProblemState::new(Arc::clone(port), Arc::clone(&memory)),
            queue: Mutex::new(ProblemState::new(Arc::clone(port), memory)),
            status: AtomicU32::new(0),
            next_pc: AtomicU32::new(0),
        }
    }

    /// Notes that the SPE runs.
    pub(crate) fn started(&self) {
        self.status.store(RUNNING, Relaxed);
    }

    /// Notes how the SPE stopped, and where.
    pub(crate) fn stopped(&self, status: u32, next_pc: u32) {
        self.status.store(status & !RUNNING, Relaxed);
        self.next_pc.store(next_pc, Relaxed);
    }

    fn read(&self, at: u32) -> Option<u32> {
        match at {
            // Every earlier access is complete.
            MSSYNC => Some(0),
            RUN_CONTROL => Some(self.status.load(Relaxed) & RUNNING),
            STATUS => Some(self.status.load(Relaxed)),
            NEXT_PC => Some(self.next_pc.load(Relaxed)),
            _ if QUEUE.contains(&at) => self.queue.lock().unwrap_or_else(PoisonError::into_inner).read(at),
            _ => self.mailboxes.read(at),
        }
    }

    fn write(&self, at: u32, value: u32) -> Option<()> {
        match at {
            MSSYNC => {}
            // The library starts the SPE; a program can only stop it.
            RUN_CONTROL => {
                if value == 0 && self.status.load(Relaxed) & RUNNING != 0 {
                    self.port.request_stop();
                }
            }
            offset::SIGNAL_1 => self.port.write_signal(0, value),
            offset::SIGNAL_2 => self.port.write_signal(1, value),
            offset::IN_MAILBOX => self.port.write_in_mailbox_register(value),
            _ if !QUEUE.contains(&at) => return None,
            _ => {
                let written = self.queue.lock().unwrap_or_else(PoisonError::into_inner).write(at, value);
                if let Err(fault) = written {
                    tell(format_args!("a proxy command of the PPE program failed: {fault}"));
                }
            }
        }
        Some(())
    }
}

/// The range of addresses, and the registers that each area shows.
#[derive(Debug)]
struct Areas {
    start: u64,
    owners: Mutex<Vec<Option<Arc<Registers>>>>,
}

static AREAS_OF_PROCESS: OnceLock<Option<Areas>> = OnceLock::new();

fn areas() -> Option<&'static Areas> {
    AREAS_OF_PROCESS.get().and_then(Option::as_ref)
}

/// Reserves the addresses, once.
fn reserve() -> Option<&'static Areas> {
    let reserved = AREAS_OF_PROCESS.get_or_init(|| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new addresses without access, wherever the system likes.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), AREA_BYTES * AREAS, libc::PROT_NONE, flags, -1, 0) };
        (start != libc::MAP_FAILED)
            .then(|| Areas { start: start.addr() as u64, owners: Mutex::new(vec![None; AREAS]) })
    });
    reserved.as_ref()
}

/// A mapped area, which is unmapped with this value.
#[derive(Debug)]
pub(crate) struct Area {
    index: usize,
}

impl Area {
    /// Maps registers.
    pub(crate) fn map(registers: &Arc<Registers>) -> Result<Area, Errno> {
        guard::install();
        let areas = reserve().ok_or(Errno(libc::ENOMEM))?;
        let mut owners = areas.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let index = owners.iter().position(Option::is_none).ok_or(Errno(libc::ENOMEM))?;
        owners[index] = Some(Arc::clone(registers));
        Ok(Area { index })
    }

    /// The first address of the area.
    pub(crate) fn address(&self) -> usize {
        areas().map_or(0, |areas| areas.start as usize) + self.index * AREA_BYTES
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        if let Some(areas) = areas() {
            areas.owners.lock().unwrap_or_else(PoisonError::into_inner)[self.index] = None;
        }
    }
}

/// Whether an address lies in the range of areas. Takes no lock.
pub(crate) fn contains(ea: u64) -> bool {
    areas().is_some_and(|areas| ea.wrapping_sub(areas.start) < (AREA_BYTES * AREAS) as u64)
}

/// The registers behind an address, and the offset in their area.
fn find(ea: u64) -> Option<(Arc<Registers>, u32)> {
    let areas = areas()?;
    let offset = usize::try_from(ea.checked_sub(areas.start)?).ok()?;
    let owners = areas.owners.lock().unwrap_or_else(PoisonError::into_inner);
    let registers = owners.get(offset / AREA_BYTES)?.as_ref()?;
    Some((Arc::clone(registers), (offset % AREA_BYTES) as u32))
}

/// A load of the PPE program from a register; `None` if no readable register has this address.
pub(crate) fn read(ea: u64) -> Option<u32> {
    find(ea).and_then(|(registers, at)| registers.read(at))
}

/// A store of the PPE program to a register; `None` if no writable register has this address.
pub(crate) fn write(ea: u64, value: u32) -> Option<()> {
    find(ea).and_then(|(registers, at)| registers.write(at, value))
}

/// A register that DMA may reach: every register except the registers that give commands.
fn find_for_dma(ea: u64) -> Option<(Arc<Registers>, u32)> {
    find(ea).filter(|(_, at)| !QUEUE.contains(at))
}

/// [`read()`] by DMA.
pub(crate) fn get(ea: u64) -> Option<u32> {
    find_for_dma(ea).and_then(|(registers, at)| registers.read(at))
}

/// [`write()`] by DMA.
pub(crate) fn put(ea: u64, value: u32) -> Option<()> {
    find_for_dma(ea).and_then(|(registers, at)| registers.write(at, value))
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::memory::process_memory;

    fn rig() -> (Arc<Port>, Arc<Registers>, Area) {
        let port = Arc::new(Port::new([false, true]));
        let registers = Arc::new(Registers::new(&port, process_memory()));
        let area = Area::map(&registers).unwrap();
        (port, registers, area)
    }

    fn at(area: &Area, offset: u32) -> *mut u32 {
        ptr::with_exposed_provenance_mut(area.address() + offset as usize)
    }

    #[test]
    fn plain_loads_and_stores_reach_the_registers() {
        let (port, registers, area) = rig();
        // SAFETY: the addresses are registers of a mapped area, which serves volatile accesses of words.
        unsafe {
            assert_eq!(at(&area, offset::MAILBOX_STATUS).read_volatile(), 0x400);
            for word in [1, 1, 3] {
                at(&area, offset::IN_MAILBOX).write_volatile(word);
            }
            assert_eq!(at(&area, offset::MAILBOX_STATUS).read_volatile(), 0x100);
            at(&area, offset::SIGNAL_2).write_volatile(0x8000_0001);
            at(&area, offset::SIGNAL_2).write_volatile(std::hint::black_box(6));
            assert_eq!(at(&area, offset::SIGNAL_2).read_volatile(), 0x8000_0007);
            registers.stopped(0x2a_0002, 0x80);
            assert_eq!(at(&area, STATUS).read_volatile(), 0x2a_0002);
            assert_eq!(at(&area, NEXT_PC).read_volatile(), 0x80);
        }
        assert_eq!(port.inspect(|state| state.in_mailbox.count()), 3);
    }

    #[test]
    fn atomic_accesses_of_a_word_are_served_too() {
        let (_, _, area) = rig();
        // SAFETY: the area lives as long as this test; the register is a word that any thread may access.
        let register = unsafe { AtomicU32::from_ptr(at(&area, offset::QUERY_MASK)) };
        register.store(5, std::sync::atomic::Ordering::SeqCst);
        assert_eq!(register.load(std::sync::atomic::Ordering::SeqCst), 5);
    }

    /// Each form of address, register and operand that a compiler may choose.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn loads_and_stores_are_served_in_every_encoding() {
        use std::arch::asm;

        let (_, registers, area) = rig();
        let register = at(&area, offset::QUERY_MASK);
        let low = register.wrapping_byte_sub(0x40);
        let far = register.wrapping_byte_sub(0x4000);
        let value = || registers.read(offset::QUERY_MASK);
        // SAFETY: the addresses add up to a register of a mapped area; nothing else is written.
        unsafe {
            asm!("mov dword ptr [{}], 0x11223344", in(reg) register);
            assert_eq!(value(), Some(0x1122_3344));
            asm!("mov [r12], r13d", in("r12") register, in("r13") 1u64);
            assert_eq!(value(), Some(1));
            asm!("mov [r13], eax", in("r13") register, in("eax") 2);
            assert_eq!(value(), Some(2));
            asm!("mov [{} + 0x40], {:e}", in(reg) low, in(reg) 3);
            assert_eq!(value(), Some(3));
            asm!("mov dword ptr [{} + 4 * {} + 0x4], 4", in(reg) low, in(reg) 0xfu64);
            assert_eq!(value(), Some(4));
            asm!("mov [{} + 0x4000], {:e}", in(reg) far, in(reg) 5);
            assert_eq!(value(), Some(5));
            asm!("mov dword ptr [2 * {} - 0x10], 6", in(reg) (register.addr() + 0x10) / 2);
            assert_eq!(value(), Some(6));
            let mut loaded = u64::MAX;
            asm!("mov {0:e}, [{1}]", inout(reg) loaded, in(reg) register);
            assert_eq!(loaded, 6);
            asm!("mov r9d, [rsi + rdi]", in("rsi") far, in("rdi") 0x4000, inout("r9") u64::MAX => loaded);
            assert_eq!(loaded, 6);
            let mut exchanged = 7u32;
            asm!("xchg [{}], {:e}", in(reg) register, inout(reg) exchanged);
            assert_eq!((exchanged, value()), (6, Some(7)));
            if std::arch::is_x86_feature_detected!("movbe") {
                asm!("movbe [{}], {:e}", in(reg) register, in(reg) 0x0102_0304);
                assert_eq!(value(), Some(0x0403_0201));
                asm!("movbe {0:e}, [{1}]", inout(reg) loaded, in(reg) register);
                assert_eq!(loaded, 0x0102_0304);
            }
        }
    }

    #[test]
    fn a_proxy_command_may_concern_the_registers_of_its_own_spe() {
        let (port, registers, area) = rig();
        let status = (area.address() + offset::MAILBOX_STATUS as usize) as u64;
        for (at, value) in [
            (offset::MFC_LSA, 0x104),
            (offset::MFC_EAH, (status >> 32) as u32),
            (offset::MFC_EAL, status as u32),
            (offset::MFC_SIZE_TAG, 4 << 16),
            (offset::MFC_CLASS_CMD, 0x40),
        ] {
            assert_eq!(registers.write(at, value), Some(()));
        }
        assert_eq!(port.ls().load_word(0x104), 0x400);
    }

    #[test]
    fn dma_reaches_the_registers_of_another_spe() {
        let (port, _, area) = rig();
        let memory = process_memory();
        let signal = (area.address() + offset::SIGNAL_1 as usize) as u64;
        memory.write(signal, &[0, 0, 1, 2]).unwrap();
        assert_eq!(port.inspect(|state| state.signals[0].peek()), 0x102);
        let mut word = [0; 4];
        memory.read(signal, &mut word).unwrap();
        assert_eq!(word, [0, 0, 1, 2]);
        assert!(memory.write(signal, &[0; 16]).is_err());
        let command = (area.address() + offset::MFC_CLASS_CMD as usize) as u64;
        assert!(memory.write(command, &[0; 4]).is_err() && memory.read(command, &mut word).is_err());
        drop(area);
        assert!(memory.write(signal, &[0; 4]).is_err(), "the area is gone");
    }
}
