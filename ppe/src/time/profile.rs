//! Measured times, and the care that they need before a model may be fitted to them.
//!
//! The first sample of each trial is dropped, because caches are cold. Of the further samples the
//! mean of the middle half counts: clocks tick, so a mean is finer than a median. Samples far from it are named as
//! outliers.

use super::StageTimes;
use super::trials::Trial;
use crate::error::{Error, Result};

/// Samples of each trial, not counting the first one.
pub const SAMPLES: usize = 40;

/// As [`SAMPLES`], where time is virtual: samples differ by the phase of the clock that an SPE reads, and by nothing
/// else. A fit asks for as many.
pub const VIRTUAL_SAMPLES: usize = 3;

/// A sample is an outlier when it differs from the mean by more than this share, and by more than
/// [`OUTLIER_NS`].
const OUTLIER_SHARE: f64 = 0.5;

/// Two ticks of the slowest clock that is read.
const OUTLIER_NS: f64 = 150.0;

/// The times of a trial in nanoseconds. A stream and a part have one time, in `ex`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Data fetch.
    pub df: f64,
    /// Execution.
    pub ex: f64,
    /// Write back.
    pub wb: f64,
}

impl From<StageTimes> for Times {
    fn from(times: StageTimes) -> Times {
        Times { df: times.df as f64, ex: times.ex as f64, wb: times.wb as f64 }
    }
}

/// Times of all trials.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// Each trial with the mean of its samples.
    pub(super) trials: Vec<(Trial, Times)>,
    /// Trials with samples that were far from the mean, in words.
    pub outliers: Vec<String>,
}

impl Profile {
    /// Adds the samples of a trial, in their order.
    ///
    /// # Errors
    /// [`Error::Argument`] when there are fewer than [`VIRTUAL_SAMPLES`] after the first.
    pub fn add(&mut self, trial: Trial, samples: &[Times]) -> Result<()> {
        let kept = samples.get(1..).unwrap_or_default();
        if kept.len() < VIRTUAL_SAMPLES {
            return Err(Error::Argument(format!(
                "{} samples of {} {}: {VIRTUAL_SAMPLES} are needed after the first",
                kept.len(),
                trial.kind().0.name(),
                trial.text()
            )));
        }
        let mut far = 0;
        let mut mean = |stage: fn(&Times) -> f64| {
            let mut times: Vec<f64> = kept.iter().map(stage).collect();
            times.sort_by(f64::total_cmp);
            let middle = &times[times.len() / 4..times.len() - times.len() / 4];
            let mean = middle.iter().sum::<f64>() / middle.len() as f64;
            let limit = OUTLIER_NS.max(OUTLIER_SHARE * mean);
            far += times.iter().filter(|&&time| (time - mean).abs() > limit).count();
            mean
        };
        let times = Times { df: mean(|t| t.df), ex: mean(|t| t.ex), wb: mean(|t| t.wb) };
        if far > 0 {
            let (kind, precision) = trial.kind();
            let of = kept.len();
            let (kind, precision, text) = (kind.name(), precision.name(), trial.text());
            self.outliers.push(format!("{kind} {precision} {text}: {far} times of {of} samples"));
        }
        self.trials.push((trial, times));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::Machine;
    use super::*;
    use crate::operation::{OpKind, Precision};
    use crate::time::trials::trials;

    #[test]
    fn cold_samples_and_outliers_do_not_count_and_are_named() {
        let trial = trials(Machine::Spe, OpKind::Abs, Precision::Single, 48)[3];
        let mut samples = vec![Times { df: 100.0, ex: 1000.0, wb: 50.0 }; SAMPLES + 1];
        samples[0].ex = 50_000.0;
        samples[1].ex = 1010.0;
        let mut profile = Profile::default();
        profile.add(trial, &samples).unwrap();
        assert!(profile.outliers.is_empty(), "{:?}", profile.outliers);
        samples[4].ex = 9000.0;
        profile.add(trial, &samples).unwrap();
        assert_eq!(profile.outliers, [format!("abs single 17x5: 1 times of {SAMPLES} samples")]);
        for (_, times) in &profile.trials {
            assert_eq!(*times, Times { df: 100.0, ex: 1000.0, wb: 50.0 });
        }
        let error = profile.add(trial, &samples[..3]).unwrap_err().to_string();
        assert!(error.contains("2 samples of abs 17x5: 3 are needed after the first"), "{error}");
    }
}
