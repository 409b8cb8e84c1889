//! Which operations are small.

use std::sync::OnceLock;

use super::{FEW_ELEMENTS, MOST_ELEMENTS, MOST_FACTOR_ELEMENTS};
use crate::engine::Host;
use crate::lower::{Axis, MemoryLimits, Target};
use crate::operation::{OpKind, Precision, Shape};
use crate::time::{RECORDED_NS, TimeModel};

/// The longest product that is small, in nanoseconds. Two threads would need half of it, a microsecond for sharing
/// it, and another one and a half for recording, lowering and reading it.
const PRODUCT_NS: f64 = 5000.0;

/// How a host cuts products, and which operations are short.
struct Hosts {
    model: TimeModel,
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
        Some(Hosts { model, target, sides, most_elements })
    };
    HOSTS.get_or_init(make).as_ref()
}

/// The most elements that an operand or the result of a small operation of this kind has, by the time model
/// of a host: at least [`FEW_ELEMENTS`], at most [`MOST_ELEMENTS`], or [`MOST_FACTOR_ELEMENTS`] of a product.
#[must_use]
pub fn most_elements(kind: OpKind) -> usize {
    hosts().map_or(FEW_ELEMENTS, |hosts| hosts.most_elements[kind as usize])
}

/// Whether a product is so short that several processors would gain nothing. `first`: rows and columns of the left
/// factor.
pub(super) fn is_short_product(precision: Precision, first: Shape, result: Shape) -> bool {
    hosts().is_some_and(|Hosts { model, .. }| {
        model.estimate_whole(OpKind::Multiply, precision, result, first) <= PRODUCT_NS
    })
}

/// How an engine cuts the inner side of a product. None when several block operations sum up the parts.
pub(super) fn inner_axis(precision: Precision, result: Shape, inner: u32) -> Option<Axis> {
    let Hosts { target, sides, .. } = hosts()?;
    // The question is asked often.
    if inner as usize <= sides[precision.of_numbers() as usize] {
        return Some(Axis::whole(inner));
    }
    Some(target.inner_axis(result, inner, precision))
        .filter(|axis| axis.parts() as usize <= target.blocks.chain)
}

fn most_by(model: &TimeModel, kind: OpKind) -> usize {
    // Three sides decide about a product.
    if kind == OpKind::Multiply {
        return MOST_FACTOR_ELEMENTS;
    }
    // A reduction of so few elements is one chain of additions or a few, which processors could not share.
    if kind.is_sum() || kind == OpKind::CumulativeSum {
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
