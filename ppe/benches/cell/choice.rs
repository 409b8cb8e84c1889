//! What is measured, by the arguments.

use std::error::Error;

use pmatrix::lang::programs::{NAMES, Size};
use pmatrix::operation::Precision;
use pmatrix::session::{Processor, processor};
use pmatrix::time::ppe::{FACTOR, MOST_FACTOR};

/// The factor of the results, and half and twice the factor.
const PARTS: [f64; 3] = [1.0, 0.5, 2.0];

/// What is measured.
pub(crate) struct Choice {
    size: Size,
    /// "clock" or "sim".
    pub(crate) engine: &'static str,
    pub(crate) precision: Precision,
    pub(crate) processor: Processor,
    spes: Vec<usize>,
    /// Number of Cells that the SPEs are divided among.
    pub(crate) cells: usize,
    /// How much longer the PPE takes than a host.
    pub(crate) factor: f64,
    /// Whether half and twice the factor are tried as well.
    factors: bool,
    /// Indices into the names.
    programs: Vec<usize>,
}

/// A program on a number of SPEs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Run {
    /// Index into the names.
    pub(crate) program: usize,
    pub(crate) spes: usize,
    /// Part of the PPE's factor.
    pub(crate) part: f64,
}

impl Run {
    /// Its program, and the part of the factor.
    pub(crate) fn name(&self) -> String {
        let name = NAMES[self.program];
        match self.part {
            0.5 => format!("{name}/2"),
            2.0 => format!("{name}*2"),
            _ => name.into(),
        }
    }
}

impl Choice {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Choice, Box<dyn Error>> {
        let mut choice = Choice {
            size: Size::Small,
            engine: "",
            precision: Precision::Single,
            processor: Processor::PowerXCell8i,
            spes: Vec::new(),
            cells: 1,
            factor: FACTOR,
            factors: false,
            programs: Vec::new(),
        };
        // Cargo adds this option.
        for argument in arguments.filter(|argument| argument != "--bench") {
            match argument.as_str() {
                "small" => choice.size = Size::Small,
                "paper" => choice.size = Size::Paper,
                "clock" => choice.engine = "clock",
                "sim" => choice.engine = "sim",
                "single" => choice.precision = Precision::Single,
                "double" => choice.precision = Precision::Double,
                "factors" => choice.factors = true,
                "cell" | "celledp" => choice.processor = processor(&argument)?,
                "cells=2" => choice.cells = 2,
                argument if argument.starts_with("ppe=") => {
                    let factor = argument["ppe=".len()..].parse().ok();
                    choice.factor = factor
                        .filter(|factor| (0.0..=MOST_FACTOR).contains(factor))
                        .ok_or_else(|| format!("'{argument}' is no factor from 0 to {MOST_FACTOR}"))?;
                }
                name => match NAMES.iter().position(|&known| known == name) {
                    Some(program) => choice.programs.push(program),
                    None => {
                        let numbers: Result<Vec<usize>, _> = name.split(',').map(str::parse).collect();
                        choice.spes = numbers.ok().filter(|spes| !spes.contains(&0)).ok_or_else(|| {
                            format!(
                                "'{name}' is no size (small, paper), no engine (clock, sim), no precision (single, double), no processor (cell, celledp), no number of Cells (cells=2), no list of numbers of SPEs, no factor (ppe=FACTOR, factors), and none of the programs {}",
                                NAMES.join(", ")
                            )
                        })?;
                    }
                },
            }
        }
        let (engine, spes): (_, &[usize]) = match (choice.size, choice.cells) {
            (_, 2) => ("clock", &[1, 8, 16]),
            (Size::Paper | Size::Cluster, _) => ("clock", &[1, 2, 4, 6, 8, 16]),
            (Size::Small | Size::Tiny, _) => ("sim", &[1, 8]),
        };
        if choice.engine.is_empty() {
            choice.engine = engine;
        }
        if choice.spes.is_empty() {
            choice.spes = spes.to_vec();
        }
        if choice.programs.is_empty() {
            choice.programs = (0..NAMES.len()).collect();
        }
        Ok(choice)
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// What is executed, and how.
    pub(crate) fn title(&self) -> String {
        let engine = match self.engine {
            "clock" => "the virtual clock",
            _ => "simulated SPEs",
        };
        let size = match self.size {
            Size::Paper => "paper's",
            Size::Cluster => "cluster's",
            Size::Small | Size::Tiny => "small",
        };
        let processor = match self.processor {
            Processor::CellBe => "Cell BE",
            Processor::PowerXCell8i => "PowerXCell 8i",
        };
        let cells = if self.cells == 1 { "one Cell" } else { "two Cells" };
        format!(
            "{engine}, {size} size, {} precision, {cells}, SPEs of a {processor}; the PPE takes {:.2} times as long as a host",
            self.precision.name(),
            self.factor
        )
    }

    /// How many runs are executed at a time: a simulation takes all processors.
    pub(crate) fn threads(&self) -> usize {
        match self.engine {
            "clock" => std::thread::available_parallelism().map_or(1, usize::from),
            _ => 1,
        }
    }

    pub(crate) fn runs(&self) -> Vec<Run> {
        let parts = if self.factors && self.factor > 0.0 { &PARTS[..] } else { &PARTS[..1] };
        let runs = self.programs.iter().flat_map(|&program| {
            self.spes.iter().flat_map(move |&spes| parts.iter().map(move |&part| Run { program, spes, part }))
        });
        runs.collect()
    }
}
