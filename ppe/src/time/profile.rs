//! Measured stage times, and the care that they need before a model may be fitted to them.
//!
//! The first sample of each size is dropped, because caches are cold. Of at least [`SAMPLES`] further samples
//! the median counts. A fit is refused when the sizes hardly differ.

use std::collections::BTreeMap;

use super::fit::{Sample, least_squares};
use super::{BlockSize, Coefficients, StageTimes, TERMS, TimeModel, execute_terms, transfer_terms};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Precision};

/// Samples of each size that a fit asks for, not counting the first one.
pub const SAMPLES: usize = 10;

/// Stage times collected by size.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    samples: BTreeMap<Key, (BlockSize, Vec<StageTimes>)>,
}

type Key = (u8, u8, (u16, u16), [(u16, u16); 2]);

/// The sizes to measure for one kind and precision: square blocks, blocks that are thin on either side, and
/// blocks with odd sides. A direct operation has one operand: a view transposes it, and a reduction reduces
/// its columns.
#[must_use]
pub fn sizes(kind: OpKind, precision: Precision, side: u16) -> Vec<BlockSize> {
    let step = (side / 6).max(1);
    let lengths: Vec<u16> = (1..=6).map(|n| n * step).chain([1, side]).collect();
    let mut sizes = Vec::new();
    for &rows in &lengths {
        for &columns in &lengths {
            let inners: &[u16] = if kind == OpKind::Multiply { &[1, step, 3 * step, side] } else { &[0] };
            for &inner in inners {
                let result = match kind {
                    OpKind::Norm => (1, 1),
                    kind if kind.is_reduction() => (1, columns),
                    _ => (rows, columns),
                };
                let operands = match (kind, kind.is_unary() || kind.is_direct()) {
                    (OpKind::View, _) => [(columns, rows), (0, 0)],
                    (OpKind::Diagonal, _) => [(rows, 1), (0, 0)],
                    (OpKind::Multiply, _) => [(rows, inner), (inner, columns)],
                    (_, true) => [(rows, columns), (0, 0)],
                    (_, false) => [(rows, columns); 2],
                };
                let operand_precision = match (kind, precision) {
                    (OpKind::Convert, Precision::Single) => Precision::Double,
                    (OpKind::Convert, Precision::Double) => Precision::Single,
                    (_, precision) => precision,
                };
                sizes.push(BlockSize { kind, precision, operand_precision, result, operands, products: 1 });
            }
        }
    }
    sizes
}

impl Profile {
    /// Adds one measurement.
    pub fn add(&mut self, size: BlockSize, times: StageTimes) {
        let key = (size.kind as u8, size.precision as u8, size.result, size.operands);
        self.samples.entry(key).or_insert_with(|| (size, Vec::new())).1.push(times);
    }

    /// Median times of each size.
    ///
    /// # Errors
    /// [`Error::Argument`] when a size has fewer than [`SAMPLES`] samples after the first.
    fn medians(&self) -> Result<Vec<(BlockSize, StageTimes)>> {
        let mut medians = Vec::with_capacity(self.samples.len());
        for (size, samples) in self.samples.values() {
            let kept = samples.get(1..).unwrap_or_default();
            if kept.len() < SAMPLES {
                let (rows, columns) = size.result;
                let kind = size.kind.name();
                return Err(Error::Argument(format!(
                    "{} samples of {kind} {rows}x{columns}: {SAMPLES} are needed after the first",
                    kept.len()
                )));
            }
            let median = |stage: fn(&StageTimes) -> u64| {
                let mut times: Vec<u64> = kept.iter().map(stage).collect();
                times.sort_unstable();
                times[times.len() / 2]
            };
            medians.push((
                *size,
                StageTimes { df: median(|t| t.df), ex: median(|t| t.ex), wb: median(|t| t.wb) },
            ));
        }
        Ok(medians)
    }

    /// Fits a model. A kind without measurements takes its times from the model `others`.
    ///
    /// # Errors
    /// [`Error::Argument`] when a stage has too few samples, or sizes that do not differ enough.
    pub fn fit(&self, others: &TimeModel) -> Result<TimeModel> {
        let medians = self.medians()?;
        let mut fetch = [[0.0; TERMS]; 2];
        let mut write = [[0.0; TERMS]; 2];
        let mut execute = [[[0.0; TERMS]; 2]; OpKind::ALL.len()];
        for precision in Precision::ALL {
            let p = precision as usize;
            // A direct operation is executed in main memory, so it has no transfers to fit.
            let transferred = || medians.iter().filter(|(size, _)| !size.kind.is_direct());
            let fetches = transferred().filter(|(size, _)| size.operand_precision == precision);
            fetch[p] = fit_stage(
                "fetch",
                fetches.map(|(size, times)| {
                    let mut terms = [0.0; TERMS];
                    for &operand in size.operands.iter().filter(|o| o.0 > 0) {
                        terms
                            .iter_mut()
                            .zip(transfer_terms(operand, precision))
                            .for_each(|(sum, term)| *sum += term);
                    }
                    (terms, times.df as f64)
                }),
            )?;
            let writes = transferred().filter(|(size, _)| size.precision == precision);
            write[p] = fit_stage(
                "write",
                writes.map(|(size, times)| (transfer_terms(size.result, precision), times.wb as f64)),
            )?;
            for kind in OpKind::ALL {
                if medians.iter().all(|(size, _)| size.kind != kind) {
                    execute[kind as usize][p] = others.execute[kind as usize][p];
                    continue;
                }
                let runs =
                    medians.iter().filter(|(size, _)| size.kind == kind && size.precision == precision);
                let samples = runs.map(|(size, times)| (execute_terms(size), times.ex as f64));
                execute[kind as usize][p] = fit_stage(kind.name(), samples)?;
            }
        }
        Ok(TimeModel { fetch, write, execute })
    }
}

fn fit_stage(name: &str, samples: impl Iterator<Item = Sample>) -> Result<Coefficients> {
    let samples: Vec<Sample> = samples.collect();
    let work = |sample: &Sample| sample.0[1].max(sample.0[2]);
    let most = samples.iter().map(work).fold(0.0, f64::max);
    let least = samples.iter().map(work).fold(f64::INFINITY, f64::min);
    if least >= 0.9 * most {
        return Err(Error::Argument(format!(
            "the measured sizes of {name} hardly differ: no model can be fitted"
        )));
    }
    least_squares(&samples)
        .ok_or_else(|| Error::Argument(format!("the measurements of {name} do not determine a model")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(rounds: usize) -> Profile {
        let mut profile = Profile::default();
        for round in 0..rounds {
            for kind in OpKind::ALL {
                for precision in Precision::ALL {
                    for size in sizes(kind, precision, 96) {
                        let elements = u64::from(size.result.0) * u64::from(size.result.1);
                        let outlier = if round == 3 { 1_000_000 } else { 0 };
                        let cold = if round == 0 { 500_000 } else { 0 };
                        let ex = match kind {
                            OpKind::Multiply => 500 + elements * u64::from(size.operands[0].1) / 8,
                            _ => 100 + 2 * elements,
                        };
                        let df: u64 =
                            size.operands.iter().filter(|o| o.0 > 0).map(|o| 200 + 3 * u64::from(o.1)).sum();
                        let wb = 150 + 2 * u64::from(size.result.1);
                        profile.add(size, StageTimes { df, ex: ex + outlier + cold, wb });
                    }
                }
            }
        }
        profile
    }

    #[test]
    fn cold_samples_and_outliers_do_not_count() {
        let model = measured(SAMPLES + 1).fit(&TimeModel::of_host().unwrap()).unwrap();
        let [a0, a1, ..] = model.execute[OpKind::Add as usize][0];
        assert!((a0 - 100.0).abs() < 1.0 && (a1 - 2.0).abs() < 0.01, "{a0} {a1}");
        let [b0, b1, b2, _] = model.fetch[1];
        assert!((b0 - 200.0).abs() < 1.0 && b1.abs() < 0.1 && (b2 - 3.0).abs() < 0.1, "{b0} {b1} {b2}");
    }

    #[test]
    fn too_few_samples_and_equal_sizes_are_refused() {
        assert!(
            measured(SAMPLES)
                .fit(&TimeModel::of_host().unwrap())
                .unwrap_err()
                .to_string()
                .contains("are needed after the first")
        );
        let mut profile = measured(0);
        let size = sizes(OpKind::Add, Precision::Single, 96)[0];
        for _ in 0..=SAMPLES {
            profile.add(size, StageTimes { df: 1, ex: 1, wb: 1 });
        }
        assert!(
            profile.fit(&TimeModel::of_host().unwrap()).unwrap_err().to_string().contains("hardly differ")
        );
    }
}
