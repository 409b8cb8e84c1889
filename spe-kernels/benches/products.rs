//! What a product of two blocks costs on an SPE, in cycles of the simulated pipeline.

#[path = "../tests/spu/mod.rs"]
mod spu;

use std::path::Path;

use spu_sim::timing::pipeline::Pipeline;

const PRODUCTS: spu::Program =
    spu::Program { name: "products", objects: &["multiply", "multiply_single", "multiply_double"] };

fn main() {
    for (cpu, processor) in spu::PROCESSORS {
        let Some(image) = spu::build(PRODUCTS, processor, Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
            return;
        };
        println!("{processor}");
        let status = spu::run(&image, cpu, true, &mut Pipeline::new(cpu));
        assert_eq!(status, Ok(0), "{processor}");
    }
}
