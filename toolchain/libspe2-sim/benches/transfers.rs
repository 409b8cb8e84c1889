//! How fast the PPE program and simulated SPEs reach each other: `cargo bench -p libspe2-sim`. DMA is
//! measured in time of the processor, round trips in time of the clock, which a busy machine makes longer.

#![allow(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::ffi::c_void;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use ppu_sys::{
    Functions, SPE_CONTROL_AREA, SPE_MAP_PS, SPE_MBOX_ALL_BLOCKING, spe_context_ptr_t, spe_spu_control_area,
};
use spu_sim::channels::number::{SPU_RD_IN_MBOX, SPU_WR_OUT_INTR_MBOX};
use spu_sim::instruction::decode::Instruction;
use spu_sim::instruction::encode::{blank, encode};
use spu_sim::instruction::isa::Opcode;

const TIME: Duration = Duration::from_millis(300);

/// Processor time of this thread.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the result goes to a local variable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Repeats something for a while; how many nanoseconds of the clock and of the processor each time took.
fn repeat(mut what: impl FnMut()) -> (f64, f64) {
    let (start, used) = (Instant::now(), processor_time());
    let mut count = 0u32;
    while start.elapsed() < TIME {
        for _ in 0..16 {
            what();
        }
        count += 16;
    }
    let each = |time: Duration| time.as_nanos() as f64 / f64::from(count);
    (each(start.elapsed()), each(processor_time() - used))
}

/// A context, as an address that may go to another thread.
fn create(library: &Functions) -> usize {
    // SAFETY: no gang.
    let context = unsafe { (library.spe_context_create)(SPE_MAP_PS, ptr::null_mut()) };
    assert!(!context.is_null());
    context.expose_provenance()
}

fn pointer(context: usize) -> spe_context_ptr_t {
    ptr::with_exposed_provenance_mut(context)
}

/// GB/s of proxy commands that get `bytes` each, by several threads with a context each.
fn bandwidth(library: &Functions, threads: usize, bytes: u32) -> f64 {
    #[repr(align(128))]
    struct Block([u8; 16384]);
    let one = || {
        let context = create(library);
        let block = Box::new(Block([1; 16384]));
        let address = block.0.as_ptr().cast_mut().cast::<c_void>();
        let (_, ns) = repeat(|| {
            // SAFETY: the context and the block live until the end.
            let result =
                unsafe { (library.spe_mfcio_get)(pointer(context), 0x1000, address, bytes, 0, 0, 0) };
            assert_eq!(result, 0);
        });
        // SAFETY: nobody uses the context any more.
        unsafe { (library.spe_context_destroy)(pointer(context)) };
        f64::from(bytes) / ns
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

/// Nanoseconds until a word has come back from an SPE, sent by `send`.
fn round_trip(library: &Functions, send: impl Fn(spe_context_ptr_t, u32)) -> f64 {
    let context = create(library);
    // An SPE program that sends back each word: read, write, and again.
    let program = [
        Instruction { t: 3, a: SPU_RD_IN_MBOX, ..blank(Opcode::Rdch) },
        Instruction { t: 3, a: SPU_WR_OUT_INTR_MBOX, ..blank(Opcode::Wrch) },
        Instruction { immediate: -8, ..blank(Opcode::Br) },
    ];
    // SAFETY: the mapped local store is memory, and nothing runs in it yet.
    unsafe {
        let ls = (library.spe_ls_area_get)(pointer(context)).cast::<u32>();
        for (index, instruction) in program.iter().enumerate() {
            ls.add(index).write_volatile(encode(instruction).to_be());
        }
    }
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut entry = 0;
            // SAFETY: the context is destroyed only to end this run.
            unsafe {
                (library.spe_context_run)(
                    pointer(context),
                    &raw mut entry,
                    0,
                    ptr::null_mut(),
                    ptr::null_mut(),
                    ptr::null_mut(),
                )
            }
        });
        let (ns, _) = repeat(|| {
            send(pointer(context), 7);
            let mut word = 0;
            // SAFETY: the word is ours.
            let read = unsafe {
                (library.spe_out_intr_mbox_read)(pointer(context), &raw mut word, 1, SPE_MBOX_ALL_BLOCKING)
            };
            assert_eq!((read, word), (1, 7));
        });
        // SAFETY: this ends the run, and nobody uses the context afterwards.
        unsafe { (library.spe_context_destroy)(pointer(context)) };
        ns
    })
}

fn main() {
    let library = spe2::functions();
    println!("{:>34} {:>8} {:>8}", "DMA, GB/s", "1 thread", "2");
    for bytes in [16, 128, 1024, 16384] {
        let [one, two] = [1, 2].map(|threads| bandwidth(&library, threads, bytes));
        println!("{:>28} bytes {one:>8.2} {two:>8.2}", bytes);
    }
    let call = round_trip(&library, |context, mut word| {
        // SAFETY: the word is ours.
        unsafe { (library.spe_in_mbox_write)(context, &raw mut word, 1, SPE_MBOX_ALL_BLOCKING) };
    });
    let direct = round_trip(&library, |context, word| {
        // SAFETY: the context has mapped registers, whose word takes volatile accesses.
        unsafe {
            let control = (library.spe_ps_area_get)(context, SPE_CONTROL_AREA).cast::<spe_spu_control_area>();
            (&raw mut (*control).SPU_In_Mbox).write_volatile(word);
        }
    });
    println!("{:>34} {:>8.1}", "mailbox round trip by calls, us", call / 1e3);
    println!("{:>34} {:>8.1}", "with the word sent directly, us", direct / 1e3);
    let context = create(&library);
    // SAFETY: the context has just been made, with a problem-state area, and is never destroyed.
    let status = unsafe {
        let control =
            (library.spe_ps_area_get)(pointer(context), SPE_CONTROL_AREA).cast::<spe_spu_control_area>();
        &raw const (*control).SPU_Mbox_Stat
    };
    // SAFETY: the register lies in the area of a context that is never destroyed.
    let (_, ns) = repeat(|| assert_eq!(unsafe { status.read_volatile() }, 0x400));
    println!("{:>34} {:>8.1}", "a direct access to a register, us", ns / 1e3);
}
