//! Running programs: functionally, an SPE a thread, or in virtual time.

use std::{sync::Arc, time::Duration};

use spu_sim::{
    calls::Services,
    elf::Image,
    machine::Machine,
    memory::address_space::AddressSpace,
    memory::heap::{Heap, PAGE_BYTES},
    memory::{Bus, MainMemory, Ram, SPE_AREA_BYTES, Window},
    mfc::Order,
    port::Port,
    program::{Failure, run_machine, run_program},
    quad::Quad,
    spe::{Arguments, STACK_TOP, Spe, SpeConfig},
};

use super::{Error, Program, elf_error, read};

/// Main memory begins here; the lowest page stays unmapped, so that null pointers fault.
const MEMORY_BASE: u64 = 0x1_0000;
/// The SPEs' local stores and registers are mapped from here on.
const SPE_BASE: u64 = 0xf000_0000_0000;
/// How long an SPE may wait for another SPE without any change.
const PATIENCE: Duration = Duration::from_secs(10);

/// Memory, ports and configuration for `count` SPEs.
pub(super) struct Setup {
    pub(super) config: SpeConfig,
    pub(super) memory: Arc<dyn MainMemory>,
    pub(super) ports: Vec<Arc<Port>>,
    pub(super) image: Image,
    /// The memory for library calls on main memory.
    pub(super) heap: Arc<dyn AddressSpace>,
}

impl Setup {
    pub(super) fn new(program: &Program, count: usize) -> Result<Setup, Error> {
        let config = SpeConfig {
            order: program.reorder.map_or(Order::Immediate, Order::Reordered),
            ..SpeConfig::of(program.cpu.into())
        };
        let bytes = usize::from(program.memory) << 20;
        let ram = Arc::new(Ram::new(MEMORY_BASE, bytes));
        let mut bus = Bus::default();
        let ports: Vec<Arc<Port>> = (0..count).map(|_| Arc::new(Port::new([false; 2]))).collect();
        for (index, port) in ports.iter().enumerate() {
            bus.add_spe(SPE_BASE + index as u64 * SPE_AREA_BYTES, port);
        }
        let end = MEMORY_BASE + bytes as u64;
        bus.add(MEMORY_BASE..end, Window::Memory(ram));
        let memory: Arc<dyn MainMemory> = Arc::new(bus);
        // The file of the program lies in the middle, what is allocated behind it.
        let file = read(&program.file)?;
        let ea = MEMORY_BASE + bytes as u64 / 2;
        let (image, placed) = Image::parse_at(&file, ea).map_err(elf_error(&program.file))?;
        memory
            .write_bytes(ea, &placed)
            .map_err(|_| Error::Usage("the program does not fit into main memory"))?;
        let begin = (ea + placed.len() as u64).next_multiple_of(PAGE_BYTES);
        let pointer_bytes = if program.ea64 { 8 } else { Image::pointer_bytes(&file) };
        let heap = Arc::new(Heap::new(Arc::clone(&memory), begin..end, pointer_bytes));
        Ok(Setup { config, memory, ports, image, heap })
    }

    /// What serves the library calls of an SPE: the streams of this process and the main memory.
    pub(super) fn services(&self) -> Services {
        Services::stdio().with_memory(Arc::clone(&self.heap))
    }

    /// Arguments of `main` for SPE number `index`: its number, then the addresses of memory and of its local
    /// store.
    pub(super) fn arguments(&self, index: usize) -> Arguments {
        Arguments {
            spe: index as u64,
            argp: MEMORY_BASE,
            envp: 0,
            ls_ea: SPE_BASE + index as u64 * SPE_AREA_BYTES,
        }
    }

    /// Passes command-line arguments as start-up code for `-mstdmain` takes them: a block of local-store
    /// pointers and strings in main memory, which the SPE copies to the top of its stack (cell-facts D5).
    pub(super) fn pass_arguments(&self, program: &Program, spe: &mut Spe) -> Result<(), Error> {
        if !program.stdmain {
            let given = !program.arguments.is_empty();
            return if given { Err(Error::Usage("arguments need --stdmain")) } else { Ok(()) };
        }
        let mut words = vec![program.file.display().to_string()];
        words.extend(program.arguments.iter().cloned());
        let pointers = (words.len() + 1) * 4;
        let size = (pointers + words.iter().map(|word| word.len() + 1).sum::<usize>()).next_multiple_of(16);
        if size > spu_sim::mfc::MAX_TRANSFER_BYTES as usize {
            return Err(Error::Usage("the arguments are longer than 16 KB"));
        }
        let ls = STACK_TOP - size as u32;
        let mut block = Vec::with_capacity(size);
        let mut at = ls + pointers as u32;
        for word in &words {
            block.extend(at.to_be_bytes());
            at += word.len() as u32 + 1;
        }
        block.extend([0; 4]);
        for word in &words {
            block.extend(word.as_bytes());
            block.push(0);
        }
        block.resize(size, 0);
        self.memory
            .write_bytes(MEMORY_BASE, &block)
            .map_err(|_| Error::Usage("the arguments do not fit into main memory"))?;
        spe.spu_mut().set(3, Quad::scalar(words.len() as u32));
        let ea = MEMORY_BASE;
        spe.spu_mut().set(4, Quad::from_words([ls, (ea >> 32) as u32, ea as u32, size as u32]));
        Ok(())
    }
}

/// The status to give for several programs: the first that is not zero.
fn combine(results: impl IntoIterator<Item = Result<u8, Failure>>) -> Result<u8, Error> {
    let mut combined = 0;
    for (spe, result) in results.into_iter().enumerate() {
        let status = result.map_err(|error| Error::Program { spe, error })?;
        if combined == 0 {
            combined = status;
        }
    }
    Ok(combined)
}

/// Runs copies of a program on parallel threads, without timing.
pub(super) fn in_threads(program: &Program, count: usize) -> Result<u8, Error> {
    let setup = Setup::new(program, count)?;
    let mut spes = Vec::new();
    for (index, port) in setup.ports.iter().enumerate() {
        let mut spe = Spe::with_port(&setup.config, Arc::clone(&setup.memory), Arc::clone(port));
        spe.start(&setup.image, setup.arguments(index));
        setup.pass_arguments(program, &mut spe)?;
        spes.push(spe);
    }
    let limit = program.limit;
    let results: Result<Vec<_>, Error> = std::thread::scope(|scope| {
        let threads: Vec<_> = spes
            .into_iter()
            .map(|mut spe| {
                let mut services = setup.services();
                scope.spawn(move || {
                    // An SPE that is alone waits in vain.
                    let patience = if count == 1 { Duration::ZERO } else { PATIENCE };
                    run_program(&mut spe, &mut services, limit, Some(patience))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| Error::Thread)).collect()
    });
    combine(results?)
}

/// Builds a machine with the program started on every SPE, and what serves its library calls.
pub(super) fn machine(program: &Program, count: usize, profile: bool) -> Result<(Machine, Services), Error> {
    let setup = Setup::new(program, count)?;
    let mut machine = Machine::new(
        &setup.config,
        Arc::clone(&setup.memory),
        setup.ports.iter().map(Arc::clone).collect(),
        profile,
    );
    for index in 0..count {
        machine.start(index, &setup.image, setup.arguments(index));
        setup.pass_arguments(program, machine.spe_mut(index))?;
    }
    Ok((machine, setup.services()))
}

/// Runs copies of a program in virtual time, and prints what it took.
pub(super) fn in_virtual_time(program: &Program, count: usize) -> Result<u8, Error> {
    let (mut machine, mut services) = machine(program, count, false)?;
    let results = run_machine(&mut machine, &mut services, program.limit);
    for index in 0..count {
        let (pipeline, counts) = (machine.pipeline(index), machine.pipeline(index).counts());
        let stalls: Vec<String> = spu_sim::timing::pipeline::Stall::ALL
            .iter()
            .map(|&stall| format!("{} {}", stall.name(), counts.stalls[stall as usize]))
            .collect();
        eprintln!(
            "SPE {index}: {} cycles, {} instructions, {:.1} % of them dual-issued; stall cycles: {}",
            pipeline.cycle(),
            counts.instructions,
            200.0 * counts.paired as f64 / counts.instructions.max(1) as f64,
            stalls.join(", ")
        );
    }
    combine(results)
}
