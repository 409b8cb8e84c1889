//! DMA that the PPE program asks for. Commands run at once on the calling thread, so their tags are complete
//! when the call returns, and fences and barriers hold by themselves. A command with a fault fails with EIO.

use std::ffi::{c_uint, c_void};
use std::sync::atomic::Ordering::Relaxed;

use ppu_sys::{SPE_TAG_ALL, SPE_TAG_ANY, SPE_TAG_IMMEDIATE};
use spu_sim::mfc::Parameters;
use spu_sim::proxy;

use crate::context::Context;
use crate::errno::Errno;
use crate::memory::process_memory;
use crate::settings::tell;
use crate::{event, guard};

/// Commands, by their opcodes (cell-facts B2).
#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub(crate) enum Command {
    Put = 0x20,
    PutBarrier = 0x21,
    PutFence = 0x22,
    Get = 0x40,
    GetBarrier = 0x41,
    GetFence = 0x42,
}

/// The kernel keeps tags 16 to 31.
const TAGS: c_uint = 16;
/// Class ids are bytes.
const CLASSES: c_uint = 256;

/// The parameters of a command: local-store address, size, tag, and the class ids, which have no effect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    pub(crate) ls: c_uint,
    pub(crate) ea: *mut c_void,
    pub(crate) size: c_uint,
    pub(crate) tag: c_uint,
    pub(crate) tid: c_uint,
    pub(crate) rid: c_uint,
}

/// Executes a command.
pub(crate) fn transfer(context: &Context, command: Command, transfer: Transfer) -> Result<(), Errno> {
    let Transfer { ls, ea, size, tag, tid, rid } = transfer;
    if tag >= TAGS || tid >= CLASSES || rid >= CLASSES {
        return Err(Errno(libc::EINVAL));
    }
    let parameters = Parameters { ls, ea: ea.expose_provenance() as u64, size, tag };
    context.tags_used.fetch_or(1 << tag, Relaxed);
    let execute = || proxy::execute(command as u32, parameters, &*process_memory(), &context.port);
    guard::with_faults(execute).map_err(|fault| {
        tell(format_args!("context {}: a proxy command of the PPE program failed: {fault}", context.id));
        Errno(libc::EIO)
    })?;
    context.tags_unread.fetch_or(1 << tag, Relaxed);
    event::announce();
    Ok(())
}

/// The complete tag groups of a mask. All groups are complete, because commands run at once. A mask of zero
/// means every tag used so far.
pub(crate) fn tag_status(context: &Context, mask: c_uint, behaviour: c_uint) -> Result<c_uint, Errno> {
    if ![SPE_TAG_ALL, SPE_TAG_ANY, SPE_TAG_IMMEDIATE].contains(&behaviour) {
        return Err(Errno(libc::EINVAL));
    }
    let status = if mask == 0 { context.tags_used.load(Relaxed) } else { mask };
    context.tags_unread.fetch_and(!status, Relaxed);
    Ok(status)
}
