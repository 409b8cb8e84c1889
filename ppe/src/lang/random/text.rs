//! Operations on two values: as text, and how large their results are.

use crate::operation::OpKind;

/// An operation on two values as text.  NaN, which a division may give, has no truth value; a comparison has.
pub(super) fn of_two(kind: OpKind, left: &str, right: &str) -> String {
    match mark(kind) {
        Some(mark @ ("&" | "|")) => format!("({left} > 0) {mark} ({right} != 1)"),
        Some(mark) => format!("{left} {mark} {right}"),
        None => format!("{}({left}, {right})", kind.octave_name()),
    }
}

/// The operator, if it is not a function.
pub(super) fn mark(kind: OpKind) -> Option<&'static str> {
    Some(match kind {
        OpKind::Add => "+",
        OpKind::Subtract => "-",
        OpKind::Times => ".*",
        OpKind::Divide => "./",
        OpKind::Power => ".^",
        OpKind::Equal => "==",
        OpKind::NotEqual => "!=",
        OpKind::Less => "<",
        OpKind::LessEqual => "<=",
        OpKind::Greater => ">",
        OpKind::GreaterEqual => ">=",
        OpKind::And => "&",
        OpKind::Or => "|",
        _ => return None,
    })
}

/// A bound of the results, from the bounds of the operands.
pub(super) fn bound(kind: OpKind, a: f64, b: f64) -> f64 {
    match kind {
        OpKind::Add | OpKind::Subtract => a + b,
        OpKind::Equal
        | OpKind::NotEqual
        | OpKind::Less
        | OpKind::LessEqual
        | OpKind::Greater
        | OpKind::GreaterEqual
        | OpKind::And
        | OpKind::Or => 1.0,
        // mod (x, 0) is x.
        OpKind::Mod | OpKind::Rem | OpKind::Max | OpKind::Min | OpKind::MaxRight | OpKind::MinRight => {
            a.max(b)
        }
        OpKind::Atan2 => 4.0,
        OpKind::Hypot => a + b,
        // A quotient may be as large as it likes: what uses it reduces it first.
        OpKind::Divide => f64::INFINITY,
        _ => a * b,
    }
}
