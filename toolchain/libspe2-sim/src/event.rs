//! Event handlers: waiting for events of several contexts. A handler holds registrations. A waiter looks at
//! all registrations of its handler, and sleeps until any port that has events enabled changes, or any run
//! ends.
//!
//! Protocol: a change that may raise an event happens first; then [`announce`] counts up and wakes. A waiter
//! reads the count, looks at its registrations, and sleeps only while the count is what it has read. So
//! no change between looking and sleeping is missed. `announce` may run under the mutex of a port, so no
//! thread touches a port while it holds the mutex of the count.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use ppu_sys::{
    SPE_EVENT_ALL_EVENTS, SPE_EVENT_IN_MBOX, SPE_EVENT_OUT_INTR_MBOX, SPE_EVENT_SPE_STOPPED,
    SPE_EVENT_TAG_GROUP, SPE_EVENTS_ENABLE, SPE_MAP_PS, spe_event_data, spe_event_handler_ptr_t,
    spe_event_handler_t, spe_event_unit,
};

use crate::context::{Context, Handle, context, lock};
use crate::errno::Errno;

static COUNT: Mutex<u64> = Mutex::new(0);
static CHANGED: Condvar = Condvar::new();

/// Tells waiters that something may have happened.
pub(crate) fn announce() {
    *lock(&COUNT) += 1;
    CHANGED.notify_all();
}

/// One kind of event of one context.
#[derive(Debug)]
struct Registration {
    context: Weak<Context>,
    event: c_uint,
    data: u64,
}

/// The registrations behind a handler.
#[derive(Debug)]
struct Handler {
    pointer: Handle<spe_event_handler_t>,
    registrations: Mutex<Vec<Registration>>,
}

static HANDLERS: LazyLock<Mutex<HashMap<usize, Arc<Handler>>>> = LazyLock::new(Mutex::default);

fn find(pointer: spe_event_handler_ptr_t) -> Result<Arc<Handler>, Errno> {
    lock(&HANDLERS).get(&pointer.addr()).cloned().ok_or(Errno(libc::ESRCH))
}

/// Makes a handler.
pub(crate) fn create() -> spe_event_handler_ptr_t {
    let handler = Handler { pointer: Handle::new(-1), registrations: Mutex::default() };
    let pointer = handler.pointer.as_ptr();
    lock(&HANDLERS).insert(pointer.addr(), Arc::new(handler));
    pointer.cast()
}

/// Ends a handler.
pub(crate) fn destroy(pointer: spe_event_handler_ptr_t) -> Result<(), Errno> {
    lock(&HANDLERS).remove(&pointer.addr()).map(drop).ok_or(Errno(libc::ESRCH))
}

/// The context and the single events of a unit.
fn parts(unit: Option<&spe_event_unit>) -> Result<(Arc<Context>, Vec<c_uint>), Errno> {
    let unit = unit.filter(|unit| !unit.spe.is_null()).ok_or(Errno(libc::EINVAL))?;
    let context = context(unit.spe)?;
    if !context.has(SPE_EVENTS_ENABLE) || unit.events & !SPE_EVENT_ALL_EVENTS != 0 {
        return Err(Errno(libc::ENOTSUP));
    }
    // With mapped registers the program polls the tag status itself.
    if unit.events & SPE_EVENT_TAG_GROUP != 0 && context.has(SPE_MAP_PS) {
        return Err(Errno(libc::ENOTSUP));
    }
    let all = [SPE_EVENT_OUT_INTR_MBOX, SPE_EVENT_IN_MBOX, SPE_EVENT_TAG_GROUP, SPE_EVENT_SPE_STOPPED];
    Ok((context, all.into_iter().filter(|event| unit.events & event != 0).collect()))
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.event == SPE_EVENT_SPE_STOPPED
            && let Some(context) = self.context.upgrade()
        {
            context.stops.unlisten();
        }
    }
}

impl Registration {
    fn new(context: &Arc<Context>, event: c_uint, data: u64) -> Registration {
        if event == SPE_EVENT_SPE_STOPPED {
            context.stops.listen();
        }
        Registration { context: Arc::downgrade(context), event, data }
    }

    fn is(&self, context: &Arc<Context>, event: c_uint) -> bool {
        self.event == event && self.context.as_ptr() == Arc::as_ptr(context)
    }

    /// The event as it is reported, if it has arisen. A mailbox event lasts as long as its cause.
    fn ready(&self) -> Option<spe_event_unit> {
        let context = self.context.upgrade().filter(|context| !context.is_destroyed())?;
        let ready = match self.event {
            SPE_EVENT_OUT_INTR_MBOX => context.port.inspect(|state| state.out_interrupt_mailbox.count() > 0),
            SPE_EVENT_IN_MBOX => context.port.inspect(|state| state.in_mailbox.free() > 0),
            // Proxy commands are complete when they have been given.
            SPE_EVENT_TAG_GROUP => context.tags_unread.load(Relaxed) != 0,
            _ => !context.stops.is_empty(),
        };
        let data = spe_event_data { u64_: self.data };
        ready.then(|| spe_event_unit { events: self.event, spe: context.pointer.as_ptr(), data })
    }
}

/// Registers the events of a unit.
pub(crate) fn register(handler: spe_event_handler_ptr_t, unit: Option<&spe_event_unit>) -> Result<(), Errno> {
    let handler = find(handler)?;
    let (context, events) = parts(unit)?;
    // SAFETY: all members of the union are integers or addresses, so its bits are a number.
    let data = unit.map_or(0, |unit| unsafe { unit.data.u64_ });
    let mut registrations = lock(&handler.registrations);
    registrations.retain(|registration| registration.context.strong_count() > 0);
    if events.iter().any(|&event| registrations.iter().any(|known| known.is(&context, event))) {
        return Err(Errno(libc::EEXIST));
    }
    registrations.extend(events.into_iter().map(|event| Registration::new(&context, event, data)));
    drop(registrations);
    announce();
    Ok(())
}

/// Undoes the registration of the events of a unit.
pub(crate) fn deregister(
    handler: spe_event_handler_ptr_t,
    unit: Option<&spe_event_unit>,
) -> Result<(), Errno> {
    let handler = find(handler)?;
    let (context, events) = parts(unit)?;
    let mut registrations = lock(&handler.registrations);
    let before = registrations.len();
    registrations.retain(|known| !events.iter().any(|&event| known.is(&context, event)));
    if before - registrations.len() == events.len() { Ok(()) } else { Err(Errno(libc::ENOENT)) }
}

/// Waits for events; fills `units` from its start, and returns the number of events. `timeout` is in
/// milliseconds; a negative one waits without limit.
pub(crate) fn wait(
    handler: spe_event_handler_ptr_t,
    units: &mut [spe_event_unit],
    timeout: c_int,
) -> Result<usize, Errno> {
    let handler = find(handler)?;
    let deadline = u64::try_from(timeout).ok().map(|timeout| Instant::now() + Duration::from_millis(timeout));
    loop {
        let seen = *lock(&COUNT);
        let count = collect(&handler, units);
        if count > 0 {
            return Ok(count);
        }
        let mut current = lock(&COUNT);
        while *current == seen {
            current = match deadline {
                None => CHANGED.wait(current).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let Some(rest) = deadline.checked_duration_since(Instant::now()) else { return Ok(0) };
                    CHANGED.wait_timeout(current, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// Events that have arisen. Reported events go behind all other events, so that a small array sees every
/// event in turn.
fn collect(handler: &Handler, units: &mut [spe_event_unit]) -> usize {
    let mut registrations = lock(&handler.registrations);
    let mut count = 0;
    let (mut reported, mut others) = (Vec::new(), Vec::new());
    for registration in registrations.drain(..) {
        match units.get_mut(count).and_then(|unit| Some((unit, registration.ready()?))) {
            Some((unit, event)) => {
                *unit = event;
                count += 1;
                reported.push(registration);
            }
            None => others.push(registration),
        }
    }
    others.append(&mut reported);
    *registrations = others;
    count
}
