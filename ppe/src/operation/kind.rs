//! The kinds of operations, as the table of operations lists them.

/// What an operation takes, in the words of the table of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the table has these words, and C reads it as well")]
enum Takes {
    /// Two matrices, as a product.
    PRODUCT,
    /// One value, element by element.
    ONE,
    /// Two values, element by element, one of which may be a scalar.
    TWO,
    /// The operands of a move or reduction.
    DIRECT,
}

/// The class of a result, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the table has these words, and C reads it as well")]
pub(crate) enum Gives {
    /// The class of the precision in which it is computed. (Moves and reductions have rules of their own.)
    NUMBER,
    /// Logical.
    TRUTH,
    /// Logical if all operands are, else a number.
    EXTREMUM,
}

/// The elements that an operation has a result for, in the words of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    non_camel_case_types,
    clippy::upper_case_acronyms,
    reason = "the table has these words, and C reads it as well"
)]
enum Domain {
    ANY,
    NOT_NAN,
    NOT_NEGATIVE,
    FROM_MINUS_ONE,
    FROM_ONE,
    WITHIN_ONE,
    POWER,
}

/// Makes [`OpKind`] from the table of operations, `operations.def` of the kernels.
macro_rules! kinds {
    (
        elementwise { $(($word:literal, $kind:ident, $function:literal, $conforms:literal, $takes:ident, $gives:ident,
            $domain:ident, $complex:ident, $kernel:ident, $resident:ident, $meaning:literal))* }
        direct { $(($direct_word:literal, $direct:ident, $direct_function:literal, $direct_complex:ident,
            $direct_resident:ident, $direct_meaning:literal))* }
    ) => {
        /// What an operation computes. First come the paper's list (appendix C) and the conversion that mixed
        /// classes need. Then come further element-wise operations of Octave, moves and reductions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum OpKind {
            $(#[doc = $meaning] $kind,)*
            $(#[doc = $direct_meaning] $direct,)*
        }

        impl OpKind {
            /// All kinds, in the order of their numbers.
            pub const ALL: [OpKind; [$(OpKind::$kind,)* $(OpKind::$direct),*].len()] =
                [$(OpKind::$kind,)* $(OpKind::$direct),*];

            /// The word for it in dumps, time models and messages.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $word,)*
                    $(OpKind::$direct => $direct_word,)*
                }
            }

            /// The function of Octave that it computes alone; empty where there is none.
            #[must_use]
            pub fn function(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $function,)*
                    $(OpKind::$direct => $direct_function,)*
                }
            }

            /// What it computes, in words, with code between backticks.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $meaning,)*
                    $(OpKind::$direct => $direct_meaning,)*
                }
            }

            /// How Octave's own message about nonconformant arguments begins.
            #[must_use]
            pub fn octave_name(self) -> &'static str {
                match self {
                    $(OpKind::$kind => $conforms,)*
                    direct => direct.name(),
                }
            }

            fn takes(self) -> Takes {
                match self {
                    $(OpKind::$kind => Takes::$takes,)*
                    _ => Takes::DIRECT,
                }
            }

            pub(crate) fn gives(self) -> Gives {
                match self {
                    $(OpKind::$kind => Gives::$gives,)*
                    _ => Gives::NUMBER,
                }
            }

            /// Whether the program of an SPE executes it.
            pub(super) const fn is_on_spe(self) -> bool {
                match self {
                    $(OpKind::$kind => spe_kernels::is_on_spe(stringify!($resident)),)*
                    $(OpKind::$direct => spe_kernels::is_on_spe(stringify!($direct_resident)),)*
                }
            }

            /// The overlay of an SPE's program that has its code.
            #[must_use]
            pub const fn overlay(self) -> Option<&'static str> {
                match self {
                    $(OpKind::$kind => spe_kernels::overlay(stringify!($resident)),)*
                    $(OpKind::$direct => spe_kernels::overlay(stringify!($direct_resident)),)*
                }
            }

            fn domain_of_elements(self) -> Domain {
                match self {
                    $(OpKind::$kind => Domain::$domain,)*
                    _ => Domain::ANY,
                }
            }
        }
    };
}

spe_kernels::for_each_operation!(kinds);

impl OpKind {
    /// The kind with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<OpKind> {
        OpKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Values that it takes.
    #[must_use]
    pub fn operand_count(self) -> usize {
        if self.is_unary() || (self.is_direct() && self != OpKind::Join) { 1 } else { 2 }
    }

    /// True for element-wise operations on one value.
    #[must_use]
    pub fn is_unary(self) -> bool {
        self.takes() == Takes::ONE
    }

    /// Whether an element may be outside of the operation's domain.
    #[must_use]
    pub fn is_partial(self) -> bool {
        !matches!(self.domain_of_elements(), Domain::ANY)
    }

    /// What is wrong with an element outside of the operation's domain.
    #[must_use]
    pub fn domain(self) -> &'static str {
        match self.domain_of_elements() {
            Domain::POWER => "a negative base with a fractional exponent has a complex result",
            Domain::NOT_NAN => "NaN is neither true nor false",
            Domain::FROM_MINUS_ONE => "a number below -1 has a complex result",
            Domain::WITHIN_ONE => "a number beyond -1 and 1 has a complex result",
            Domain::FROM_ONE => "a number below 1 has a complex result",
            Domain::NOT_NEGATIVE => "a negative number has a complex result",
            Domain::ANY => "every element has a result",
        }
    }

    /// True for element-wise operations that have a kernel on bytes: their results on logical values are
    /// logical.
    #[must_use]
    pub fn is_of_bytes(self) -> bool {
        self.gives() != Gives::NUMBER
    }

    /// True for moves and reductions.
    #[must_use]
    pub fn is_direct(self) -> bool {
        self.takes() == Takes::DIRECT
    }

    /// True for operations that may read elements anywhere in their operand, not only in the region of a
    /// block.
    #[must_use]
    pub fn reads_anywhere(self) -> bool {
        matches!(self, OpKind::View | OpKind::Repeat | OpKind::Diagonal)
    }

    /// True for operations that make one element of a column or row.
    #[must_use]
    pub fn is_reduction(self) -> bool {
        use OpKind::{All, Any, Maximum, Minimum, Product, Sum, SumSquares};
        matches!(self, Sum | Product | SumSquares | Any | All | Maximum | Minimum)
    }

    /// True for operations that read many elements for each element of the result.
    #[must_use]
    pub fn is_sum(self) -> bool {
        self.is_reduction() || self == OpKind::Norm
    }

    /// True for operations that move elements and compute nothing.
    #[must_use]
    pub fn is_move(self) -> bool {
        self.is_direct() && !self.is_sum() && self != OpKind::CumulativeSum
    }

    /// The result of a reduction of no elements; None when the result has no element either.
    pub(crate) fn of_nothing(self) -> Option<f64> {
        match self {
            OpKind::Sum | OpKind::SumSquares | OpKind::Any | OpKind::Norm => Some(0.0),
            OpKind::Product | OpKind::All => Some(1.0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_numbers_in_order() {
        for (number, kind) in OpKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            assert_eq!(OpKind::from_name(kind.name()), Some(kind));
        }
    }
}
