//! The matrix products of an SPE, as defined for every shape and pad.

#[path = "spu/mod.rs"]
mod spu;

use std::path::Path;

use spu_sim::spu::Unobserved;

const PRODUCTS: spu::Program =
    spu::Program { name: "products", objects: &["multiply", "multiply_single", "multiply_double"] };

#[test]
fn products_of_an_spe_are_as_defined() {
    for (cpu, processor) in spu::PROCESSORS {
        let Some(image) = spu::build(PRODUCTS, processor, Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
            return;
        };
        assert_eq!(spu::run(&image, cpu, false, &mut Unobserved), Ok(0), "{processor}");
    }
}
