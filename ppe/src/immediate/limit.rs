//! Which operations are small.

use std::sync::OnceLock;

use super::{FEW_ELEMENTS, MOST_ELEMENTS};
use crate::engine::Host;
use crate::lower::{MemoryLimits, Target};
use crate::operation::{OpKind, Precision, Shape};
use crate::time::{RECORDED_NS, TimeModel};

/// How a host cuts products, and which operations are short.
struct Hosts {
    target: Target,
    /// The sides of a square block, in each precision of numbers. A side that is not longer is never cut.
    sides: [usize; Precision::ALL.len()],
    /// Of each kind.
    most_elements: [usize; OpKind::ALL.len()],
}

/// None when the model that is built in cannot be read.
fn hosts() -> Option<&'static Hosts> {
    static HOSTS: OnceLock<Option<Hosts>> = OnceLock::new();
    let make = || {
        let model = TimeModel::of_host().ok()?;
        let most_elements = OpKind::ALL.map(|kind| most_by(&model, kind));
        let target = Host::in_memory(1, MemoryLimits::default());
        let sides = Precision::ALL.map(|precision| target.blocks.side(precision));
        Some(Hosts { target, sides, most_elements })
    };
    HOSTS.get_or_init(make).as_ref()
}

/// The most elements that an operand or the result of a small operation of this kind has, by the time model
/// of a host: at least [`FEW_ELEMENTS`], at most [`MOST_ELEMENTS`].
#[must_use]
pub fn most_elements(kind: OpKind) -> usize {
    hosts().map_or(FEW_ELEMENTS, |hosts| hosts.most_elements[kind as usize])
}

/// Whether an engine does not cut the inner side of a product whose operands and result have at most
/// [`MOST_ELEMENTS`] elements. Then the product is small: it has less than 100,000 multiply-adds, which is too little
/// for several processors to share, and a recorded product takes as long before its kernel begins.
pub(super) fn is_small_product(precision: Precision, first: Shape, result: Shape) -> bool {
    let inner = first.columns;
    hosts().is_some_and(|Hosts { target, sides, .. }| {
        // The question is asked often.
        inner as usize <= sides[precision.of_numbers() as usize]
            || target.inner_axis(result, inner, precision).parts() == 1
    })
}

fn most_by(model: &TimeModel, kind: OpKind) -> usize {
    // Three sides decide about a product. A reduction of so few elements is one chain of additions or a few, which
    // processors could not share.
    if kind == OpKind::Multiply || kind.is_sum() || kind == OpKind::CumulativeSum {
        return MOST_ELEMENTS;
    }
    // A front end computes these with functions of its own, which are slow for many elements.
    if matches!(kind, OpKind::Repeat | OpKind::Join | OpKind::Band | OpKind::Diagonal) {
        return FEW_ELEMENTS;
    }
    let takes_longer = |elements: usize| {
        let column = Shape { rows: elements as u32, columns: 1 };
        model.estimate_whole(kind, Precision::Double, column, column) > RECORDED_NS
    };
    // The estimate grows with the number of elements.
    let (mut fits, mut too_long) = (FEW_ELEMENTS, MOST_ELEMENTS + 1);
    while too_long - fits > 1 {
        let middle = fits.midpoint(too_long);
        *(if takes_longer(middle) { &mut too_long } else { &mut fits }) = middle;
    }
    fits
}
