//! HiGHS, a solver of integer programs, tells how far it is while it solves one. Exists with the feature `highs`.
//!
//! The crate `highs` makes models and reads solutions. It has no function for the callbacks of HiGHS, so this file
//! has the unsafe code of them.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use highs::{HighsStatus, Model, SolvedModel};
use highs_sys::{HighsCallbackDataIn, HighsCallbackDataOut, kHighsCallbackMipInterrupt};

/// How far the solver is. Both bounds are of the objective, which is minimised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    /// The objective of the best solution so far; infinite when there is none.
    pub(crate) best: f64,
    /// No solution has a lower objective, as far as floating point tells.
    pub(crate) bound: f64,
    /// Nodes of the solver's tree.
    pub(crate) nodes: u64,
}

/// Who listens, and what a call has thrown.
struct Listener<'l> {
    listen: &'l mut dyn FnMut(Heard) -> bool,
    thrown: Option<Box<dyn std::any::Any + Send>>,
}

/// Solves the model. HiGHS calls `listen` again and again, and ends early when it returns false.
///
/// # Errors
/// What HiGHS says when it cannot work on the model at all. A limit of time is no error.
pub(crate) fn solve(
    mut model: Model,
    listen: &mut dyn FnMut(Heard) -> bool,
) -> Result<SolvedModel, HighsStatus> {
    let mut listener = Listener { listen, thrown: None };
    let highs = model.as_mut_ptr();
    let data = std::ptr::from_mut(&mut listener).cast();
    // SAFETY: `highs` is the HiGHS of `model`. It keeps `data` and hands it to `heard` while the model is solved, which
    // is below; the callback is stopped before `listener` goes.
    unsafe {
        HighsStatus::try_from(highs_sys::Highs_setCallback(highs, Some(heard), data)).ok();
        HighsStatus::try_from(highs_sys::Highs_startCallback(highs, kHighsCallbackMipInterrupt)).ok();
    }
    let solved = model.try_solve().map(|mut solved| {
        // SAFETY: the HiGHS of `solved`, which no longer calls back.
        unsafe { highs_sys::Highs_stopCallback(solved.as_mut_ptr(), kHighsCallbackMipInterrupt) };
        solved
    });
    if let Some(thrown) = listener.thrown {
        resume_unwind(thrown);
    }
    solved
}

/// What HiGHS calls. A panic must not unwind through its frames.
unsafe extern "C" fn heard(
    _: c_int,
    _: *const c_char,
    out: *const HighsCallbackDataOut,
    input: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: HiGHS passes structures of its own that it accesses again after the call, and the listener of `solve`,
    // which nothing else accesses meanwhile.
    let (out, input, listener) = unsafe { (&*out, &mut *input, &mut *data.cast::<Listener<'_>>()) };
    let heard = Heard {
        best: out.mip_primal_bound,
        bound: out.mip_dual_bound,
        nodes: out.mip_node_count.try_into().unwrap_or(0),
    };
    let call = || (listener.listen)(heard);
    let goes_on = listener.thrown.is_none()
        && match catch_unwind(AssertUnwindSafe(call)) {
            Ok(goes_on) => goes_on,
            Err(thrown) => {
                listener.thrown = Some(thrown);
                false
            }
        };
    input.user_interrupt = c_int::from(!goes_on);
}
