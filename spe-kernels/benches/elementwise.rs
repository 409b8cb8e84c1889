//! What an element-wise operation costs on an SPE, in cycles of the simulated pipeline an element.

#[path = "../tests/spu/mod.rs"]
mod spu;

use std::path::Path;

use spu_sim::timing::pipeline::Pipeline;

const ELEMENTWISE: spu::Program = spu::Program {
    name: "elementwise",
    objects: &[
        "reduce",
        "vec",
        "divide",
        "sqrt",
        "mod",
        "rem",
        "root",
        "extrema",
        "trigonometry",
        "power",
        "arc",
        "cube_root",
        "error",
        "exponential",
        "logarithm",
        "logic",
        "turns",
        "arithmetic",
        "rounding",
        "run",
        "sign",
    ],
};

fn main() {
    for (cpu, processor) in spu::PROCESSORS {
        let Some(image) = spu::build(ELEMENTWISE, processor, Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
            return;
        };
        println!("{processor}");
        let status = spu::run(&image, cpu, true, &mut Pipeline::new(cpu));
        assert_eq!(status, Ok(0), "{processor}");
    }
}
