//! The rules of cell-facts B2 to B6 and B8, one test each.

use proptest::prelude::*;

use super::*;
use crate::memory::{MemoryFault, Ram};

const GET: u32 = 0x40;
const PUT: u32 = 0x20;
const GETL: u32 = 0x44;

struct Rig {
    mfc: Mfc,
    ls: LocalStore,
    ram: Arc<Ram>,
}

impl Rig {
    fn new(order: Order) -> Rig {
        let ram = Arc::new(Ram::new(0, 1 << 18));
        let memory: Arc<dyn MainMemory> = Arc::<Ram>::clone(&ram);
        Rig { mfc: Mfc::new(memory, order), ls: LocalStore::new(), ram }
    }

    fn issue(&mut self, opcode: u32, ls: u32, ea: u64, size: u32, tag: u32) -> Result<(), MfcFault> {
        self.mfc.issue(opcode, Parameters { ls, ea, size, tag }, &self.ls)
    }

    /// Writes a list at local-store address `at`: stall flag, size, low address of each element.
    fn list(&self, at: u32, elements: &[(bool, u32, u32)]) -> u32 {
        for (at, &(stall, size, ea)) in (at..).step_by(8).zip(elements) {
            self.ls.store_word(at, u32::from(stall) << 31 | size);
            self.ls.store_word(at + 4, ea);
        }
        elements.len() as u32 * 8
    }
}

fn check(opcode: u32, ls: u32, ea: u64, size: u32) -> Result<(), MfcFault> {
    Command::new(opcode, Parameters { ls, ea, size, tag: 0 }, Issuer::Spu).map(|_| ())
}

#[test]
fn sizes_and_alignment() {
    for size in [0, 1, 2, 4, 8, 16, 32, 16384] {
        assert_eq!(check(GET, 0x100, 0x200, size), Ok(()), "{size}");
    }
    for size in [3, 5, 6, 7, 9, 12, 15, 17, 100, 16385, 16400, 0xfff0] {
        assert!(matches!(check(GET, 0x100, 0x200, size), Err(MfcFault::Alignment { .. })), "{size}");
    }
    // Small transfers: natural alignment, and equal offsets in the quadword on both sides.
    assert_eq!(check(PUT, 0x10c, 0x20c, 4), Ok(()));
    assert!(check(PUT, 0x10c, 0x208, 4).is_err());
    assert!(check(PUT, 0x102, 0x202, 4).is_err());
    assert!(check(PUT, 0x108, 0x200, 16).is_err());
    assert!(check(PUT, 0x100, 0x208, 32).is_err());
}

#[test]
fn opcodes() {
    for opcode in
        [0x20, 0x21, 0x22, 0x24, 0x25, 0x26, 0x30, 0x31, 0x32, 0x40, 0x41, 0x42, 0x44, 0x45, 0x46, 0xc0, 0xcc]
    {
        assert!(Operation::decode(opcode, Issuer::Spu).is_some(), "{opcode:#x}");
    }
    for opcode in [0, 0x1f, 0x23, 0x28, 0x43, 0x48, 0x50, 0x60, 0xa3, 0xd0, 0x7fff, 0xffff] {
        assert!(Operation::decode(opcode, Issuer::Spu).is_none(), "{opcode:#x}");
        let refused = Err(MfcFault::InvalidCommand { opcode, tag: 0 });
        assert_eq!(check(opcode, 0, 0, 16), refused, "{opcode:#x}");
    }
    // The start bit is the proxy's, lists are the SPU's.
    assert!(Operation::decode(0x28, Issuer::Proxy).is_some_and(|operation| operation.start));
    assert!(Operation::decode(0x24, Issuer::Proxy).is_none());
    let command = Command::new(GET, Parameters { tag: 32, ..Parameters::default() }, Issuer::Spu);
    assert!(matches!(command, Err(MfcFault::InvalidCommand { tag: 32, .. })));
}

#[test]
fn transfers_are_split_at_lines() {
    let mut command =
        Command::new(GET, Parameters { ls: 0x1050, ea: 0x2050, size: 0x100, tag: 0 }, Issuer::Spu).unwrap();
    let ls = LocalStore::new();
    let mut chunks = Vec::new();
    while let Ok(Step::Chunk(chunk)) = command.step(&ls) {
        chunks.push((chunk.ls, chunk.ea, chunk.bytes));
    }
    assert_eq!(chunks, [(0x1050, 0x2050, 0x30), (0x1080, 0x2080, 0x80), (0x1100, 0x2100, 0x50)]);
}

#[test]
fn data_moves_both_ways() {
    let mut rig = Rig::new(Order::Immediate);
    let data: Vec<u8> = (0..=255).collect();
    rig.ram.write_bytes(0x8010, &data).unwrap();
    rig.issue(GET, 0x1010, 0x8010, 256, 3).unwrap();
    rig.issue(PUT, 0x1010, 0x9010, 256, 3).unwrap();
    let mut back = vec![0; 256];
    rig.ram.read_bytes(0x9010, &mut back).unwrap();
    assert_eq!(back, data);
    assert_eq!(rig.mfc.completed_tags(), u32::MAX);
}

#[test]
fn lists_gather_and_round_up_between_elements() {
    let mut rig = Rig::new(Order::Immediate);
    rig.ram.write_bytes(0x8000, &[1; 16]).unwrap();
    rig.ram.write_bytes(0x8104, &[2; 4]).unwrap();
    rig.ram.write_bytes(0x8200, &[3; 16]).unwrap();
    let size = rig.list(0x100, &[(false, 16, 0x8000), (false, 4, 0x8104), (false, 16, 0x8200)]);
    rig.issue(GETL, 0x2000, 0x100, size, 0).unwrap();
    assert_eq!(rig.ls.load_word(0x200c), 0x0101_0101);
    // The low bits of the local-store address follow the low bits of the effective address.
    assert_eq!((rig.ls.load_word(0x2010), rig.ls.load_word(0x2014)), (0, 0x0202_0202));
    assert_eq!(rig.ls.load_word(0x2020), 0x0303_0303);
}

#[test]
fn bad_lists_fault() {
    let mut rig = Rig::new(Order::Immediate);
    let size = rig.list(0x100, &[(false, 20, 0x8000)]);
    assert!(matches!(rig.issue(GETL, 0x2000, 0x100, size, 0), Err(MfcFault::Alignment { .. })));
    assert!(matches!(rig.issue(GETL, 0x2000, 0x104, 8, 0), Err(MfcFault::Alignment { .. })));
    assert!(matches!(rig.issue(GETL, 0x2000, 0x100, 12, 0), Err(MfcFault::Alignment { .. })));
    assert!(matches!(rig.issue(GETL, 0x2000, 0x100, 16392, 0), Err(MfcFault::Alignment { .. })));
    // An element may not leave its 4 GB.
    let size = rig.list(0x100, &[(false, 32, 0xffff_fff0)]);
    assert!(matches!(rig.issue(GETL, 0x2000, 0x100, size, 0), Err(MfcFault::Alignment { .. })));
    assert_eq!(rig.mfc.completed_tags(), u32::MAX, "a command that faulted is gone");
}

#[test]
fn stall_and_notify() {
    for order in [Order::Immediate, Order::Reordered(7)] {
        let mut rig = Rig::new(order);
        rig.ram.write_bytes(0x8000, &[1; 16]).unwrap();
        rig.ram.write_bytes(0x8100, &[2; 16]).unwrap();
        let size = rig.list(0x100, &[(true, 16, 0x8000), (false, 16, 0x9000)]);
        rig.issue(GETL, 0x2000, 0x100, size, 5).unwrap();
        rig.mfc.drain(&rig.ls).unwrap();
        assert_eq!(rig.mfc.take_stalled_tags(), 1 << 5);
        assert_eq!(rig.mfc.completed_tags(), !(1 << 5));
        assert_eq!((rig.ls.load_word(0x2000), rig.ls.load_word(0x2010)), (0x0101_0101, 0));
        // Later elements may be changed while it is stalled.
        rig.list(0x108, &[(false, 16, 0x8100)]);
        rig.mfc.acknowledge_stall(5, &rig.ls).unwrap();
        rig.mfc.drain(&rig.ls).unwrap();
        assert_eq!(rig.ls.load_word(0x2010), 0x0202_0202);
        assert_eq!(rig.mfc.completed_tags(), u32::MAX);
    }
}

#[test]
fn fences_and_barriers_wait_behind_a_stalled_list() {
    let mut rig = Rig::new(Order::Immediate);
    let size = rig.list(0x100, &[(true, 16, 0x8000), (false, 16, 0x8000)]);
    rig.issue(GETL, 0x2000, 0x100, size, 5).unwrap();
    // A command with another tag, or with this tag and no fence, passes.
    rig.issue(GET, 0x3000, 0x8000, 16, 6).unwrap();
    rig.issue(GET, 0x3000, 0x8000, 16, 5).unwrap();
    assert_eq!(rig.mfc.free_entries(), 15);
    // A fence waits; what follows it without a fence does not.
    rig.issue(GET | 2, 0x3000, 0x8000, 16, 5).unwrap();
    rig.issue(GET, 0x3000, 0x8000, 16, 5).unwrap();
    assert_eq!(rig.mfc.free_entries(), 14);
    // A barrier waits and holds back what follows, for its tag only.
    rig.issue(GET | 1, 0x3000, 0x8000, 16, 5).unwrap();
    rig.issue(GET, 0x3000, 0x8000, 16, 5).unwrap();
    rig.issue(GET, 0x3000, 0x8000, 16, 6).unwrap();
    assert_eq!(rig.mfc.free_entries(), 12);
    // The barrier command holds back everything.
    rig.issue(0xc0, 0, 0, 0, 9).unwrap();
    rig.issue(GET, 0x3000, 0x8000, 16, 6).unwrap();
    assert_eq!(rig.mfc.free_entries(), 10);
    rig.mfc.acknowledge_stall(5, &rig.ls).unwrap();
    assert_eq!(rig.mfc.free_entries(), 16);
}

#[test]
fn storage_faults_name_the_address() {
    let mut rig = Rig::new(Order::Immediate);
    let fault = rig.issue(PUT, 0, 1 << 40, 16, 0);
    assert_eq!(fault, Err(MfcFault::Storage(MemoryFault { ea: 1 << 40, write: true })));
    assert_eq!(rig.mfc.free_entries(), 16);
}

#[test]
fn the_vacancy_event_follows_a_full_queue() {
    let mut rig = Rig::new(Order::Timed);
    for _ in 0..16 {
        rig.issue(GET, 0, 0x8000, 16, 0).unwrap();
    }
    assert_eq!(rig.mfc.free_entries(), 0);
    assert!(!rig.mfc.take_vacancy());
    let Work::Chunk(issued) = rig.mfc.next_work(&rig.ls) else { panic!("nothing to do") };
    while rig.mfc.next_work(&rig.ls) != Work::Idle {}
    rig.mfc.complete(issued, &rig.ls);
    assert!(rig.mfc.take_vacancy());
    assert_eq!(rig.mfc.free_entries(), 1);
}

#[test]
fn zeroing_works_by_lines() {
    let mut rig = Rig::new(Order::Immediate);
    rig.ram.write_bytes(0x8000, &[9; 512]).unwrap();
    rig.issue(0x89, 0, 0x8090, 128, 0).unwrap();
    let mut bytes = [1; 512];
    rig.ram.read_bytes(0x8000, &mut bytes).unwrap();
    assert!(bytes[..128].iter().all(|&byte| byte == 9) && bytes[384..].iter().all(|&byte| byte == 9));
    assert!(bytes[128..384].iter().all(|&byte| byte == 0));
}

#[test]
fn atomics() {
    let mut rig = Rig::new(Order::Immediate);
    let memory: Arc<dyn MainMemory> = Arc::<Ram>::clone(&rig.ram);
    let line = Parameters { ls: 0x400, ea: 0x8080, size: 0, tag: 0 };
    let mut run = |opcode| {
        rig.mfc.atomic.execute(opcode, line, &*memory, &rig.ls)?;
        Ok::<_, MfcFault>(rig.mfc.atomic.take_status())
    };
    assert_eq!(run(atomic::PUTLLC), Ok(Some(1)), "no reservation");
    assert_eq!(run(atomic::GETLLAR), Ok(Some(4)));
    assert_eq!(run(atomic::PUTLLC), Ok(Some(0)));
    assert_eq!(run(atomic::PUTLLC), Ok(Some(1)), "used up");
    assert_eq!(run(atomic::GETLLAR), Ok(Some(4)));
    memory.write(0x80ff, &[1]).unwrap();
    assert_eq!(run(atomic::PUTLLC), Ok(Some(1)), "lost");
    assert_eq!(run(atomic::PUTLLUC), Ok(Some(2)));
    let misaligned = Parameters { ls: 0x410, ..line };
    assert!(rig.mfc.atomic.execute(atomic::GETLLAR, misaligned, &*memory, &rig.ls).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// In every order a program with the necessary fences sees equal memory.
    #[test]
    fn reordering_respects_fences(seed: u64, steps in prop::collection::vec((0u32..8, 0u32..8, 0u32..3), 1..40)) {
        let run = |order| {
            let mut rig = Rig::new(order);
            rig.ram.write_bytes(0x8000, &(0..2048u32).map(|k| k as u8).collect::<Vec<_>>()).unwrap();
            for &(from, to, kind) in &steps {
                // Every command is fenced, all of one tag; sizes span several lines.
                let (opcode, ls, ea) = match kind {
                    0 => (PUT | 2, from * 256, 0x8000 + u64::from(to) * 256),
                    1 => (PUT | 1, from * 256, 0x8000 + u64::from(to) * 256),
                    _ => (GET | 2, to * 256, 0x8000 + u64::from(from) * 256),
                };
                if rig.mfc.free_entries() == 0 {
                    rig.mfc.drain(&rig.ls).unwrap();
                }
                rig.issue(opcode, ls, ea, 256, 0).unwrap();
            }
            rig.mfc.drain(&rig.ls).unwrap();
            let (mut memory, mut local) = (vec![0; 2048], vec![0; 2048]);
            rig.ram.read_bytes(0x8000, &mut memory).unwrap();
            rig.ls.read(0, &mut local);
            (memory, local)
        };
        prop_assert_eq!(run(Order::Immediate), run(Order::Reordered(seed)));
    }
}

/// Without a fence a put may overtake: some seed shows it.
#[test]
fn reordering_shows_missing_fences() {
    let differs = (0..100).any(|seed| {
        let mut rig = Rig::new(Order::Reordered(seed));
        rig.ls.write(0, &[1; 128]);
        rig.ls.write(128, &[2; 128]);
        rig.issue(PUT, 0, 0x8000, 128, 0).unwrap();
        rig.issue(PUT, 128, 0x8000, 128, 0).unwrap();
        rig.mfc.drain(&rig.ls).unwrap();
        let mut byte = [0];
        rig.ram.read_bytes(0x8000, &mut byte).unwrap();
        byte == [1]
    });
    assert!(differs);
}

/// The MFC goes on while the SPU waits for something else, and a full queue makes room.
#[test]
fn reordering_leaves_nothing_behind_when_the_spu_waits() {
    use crate::{
        instruction::decode::Instruction,
        instruction::encode::{blank, encode},
        instruction::isa::Opcode::{Rdch, Wrch},
        quad::Quad,
        spe::{Spe, SpeConfig, StopReason},
    };
    let ram = Arc::new(Ram::new(0, 1 << 18));
    let config = SpeConfig { order: Order::Reordered(3), ..SpeConfig::default() };
    let memory: Arc<dyn MainMemory> = Arc::<Ram>::clone(&ram);
    let mut spe = Spe::new(&config, memory);
    // 20 puts of 16 KB, then a read of the empty mailbox.
    let channel = |opcode, t, a| encode(&Instruction { t, a, ..blank(opcode) });
    let mut code =
        vec![channel(Wrch, 3, 16), channel(Wrch, 3, 18), channel(Wrch, 4, 19), channel(Wrch, 3, 20)];
    code.extend([channel(Wrch, 5, 21); 20]);
    code.push(channel(Rdch, 6, 29));
    spe.spu_mut().set(4, Quad::scalar(16384));
    spe.spu_mut().set(5, Quad::scalar(PUT));
    for (at, word) in (0..).step_by(4).zip(code) {
        spe.ls().store_word(at, word);
    }
    spe.ls().store_word(16380, 77);
    assert_eq!(spe.run(100), StopReason::Blocked(29));
    let mut last = [0; 4];
    ram.read_bytes(16380, &mut last).unwrap();
    assert_eq!(last, 77u32.to_be_bytes());
    assert_eq!(spe.spu().channels().mfc().free_entries(), 16);
}
