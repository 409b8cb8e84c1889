//! From measured times to a model: which measurements determine which row, and how well the model meets each of
//! them.

use super::fit::{Sample, least_squares, least_squares_from_0};
use super::memory::Memory;
use super::profile::{Profile, Times};
use super::terms::{Coefficients, Machine, Strips, TERMS, execute_terms, lines, transfer_terms};
use super::trials::{OF_PROGRAMS, Trial};
use super::{BlockSize, Row, TimeModel};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Precision};

/// Of a time from which a known part is taken, as much is left at least. Errors are relative, so a time near 0 would
/// decide a fit alone.
const LEAST_LEFT: f64 = 0.1;

/// What a model says of a trial, and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The trial in words.
    pub trial: String,
    /// What the model says, in nanoseconds.
    pub predicted: f64,
    /// What was measured, in nanoseconds.
    pub measured: f64,
}

impl Point {
    /// How far the prediction is from the measurement, as a share of the measurement.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        (self.predicted - self.measured) / self.measured.max(1.0)
    }
}

/// How well a row of a model meets its measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Met {
    /// The row: a kind of operation, fetch, write, or turn.
    pub row: &'static str,
    /// Precision.
    pub precision: Precision,
    /// Every measurement.
    pub points: Vec<Point>,
}

impl Met {
    /// The coefficient of determination: the share of the measurements' variance that the model explains.
    #[must_use]
    pub fn r_squared(&self) -> f64 {
        let mean = self.points.iter().map(|point| point.measured).sum::<f64>() / self.points.len() as f64;
        let sum = |of: fn(&Point, f64) -> f64| self.points.iter().map(|point| of(point, mean)).sum::<f64>();
        let left = sum(|point, _| (point.measured - point.predicted).powi(2));
        let all = sum(|point, mean| (point.measured - mean).powi(2));
        if all > 0.0 { 1.0 - left / all } else { 1.0 }
    }

    /// The median and the largest of the deviations' sizes.
    #[must_use]
    pub fn median_and_worst(&self) -> (f64, f64) {
        let mut sizes: Vec<f64> = self.points.iter().map(|point| point.deviation().abs()).collect();
        sizes.sort_by(f64::total_cmp);
        (sizes.get(sizes.len() / 2).copied().unwrap_or(0.0), sizes.last().copied().unwrap_or(0.0))
    }
}

impl Profile {
    /// Fits a model for a machine with this memory. A kind without measurements takes its times from the model
    /// `others`.
    ///
    /// # Errors
    /// [`Error::Argument`] when the measurements do not determine a row.
    pub fn fit(&self, others: &TimeModel, memory: Option<Memory>) -> Result<TimeModel> {
        let nothing: Row = [[0.0; TERMS]; 2];
        let mut model = TimeModel {
            memory,
            fetch: nothing,
            write: nothing,
            turn: nothing,
            part: nothing,
            program: nothing,
            in_memory: nothing,
            execute: others.execute,
        };
        for precision in Precision::ALL {
            let p = precision as usize;
            model.fetch[p] = self.fit_transfers("fetch", precision, memory)?;
            model.write[p] = self.fit_transfers("write", precision, memory)?;
            self.fit_programs(precision, &mut model)?;
            self.fit_in_memory(precision, &mut model)?;
            for kind in OpKind::ALL.into_iter().filter(|&kind| kind != OF_PROGRAMS) {
                let samples: Vec<Sample> =
                    self.stages_of(kind, precision).map(|(size, times)| model.sample(&size, times)).collect();
                if !samples.is_empty() {
                    model.execute[kind as usize][p] = solve(model.machine(), kind.name(), &samples)?;
                }
            }
            self.fit_own_work(precision, &mut model);
        }
        Ok(model)
    }

    fn stages_of(&self, kind: OpKind, precision: Precision) -> impl Iterator<Item = (BlockSize, Times)> {
        self.trials.iter().filter_map(move |&(trial, times)| match trial {
            Trial::Stages(size) if (size.kind, size.precision) == (kind, precision) => Some((size, times)),
            _ => None,
        })
    }

    /// What an MEU does for transfers, beside what the MFC takes.
    fn fit_transfers(
        &self,
        row: &'static str,
        precision: Precision,
        memory: Option<Memory>,
    ) -> Result<Coefficients> {
        let samples: Vec<Sample> = self
            .transfers(Machine::of(memory.as_ref()), row, precision)
            .map(|(blocks, time)| {
                let mut terms = transfer_terms(blocks.iter().copied(), precision);
                // Each of these operations writes one block.
                if row == "write" {
                    terms[1] = 0.0;
                }
                let Some(memory) = memory else { return (terms, time) };
                terms[3] = 0.0;
                (terms, (time - moved_ns(memory, row, &blocks, precision)).max(1.0))
            })
            .collect();
        solve(Machine::of(memory.as_ref()), row, &samples)
    }

    /// Blocks and times of all fetches or write backs of operations in a local store, in one precision.
    fn transfers(
        &self,
        machine: Machine,
        row: &'static str,
        precision: Precision,
    ) -> impl Iterator<Item = (Vec<(u16, u16)>, f64)> {
        // Moves and reductions may be executed in main memory, and products of a host are. The second product of a
        // chain is fetched while the first is executed.
        let has_transfers = move |size: &BlockSize| {
            let in_memory = machine == Machine::Host && size.kind == OpKind::Multiply;
            !size.kind.is_direct() && !in_memory && size.products == 1
        };
        self.trials.iter().filter_map(move |&(trial, times)| match trial {
            Trial::Stages(size) if has_transfers(&size) => match row {
                "fetch" if size.operand_precision == precision => {
                    Some((size.operands.into_iter().filter(|operand| operand.0 > 0).collect(), times.df))
                }
                "write" if size.precision == precision => Some((vec![size.result], times.wb)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The work of programs, and the steps of which the measured programs consist.
    fn fit_programs(&self, precision: Precision, model: &mut TimeModel) -> Result<()> {
        let machine = model.machine();
        let both = |strips: &Strips, steps: f64, by_column: f64| {
            let ([a, b, c, ..], [d, e, f, ..]) =
                (strips.program_terms(by_column), strips.step_terms(OF_PROGRAMS));
            let rest = if machine == Machine::Host { 0.0 } else { steps * f };
            [a, b, c, steps * d, steps * e, rest]
        };
        let mut samples: Vec<Sample> = Vec::new();
        for (size, times) in self.stages_of(OF_PROGRAMS, precision) {
            samples.push((both(&Strips::new(size.result, precision, true, 1), 1.0, 0.0), times.ex));
        }
        for (trial, times) in &self.trials {
            if let (Trial::Program { steps, repeated, .. }, Some(strips)) = (trial, trial.strips())
                && trial.kind().1 == precision
            {
                let steps = f64::from(*steps);
                samples.push((both(&strips, steps, if *repeated { steps } else { 0.0 }), times.ex));
            }
        }
        if !samples.is_empty() {
            let [a, b, c, d, e, f] = solve(model.machine(), "program", &samples)?;
            model.program[precision as usize] = [a, b, c, 0.0, 0.0, 0.0];
            model.execute[OF_PROGRAMS as usize][precision as usize] = [d, e, f, 0.0, 0.0, 0.0];
        }
        Ok(())
    }

    /// What programs take in main memory beside their execution.
    fn fit_in_memory(&self, precision: Precision, model: &mut TimeModel) -> Result<()> {
        let mut samples: Vec<Sample> = Vec::new();
        for (trial, times) in &self.trials {
            if let Trial::InMemory(size) = trial
                && size.precision == precision
            {
                let operands = size.operands.into_iter().filter(|operand| operand.0 > 0);
                let mut terms = transfer_terms(operands.chain([size.result]), precision);
                // Each of these operations has three blocks.
                terms[1] = 0.0;
                let own = model.execution_ns(size, false) + model.around_ns(size);
                samples.push((terms, (times.ex - own).max(LEAST_LEFT * times.ex)));
            }
        }
        if !samples.is_empty() {
            model.in_memory[precision as usize] = solve(model.machine(), "in-memory", &samples)?;
        }
        Ok(())
    }

    /// What an MEU does between stages: the part of streams and chains that nothing else explains.
    fn fit_own_work(&self, precision: Precision, model: &mut TimeModel) {
        let p = precision as usize;
        let (mut turns, mut parts) = (Vec::new(), Vec::new());
        for &(trial, times) in &self.trials {
            match trial {
                Trial::Stream(size) if size.precision == precision => {
                    turns.push(times.ex - model.stream_ns(&size));
                }
                Trial::Part(size) if size.precision == precision => {
                    let columns = size.operands.iter().map(|operand| f64::from(operand.1)).sum();
                    let left = times.ex - model.execution_ns(&size, true);
                    parts.push(([1.0, columns, 0.0, 0.0, 0.0, 0.0], left.max(1.0)));
                }
                _ => {}
            }
        }
        turns.sort_by(f64::total_cmp);
        if let Some(&median) = turns.get(turns.len() / 2) {
            model.turn[p][0] = median.max(0.0);
        }
        if let Some(part) = least_squares(&parts) {
            model.part[p] = part;
        }
    }

    /// How well a model meets all measurements, row by row.
    #[must_use]
    pub fn met(&self, model: &TimeModel) -> Vec<Met> {
        let mut all = Vec::new();
        for precision in Precision::ALL {
            for row in ["fetch", "write"] {
                let coefficients =
                    if row == "fetch" { &model.fetch } else { &model.write }[precision as usize];
                let point = |(blocks, measured): (Vec<(u16, u16)>, f64)| {
                    let terms = transfer_terms(blocks.iter().copied(), precision);
                    let moved = model.memory.map(|memory| moved_ns(memory, row, &blocks, precision));
                    let predicted = super::evaluate(&coefficients, &terms) + moved.unwrap_or(0.0);
                    let trial = blocks.iter().map(|(rows, columns)| format!("{rows}x{columns}"));
                    Point { trial: trial.collect::<Vec<_>>().join(" and "), predicted, measured }
                };
                let points = self.transfers(model.machine(), row, precision).map(point).collect();
                all.push(Met { row, precision, points });
            }
        }
        for kind in OpKind::ALL {
            for precision in Precision::ALL {
                let of_kind = self.trials.iter().filter(|(trial, _)| trial.kind() == (kind, precision));
                let points = of_kind
                    .map(|(trial, times)| Point {
                        trial: trial.text(),
                        predicted: model.predicted_ns(trial),
                        measured: times.ex,
                    })
                    .collect();
                all.push(Met { row: kind.name(), precision, points });
            }
        }
        all.retain(|met| !met.points.is_empty());
        all
    }
}

impl TimeModel {
    /// The terms of an execution, and its time less what the program around it takes.
    fn sample(&self, size: &BlockSize, times: Times) -> Sample {
        let accumulates = size.products > 1;
        let mut terms = execute_terms(self.machine(), size, accumulates);
        // Kernels of a host have no turns.
        if self.machine() == Machine::Host && !size.kind.is_direct() && size.kind != OpKind::Multiply {
            terms[2] = 0.0;
        }
        (terms, (times.ex - self.around_ns(size)).max(LEAST_LEFT * times.ex))
    }

    /// What the program around a single step takes.
    fn around_ns(&self, size: &BlockSize) -> f64 {
        match size.kind {
            OpKind::Multiply | OpKind::Convert => 0.0,
            kind if kind.is_direct() => 0.0,
            _ => self.program_ns(size.precision, &Strips::new(size.result, size.precision, true, 1), 0.0),
        }
    }

    /// What each product of a long stream takes.
    fn stream_ns(&self, size: &BlockSize) -> f64 {
        match self.machine() {
            Machine::Spe => self.estimate(size).ex as f64,
            Machine::Host => self.estimate_in_memory(size).ex as f64,
        }
    }

    fn predicted_ns(&self, trial: &Trial) -> f64 {
        match *trial {
            Trial::Stages(size) => self.execution_ns(&size, size.products > 1) + self.around_ns(&size),
            Trial::Program { precision, steps, repeated, sides } => {
                let strips = Strips::new(sides, precision, !repeated, steps.into());
                let steps = f64::from(steps);
                self.program_ns(precision, &strips, if repeated { steps } else { 0.0 })
                    + steps * self.step_ns(precision, &strips, OF_PROGRAMS)
            }
            Trial::InMemory(size) => {
                let operands = size.operands.into_iter().filter(|operand| operand.0 > 0);
                let around = self.blocks_in_memory_ns(
                    (operands, size.precision),
                    (std::iter::once(size.result), size.precision),
                );
                self.execution_ns(&size, false) + self.around_ns(&size) + around
            }
            Trial::Stream(size) => self.stream_ns(&size),
            Trial::Part(size) => {
                let columns = size.operands.iter().map(|operand| f64::from(operand.1)).sum();
                self.execution_ns(&size, true) + self.part_ns(size.precision, columns)
            }
        }
    }
}

/// What the MFC takes for these blocks; before a fetch it fetches the record.
fn moved_ns(memory: Memory, row: &str, blocks: &[(u16, u16)], precision: Precision) -> f64 {
    let columns = blocks.iter().map(|block| f64::from(block.1)).sum();
    let record = if row == "fetch" { memory.alone_ns(0.0, 1.0) } else { 0.0 };
    record + memory.alone_ns(columns, blocks.iter().map(|&block| lines(block, precision)).sum())
}

fn solve(machine: Machine, name: &str, samples: &[Sample]) -> Result<Coefficients> {
    let solution = match machine {
        Machine::Spe => least_squares(samples),
        Machine::Host => least_squares_from_0(samples),
    };
    solution.ok_or_else(|| Error::Argument(format!("the measurements of {name} do not determine a model")))
}

#[cfg(test)]
mod tests {
    use super::super::memory::tests::MEMORY;
    use super::super::profile::SAMPLES;
    use super::super::tests::model;
    use super::super::trials::trials;
    use super::*;

    /// What would be measured on a machine that is as the model says.
    fn measured(model: &TimeModel) -> Profile {
        let mut profile = Profile::default();
        for kind in OpKind::ALL {
            for precision in Precision::ALL {
                for trial in trials(model.machine(), kind, precision, 96) {
                    let transfer = |row, coefficients: &Row, precision: Precision, blocks: &[(u16, u16)]| {
                        let terms = transfer_terms(blocks.iter().copied(), precision);
                        let moved =
                            model.memory.map_or(0.0, |memory| moved_ns(memory, row, blocks, precision));
                        super::super::evaluate(&coefficients[precision as usize], &terms) + moved
                    };
                    let (df, wb) = match trial {
                        // A host executes products in main memory.
                        Trial::Stages(size) if model.memory.is_some() || size.kind != OpKind::Multiply => {
                            let blocks: Vec<_> = size.operands.into_iter().filter(|o| o.0 > 0).collect();
                            (
                                transfer("fetch", &model.fetch, size.operand_precision, &blocks),
                                transfer("write", &model.write, size.precision, &[size.result]),
                            )
                        }
                        _ => (0.0, 0.0),
                    };
                    let times = Times { df, ex: model.predicted_ns(&trial), wb };
                    profile.add(trial, &[times; SAMPLES + 1]).unwrap();
                }
            }
        }
        profile
    }

    #[test]
    fn a_machine_that_is_as_a_model_says_has_this_model() {
        for memory in [None, Some(MEMORY)] {
            let mut machine = TimeModel { memory, ..model() };
            // One block is written: its constant and the operation's are one. With an MFC no line has a cost.
            machine.write = [[44.0, 0.0, 1.0, 1.0, 0.0, 0.0]; 2];
            if memory.is_some() {
                machine.fetch.iter_mut().chain(&mut machine.write).for_each(|row| row[3] = 0.0);
            }
            let profile = measured(&machine);
            let fitted = profile.fit(&model(), memory).unwrap();
            for met in profile.met(&fitted) {
                let (median, worst) = met.median_and_worst();
                let of = (met.row, met.precision.name());
                assert!(median < 1e-6 && worst < 0.01, "{of:?}: {median} {worst}");
                assert!(met.r_squared() > 0.999, "{of:?}");
            }
            let (fitted, machine) = (fitted.fetch[0], machine.fetch[0]);
            assert!(fitted.iter().zip(machine).all(|(a, b)| (a - b).abs() < 1e-3), "{fitted:?}");
        }
    }

    #[test]
    fn equal_sizes_determine_nothing() {
        let trial = trials(Machine::Host, OpKind::Abs, Precision::Single, 96)[3];
        let mut profile = Profile::default();
        for _ in 0..3 {
            profile.add(trial, &[Times { df: 1.0, ex: 1.0, wb: 1.0 }; SAMPLES + 1]).unwrap();
        }
        let error = profile.fit(&model(), None).unwrap_err().to_string();
        assert!(error.contains("the measurements of fetch do not determine a model"), "{error}");
    }
}
