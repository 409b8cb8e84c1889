//! The exported functions. They check arguments and give results as the binary interface says. All
//! other modules do the work.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;

use ppu_sys::{
    Functions, SPE_CONTROL_AREA, SPE_COUNT_PHYSICAL_CPU_NODES, SPE_COUNT_PHYSICAL_SPES,
    SPE_COUNT_USABLE_SPES, SPE_CPU_TYPE, SPE_CPU_TYPE_CELLBE, SPE_CPU_TYPE_CELLEDP, SPE_EVENTS_ENABLE,
    SPE_MBOX_ALL_BLOCKING, SPE_MBOX_ANY_BLOCKING, SPE_MBOX_ANY_NONBLOCKING, SPE_MFC_COMMAND_AREA,
    SPE_MSSYNC_AREA, SPE_SIG_NOTIFY_1_AREA, SPE_SIG_NOTIFY_2_AREA, SPE_SIG_NOTIFY_REG_1,
    SPE_SIG_NOTIFY_REG_2, ps_area, spe_context_ptr_t, spe_event_handler_ptr_t, spe_event_unit_t,
    spe_gang_context_ptr_t, spe_program_handle_t, spe_stop_info_t,
};
use spu_sim::local_store::LS_SIZE;
use spu_sim::port::Wait;
use spu_sim::spu::Cpu;

use crate::context::{self, Context, context};
use crate::errno::{Errno, answer, set_errno};
use crate::proxy_dma::{self, Command, Transfer};
use crate::run::callback;
use crate::run::{self, ProgramArguments};
use crate::settings::settings;
use crate::{event, image};

/// Defines the exported functions and, from one list, the table that the bindings describe. So a function
/// that is missing, superfluous or of another type does not compile.
macro_rules! exported {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {
        $(
            $(#[$attribute])*
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                answer(|| $body)
            }
        )*

        /// The functions of this library, as a program that loads it finds them.
        pub fn functions() -> Functions {
            Functions { $($name,)* }
        }
    };
}

/// The result of a function that only says whether it worked.
fn done(result: Result<(), Errno>) -> Result<c_int, Errno> {
    result.map(|()| 0)
}

/// How a mailbox function waits.
fn wait(behaviour: c_uint) -> Result<Wait, Errno> {
    match behaviour {
        SPE_MBOX_ALL_BLOCKING => Ok(Wait::All),
        SPE_MBOX_ANY_BLOCKING => Ok(Wait::Any),
        SPE_MBOX_ANY_NONBLOCKING => Ok(Wait::No),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// The words of a mailbox function.
///
/// # Safety
/// `data` is NULL or points to `count` words, which nobody else uses during the call.
unsafe fn words<'a>(data: *mut c_uint, count: c_int) -> Result<&'a mut [u32], Errno> {
    match usize::try_from(count) {
        // SAFETY: the caller passes so many words.
        Ok(count) if count > 0 && !data.is_null() => Ok(unsafe { slice::from_raw_parts_mut(data, count) }),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// A proxy command of a context.
fn transfer(spe: spe_context_ptr_t, command: Command, parameters: Transfer) -> Result<c_int, Errno> {
    done(proxy_dma::transfer(&*context(spe)?, command, parameters))
}

/// A number of the state of a context's port.
fn status(spe: spe_context_ptr_t, look: impl FnOnce(&Context) -> u32) -> Result<c_int, Errno> {
    Ok(look(&*context(spe)?) as c_int)
}

// SAFETY of pointers from the caller is libspe2's own contract: a pointer is NULL or points to the type that
// the header says, and nobody else uses the object during the call. Contexts, gangs, event handlers and
// opened images are looked up by their address, so these pointers may have any value.
exported! {
    fn spe_context_create(flags: c_uint, gang: spe_gang_context_ptr_t) -> spe_context_ptr_t {
        context::create(flags, ptr::null_mut(), gang)
    }

    fn spe_context_create_affinity(
        flags: c_uint,
        affinity_neighbor: spe_context_ptr_t,
        gang: spe_gang_context_ptr_t
    ) -> spe_context_ptr_t {
        if gang.is_null() {
            return Err(Errno(libc::ESRCH));
        }
        context::create(flags, affinity_neighbor, gang)
    }

    fn spe_context_destroy(spe: spe_context_ptr_t) -> c_int {
        done(context::destroy(spe))
    }

    fn spe_gang_context_create(_flags: c_uint) -> spe_gang_context_ptr_t {
        Ok(context::create_gang())
    }

    fn spe_gang_context_destroy(gang: spe_gang_context_ptr_t) -> c_int {
        done(context::destroy_gang(gang))
    }

    fn spe_image_open(filename: *const c_char) -> *mut spe_program_handle_t {
        // SAFETY: libspe2.h: `filename` is a string.
        unsafe { image::open(filename) }
    }

    fn spe_image_close(program: *mut spe_program_handle_t) -> c_int {
        done(image::close(program))
    }

    fn spe_program_load(spe: spe_context_ptr_t, program: *mut spe_program_handle_t) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: `program` is a handle that an image or a linked program has, and lasts while it is used.
        done(unsafe { image::load(&context, program) })
    }

    fn spe_context_run(
        spe: spe_context_ptr_t,
        entry: *mut c_uint,
        runflags: c_uint,
        argp: *mut c_void,
        envp: *mut c_void,
        stopinfo: *mut spe_stop_info_t
    ) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: `entry` is null or valid, and only this call uses it meanwhile.
        let entry = unsafe { entry.as_mut() }.ok_or(Errno(libc::EINVAL))?;
        // SAFETY: libspe2.h: with SPE_RUN_USER_REGS `argp` points to the registers' values; otherwise both are passed on.
        let arguments = unsafe { ProgramArguments::new(runflags, argp, envp) };
        let outcome = run::run(&context, entry, runflags, arguments);
        // SAFETY: libspe2.h: `stopinfo` is null or valid for a write.
        if let Some(stopinfo) = unsafe { stopinfo.as_mut() } {
            *stopinfo = outcome.stop;
        }
        if let Some(errno) = outcome.errno {
            set_errno(errno);
        }
        Ok(outcome.result)
    }

    fn spe_stop_info_read(spe: spe_context_ptr_t, stopinfo: *mut spe_stop_info_t) -> c_int {
        let context = context(spe)?;
        if !context.has(SPE_EVENTS_ENABLE) {
            return Err(Errno(libc::ENOTSUP));
        }
        // SAFETY: libspe2.h: `stopinfo` is null or valid for a write.
        let stopinfo = unsafe { stopinfo.as_mut() }.ok_or(Errno(libc::EINVAL))?;
        *stopinfo = context.stops.take().ok_or(Errno(libc::EAGAIN))?.0;
        Ok(0)
    }

    fn spe_event_handler_create() -> spe_event_handler_ptr_t {
        Ok(event::create())
    }

    fn spe_event_handler_destroy(evhandler: spe_event_handler_ptr_t) -> c_int {
        done(event::destroy(evhandler))
    }

    fn spe_event_handler_register(evhandler: spe_event_handler_ptr_t, event: *mut spe_event_unit_t) -> c_int {
        // SAFETY: libspe2.h: `event` is null or valid.
        done(event::register(evhandler, unsafe { event.as_ref() }))
    }

    fn spe_event_handler_deregister(evhandler: spe_event_handler_ptr_t, event: *mut spe_event_unit_t) -> c_int {
        // SAFETY: libspe2.h: `event` is null or valid.
        done(event::deregister(evhandler, unsafe { event.as_ref() }))
    }

    fn spe_event_wait(
        evhandler: spe_event_handler_ptr_t,
        events: *mut spe_event_unit_t,
        max_events: c_int,
        timeout: c_int
    ) -> c_int {
        let count = usize::try_from(max_events).ok().filter(|&count| count > 0 && !events.is_null());
        let count = count.ok_or(Errno(libc::EINVAL))?;
        // SAFETY: libspe2.h: there is room for `max_events` events; the pointer is not null.
        let events = unsafe { slice::from_raw_parts_mut(events, count) };
        event::wait(evhandler, events, timeout).map(|count| count as c_int)
    }

    fn spe_mfcio_put(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::Put, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_putb(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::PutBarrier, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_putf(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::PutFence, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_get(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::Get, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_getb(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::GetBarrier, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_getf(
        spe: spe_context_ptr_t, ls: c_uint, ea: *mut c_void, size: c_uint, tag: c_uint, tid: c_uint, rid: c_uint
    ) -> c_int {
        transfer(spe, Command::GetFence, Transfer { ls, ea, size, tag, tid, rid })
    }

    fn spe_mfcio_tag_status_read(
        spe: spe_context_ptr_t,
        mask: c_uint,
        behavior: c_uint,
        tag_status: *mut c_uint
    ) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: `tag_status` is null or valid for a write.
        let target = unsafe { tag_status.as_mut() }.ok_or(Errno(libc::EINVAL))?;
        *target = proxy_dma::tag_status(&context, mask, behavior)?;
        Ok(0)
    }

    fn spe_out_mbox_read(spe: spe_context_ptr_t, mbox_data: *mut c_uint, count: c_int) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: there is room for `count` words.
        let words = unsafe { words(mbox_data, count) }?;
        let mut read = 0;
        while let Some(target) = words.get_mut(read)
            && let Some(word) = context.port.read_out_mailbox()
        {
            *target = word;
            read += 1;
        }
        Ok(read as c_int)
    }

    fn spe_out_mbox_status(spe: spe_context_ptr_t) -> c_int {
        status(spe, |context| context.port.inspect(|state| state.out_mailbox.count()))
    }

    fn spe_in_mbox_write(
        spe: spe_context_ptr_t,
        mbox_data: *mut c_uint,
        count: c_int,
        behavior: c_uint
    ) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: there are `count` words.
        let words = unsafe { words(mbox_data, count) }?;
        let wait = wait(behavior)?;
        Ok(context.port.write_in_mailbox(words, wait) as c_int)
    }

    fn spe_in_mbox_status(spe: spe_context_ptr_t) -> c_int {
        status(spe, |context| context.port.inspect(|state| state.in_mailbox.free()))
    }

    fn spe_out_intr_mbox_read(
        spe: spe_context_ptr_t,
        mbox_data: *mut c_uint,
        count: c_int,
        behavior: c_uint
    ) -> c_int {
        let context = context(spe)?;
        // SAFETY: libspe2.h: there is room for `count` words.
        let words = unsafe { words(mbox_data, count) }?;
        let wait = wait(behavior)?;
        Ok(context.port.read_out_interrupt_mailbox(words, wait) as c_int)
    }

    fn spe_out_intr_mbox_status(spe: spe_context_ptr_t) -> c_int {
        status(spe, |context| context.port.inspect(|state| state.out_interrupt_mailbox.count()))
    }

    // Every earlier access is complete, so a synchronisation has nothing to wait for.
    fn spe_mssync_start(spe: spe_context_ptr_t) -> c_int {
        status(spe, |_| 0)
    }

    fn spe_mssync_status(spe: spe_context_ptr_t) -> c_int {
        status(spe, |_| 0)
    }

    fn spe_signal_write(spe: spe_context_ptr_t, signal_reg: c_uint, data: c_uint) -> c_int {
        let context = context(spe)?;
        let register = match signal_reg {
            SPE_SIG_NOTIFY_REG_1 => 0,
            SPE_SIG_NOTIFY_REG_2 => 1,
            _ => return Err(Errno(libc::EINVAL)),
        };
        context.port.write_signal(register, data);
        Ok(0)
    }

    fn spe_ls_area_get(spe: spe_context_ptr_t) -> *mut c_void {
        let ls = Arc::clone(context(spe)?.port.ls());
        let address = ls.as_ptr();
        address.expose_provenance();
        Ok(address.cast())
    }

    fn spe_ls_size_get(spe: spe_context_ptr_t) -> c_int {
        status(spe, |_| LS_SIZE as u32)
    }

    fn spe_ps_area_get(spe: spe_context_ptr_t, area: ps_area) -> *mut c_void {
        let context = context(spe)?;
        let offset = match area {
            SPE_MSSYNC_AREA => 0,
            SPE_MFC_COMMAND_AREA => 0x3000,
            SPE_CONTROL_AREA => 0x4000,
            SPE_SIG_NOTIFY_1_AREA => 0x1_4000,
            SPE_SIG_NOTIFY_2_AREA => 0x1_c000,
            _ => return Err(Errno(libc::EINVAL)),
        };
        let area = context.area.as_ref().ok_or(Errno(libc::EACCES))?;
        Ok(ptr::with_exposed_provenance_mut(area.address() + offset))
    }

    fn spe_callback_handler_register(handler: *mut c_void, callnum: c_uint, mode: c_uint) -> c_int {
        // SAFETY: libspe2.h: `handler` is a function of the type of a handler.
        done(unsafe { callback::register(handler, callnum, mode) })
    }

    fn spe_callback_handler_deregister(callnum: c_uint) -> c_int {
        done(callback::deregister(callnum))
    }

    fn spe_callback_handler_query(callnum: c_uint) -> *mut c_void {
        callback::query(callnum)
    }

    fn spe_cpu_info_get(info_requested: c_int, cpu_node: c_int) -> c_int {
        let settings = settings();
        let node = match cpu_node {
            -1 => None,
            node => {
                let node = u32::try_from(node).ok().filter(|&node| node < settings.nodes());
                Some(node.ok_or(Errno(libc::EINVAL))?)
            }
        };
        let number = match c_uint::try_from(info_requested).unwrap_or(0) {
            SPE_COUNT_PHYSICAL_CPU_NODES if node.is_none() => settings.nodes(),
            SPE_COUNT_PHYSICAL_SPES | SPE_COUNT_USABLE_SPES => settings.spes_of(node),
            SPE_CPU_TYPE => match settings.cpu {
                Cpu::CellBe => SPE_CPU_TYPE_CELLBE,
                Cpu::PowerXCell8i => SPE_CPU_TYPE_CELLEDP,
            },
            _ => return Err(Errno(libc::EINVAL)),
        };
        Ok(number as c_int)
    }
}
