//! The functions of the language, by name.

use super::direct::Direct;
use crate::operation::{OpKind, Precision, Side};

/// What the arguments of a recorded operation may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Matrices and numbers alike, as in Octave.
    Any,
    /// Two matrices (the paper's M functions).
    Matrices,
    /// A matrix and a number, in either order (the paper's S functions).
    Scalar,
}

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// An operation on one value.
    Unary(OpKind),
    /// An operation on two.
    Binary(OpKind, Arguments),
    /// A change of precision.
    Convert(Precision),
    /// `zeros (n, m)`
    Zeros,
    /// `ones (n, m)`
    Ones,
    /// `eye (n, m)`
    Eye,
    /// `range (first, last)`, a row.
    Range,
    /// `rand (n, m, seed)`
    Rand,
    /// `load (file)`
    Load,
    /// `copy (x)`: computed now, a new constant.
    Copy,
    /// `transposed (x)`: computed now, a new constant.
    Transposed,
    /// What moves elements or reduces columns and rows.
    Direct(Direct),
}

/// A function.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Fewest and most arguments.
    pub arguments: (u32, u32),
    /// What it does.
    pub meaning: Meaning,
}

const fn unary(name: &'static str, kind: OpKind) -> Function {
    Function { name, arguments: (1, 1), meaning: Meaning::Unary(kind) }
}

const fn binary(name: &'static str, kind: OpKind, arguments: Arguments) -> Function {
    Function { name, arguments: (2, 2), meaning: Meaning::Binary(kind, arguments) }
}

const fn other(name: &'static str, arguments: (u32, u32), meaning: Meaning) -> Function {
    Function { name, arguments, meaning }
}

/// Octave's element-wise functions, from the table of operations. An operation that is no function of Octave
/// has no name.
macro_rules! element_wise {
    (
        elementwise { $(($word:literal, $kind:ident, $function:literal, $conforms:literal, $takes:ident, $gives:ident,
            $domain:ident, $complex:ident, $kernel:ident, $resident:ident, $meaning:literal))* }
        direct { $($direct:tt)* }
    ) => {
        const ELEMENT_WISE: &[Function] = &[$(element_wise!($takes, $function, OpKind::$kind)),*];
    };
    (ONE, $function:literal, $kind:expr) => { unary($function, $kind) };
    ($two:ident, $function:literal, $kind:expr) => { binary($function, $kind, Arguments::Any) };
}

spe_kernels::for_each_operation!(element_wise);

/// The other functions that give a value.
const OTHERS: &[Function] = &[
    // The paper's: two matrices.
    binary("MADD", OpKind::Add, Arguments::Matrices),
    binary("MSUB", OpKind::Subtract, Arguments::Matrices),
    binary("MMUL", OpKind::Multiply, Arguments::Matrices),
    // A matrix and a number.
    binary("SADD", OpKind::Add, Arguments::Scalar),
    binary("SSUB", OpKind::Subtract, Arguments::Scalar),
    binary("SMUL", OpKind::Times, Arguments::Scalar),
    binary("SDIV", OpKind::Divide, Arguments::Scalar),
    binary("SPOW", OpKind::Power, Arguments::Scalar),
    binary("SMOD", OpKind::Mod, Arguments::Scalar),
    binary("SEQ", OpKind::Equal, Arguments::Scalar),
    binary("SNE", OpKind::NotEqual, Arguments::Scalar),
    // Either.
    binary("TIMES", OpKind::Times, Arguments::Any),
    binary("DIVIDE", OpKind::Divide, Arguments::Any),
    binary("POWER", OpKind::Power, Arguments::Any),
    binary("MOD", OpKind::Mod, Arguments::Any),
    binary("EQ", OpKind::Equal, Arguments::Any),
    binary("NE", OpKind::NotEqual, Arguments::Any),
    unary("ABS", OpKind::Abs),
    unary("SIN", OpKind::Sin),
    unary("COS", OpKind::Cos),
    unary("SIGN", OpKind::Sign),
    unary("ROUND", OpKind::Round),
    other("single", (1, 1), Meaning::Convert(Precision::Single)),
    other("double", (1, 1), Meaning::Convert(Precision::Double)),
    other("zeros", (1, 2), Meaning::Zeros),
    other("ones", (1, 2), Meaning::Ones),
    other("eye", (1, 2), Meaning::Eye),
    other("range", (2, 2), Meaning::Range),
    other("rand", (3, 3), Meaning::Rand),
    other("load", (1, 1), Meaning::Load),
    other("copy", (1, 1), Meaning::Copy),
    other("transposed", (1, 1), Meaning::Transposed),
    // Direct operations.
    other("transpose", (1, 1), Meaning::Direct(Direct::Transpose)),
    other("reshape", (3, 3), Meaning::Direct(Direct::Reshape)),
    other("slice", (5, 7), Meaning::Direct(Direct::Slice)),
    other("diagonalof", (1, 2), Meaning::Direct(Direct::DiagonalOf)),
    other("repmat", (3, 3), Meaning::Direct(Direct::Repeat)),
    other("vertcat", (2, 2), Meaning::Direct(Direct::Join(Side::Column))),
    other("horzcat", (2, 2), Meaning::Direct(Direct::Join(Side::Row))),
    other("tril", (1, 2), Meaning::Direct(Direct::Lower)),
    other("triu", (1, 2), Meaning::Direct(Direct::Upper)),
    other("diag", (1, 2), Meaning::Direct(Direct::Diagonal)),
    other("sum", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::Sum))),
    other("prod", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::Product))),
    other("sumsq", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::SumSquares))),
    other("cumsum", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::CumulativeSum))),
    other("any", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::Any))),
    other("all", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::All))),
    other("maximum", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::Maximum))),
    other("minimum", (1, 2), Meaning::Direct(Direct::Reduce(OpKind::Minimum))),
    other("norm", (1, 1), Meaning::Direct(Direct::Norm)),
];

/// All functions that give a value.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    OTHERS.iter().chain(ELEMENT_WISE).filter(|function| !function.name.is_empty())
}

/// The function with this name.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    functions().find(|function| function.name == name)
}

/// Names that are statements.
pub const STATEMENTS: [&str; 3] = ["print", "force", "save"];

/// The number with this name, where there is no such variable.
#[must_use]
pub fn named_number(name: &str) -> Option<f64> {
    Some(match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "Inf" | "inf" => f64::INFINITY,
        "NaN" | "nan" => f64::NAN,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_operation_has_one() {
        for function in functions() {
            assert_eq!(functions().filter(|other| other.name == function.name).count(), 1);
            assert!(!STATEMENTS.contains(&function.name));
        }
        // The last two are recorded for max and min where the shapes ask for them.
        for kind in OpKind::ALL.into_iter().filter(|k| !matches!(k, OpKind::MaxRight | OpKind::MinRight)) {
            let found = functions().any(|function| match function.meaning {
                Meaning::Unary(k) | Meaning::Binary(k, _) => k == kind,
                Meaning::Convert(_) => kind == OpKind::Convert,
                Meaning::Direct(direct) => direct.kind() == kind,
                _ => false,
            });
            assert!(found, "{}", kind.name());
        }
    }
}
