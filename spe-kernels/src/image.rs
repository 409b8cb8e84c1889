//! The MEU as a program for an SPE, as this build of the crate has embedded it.

/// On the boundary of an MFC's line, so that a local store can be filled by DMA.
#[repr(C, align(128))]
struct Lines<T: ?Sized>(T);

include!(concat!(env!("OUT_DIR"), "/images.rs"));

/// A processor that an SPE has. They differ in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Processor {
    /// That of the Cell Broadband Engine (PlayStation 3, QS20, QS21).
    CellBe,
    /// The PowerXCell 8i's (QS22).
    PowerXCell8i,
}

/// There is no image, because the crate was built without a compiler for SPEs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this build has no MEU image for an SPE: when it was made, {reason}. `toolchain/spu-gcc.sh` finds or builds the compiler; \
     build again with SPU_PREFIX set to the directory that it prints"
)]
pub struct MissingImage {
    reason: &'static str,
}

/// The MEU for a processor: an SPU ELF file, aligned to 128 bytes.
///
/// # Errors
/// [`MissingImage`] says what was missing when this crate was built.
pub fn image(processor: Processor) -> Result<&'static [u8], MissingImage> {
    let image = match processor {
        Processor::CellBe => CELL,
        Processor::PowerXCell8i => CELLEDP,
    };
    image.map(|lines| &lines.0).map_err(|reason| MissingImage { reason })
}

/// The overlays of this image, which the MEU fetches from main memory: code for the overlay area of its local
/// store, `MEU_OVERLAY_BYTES` each, in the order of `include/overlays.def`, aligned to 128 bytes.
///
/// # Errors
/// [`MissingImage`] says what was missing when this crate was built.
pub fn overlays(processor: Processor) -> Result<&'static [u8], MissingImage> {
    let overlays = match processor {
        Processor::CellBe => CELL_OVERLAYS,
        Processor::PowerXCell8i => CELLEDP_OVERLAYS,
    };
    overlays.map(|lines| &lines.0).map_err(|reason| MissingImage { reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys;

    #[test]
    fn images_are_aligned_or_missing_with_a_reason() {
        for processor in [Processor::CellBe, Processor::PowerXCell8i] {
            match image(processor) {
                Ok(image) => {
                    assert!(image.as_ptr().addr().is_multiple_of(128) && image.starts_with(b"\x7fELF"));
                    let overlays = overlays(processor).unwrap();
                    assert!(overlays.as_ptr().addr().is_multiple_of(128));
                    let count = sys::MEU_RESIDENCE_END - sys::MEU_RESIDENCE_SPE - 1;
                    assert_eq!(overlays.len(), (count * sys::MEU_OVERLAY_BYTES) as usize);
                }
                Err(missing) => {
                    assert!(missing.to_string().contains("spu-gcc.sh"));
                    assert!(std::env::var("REQUIRE_ALL").is_err(), "{missing}");
                }
            }
        }
    }
}
