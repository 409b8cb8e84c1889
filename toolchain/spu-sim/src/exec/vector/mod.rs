//! Instructions by the host's own vector instructions. Each function gives exactly the result of the portable
//! definition, or `None` where the portable definition has to be used. `differential` compares the two.

#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::{instruction::decode::Instruction, spu::Registers};

/// What the host offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Host {
    /// Set by [`Host::detect`] only, which makes the calls below sound.
    #[cfg(target_arch = "x86_64")]
    vectors: bool,
}

impl Host {
    /// A host on which nothing but the portable definitions is used.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(crate) const PORTABLE: Host = Host {
        #[cfg(target_arch = "x86_64")]
        vectors: false,
    };

    /// This host.
    pub(crate) fn detect() -> Host {
        #[cfg(target_arch = "x86_64")]
        return Host {
            vectors: is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("movbe"),
        };
        #[cfg(not(target_arch = "x86_64"))]
        Host::PORTABLE
    }

    /// Whether the instructions of x86-64 level 3 are there.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub(crate) fn has_vectors(self) -> bool {
        self.vectors
    }
}

/// What is computed from three operands; a constant parameter of the functions below.
pub(super) mod sum {
    /// `a + b`.
    pub(crate) const ADD: u8 = 0;
    /// `a - b`.
    pub(crate) const SUBTRACT: u8 = 1;
    /// `a * b`.
    pub(crate) const PRODUCT: u8 = 2;
    /// `a * b + c`.
    pub(crate) const PRODUCT_PLUS: u8 = 3;
    /// `a * b - c`.
    pub(crate) const PRODUCT_MINUS: u8 = 4;
    /// `c - a * b`.
    pub(crate) const MINUS_PRODUCT: u8 = 5;
    /// `-(a * b + c)`; double precision only.
    pub(crate) const NEGATED_PRODUCT_PLUS: u8 = 6;
}

/// `shufb`; false, without an effect, if the host has no vector instructions.
#[inline(always)]
pub(super) fn shuffle_bytes(host: Host, registers: &mut Registers, i: &Instruction) -> bool {
    #[cfg(target_arch = "x86_64")]
    if host.has_vectors() {
        // SAFETY: the host has AVX2.
        unsafe { x86_64::shuffle_bytes(registers, i) };
        return true;
    }
    let _ = (host, registers, i);
    false
}

/// Single-precision arithmetic on all lanes, if it raises no flag in any; whether that is so.
#[inline(always)]
pub(super) fn single<const SUM: u8>(host: Host, registers: &mut Registers, i: &Instruction) -> bool {
    #[cfg(target_arch = "x86_64")]
    if host.has_vectors() {
        // SAFETY: the host has AVX2 and FMA.
        return unsafe { x86_64::single::<SUM>(registers, i) };
    }
    let _ = (host, registers, i);
    false
}

/// Double-precision arithmetic on both slices, rounded to nearest. Gives whether each slice is inexact (bit 0
/// for the right slice) if `inexact_matters`. Does nothing and gives `None` if another flag may have to be
/// raised, or if it is not known whether the result is exact.
#[inline(always)]
pub(super) fn double<const SUM: u8>(
    host: Host,
    registers: &mut Registers,
    i: &Instruction,
    inexact_matters: bool,
) -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    if host.has_vectors() {
        // SAFETY: the host has AVX2 and FMA.
        return unsafe { x86_64::double::<SUM>(registers, i, inexact_matters) };
    }
    let _ = (host, registers, i, inexact_matters);
    None
}
