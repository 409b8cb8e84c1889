//! What MEUs and the PPE have done: counts of operations, bytes and instructions.

use std::fmt;

use crate::time::ppe::PpeTimes;

/// What an MEU, or the PPE as a processor, has done since the engine was made or last reset.
#[derive(Debug, Clone, PartialEq)]
pub struct MeuReport {
    /// Its index; None for the PPE.
    pub meu: Option<usize>,
    /// Operations that it has completed.
    pub operations: u64,
    /// Bytes that its DMA has fetched.
    pub fetched_bytes: u64,
    /// Bytes that its DMA has written.
    pub written_bytes: u64,
    /// Of both, bytes that lie in the memory of another Cell.
    pub far_bytes: u64,
    /// Instructions that its SPU has executed. Real SPEs count neither instructions nor bytes.
    pub instructions: u64,
    /// How its pipeline was used, if that was simulated.
    pub pipeline: Option<PipelineReport>,
    /// What the PPE's own work took in virtual time.
    pub ppe: Option<PpeTimes>,
    /// What it did with its time, on a virtual clock.
    pub waits: Option<Waits>,
}

/// What an MEU did with its time, in nanoseconds of virtual time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Waits {
    /// It executed.
    pub busy_ns: f64,
    /// It waited for transfers: for operands that it fetches, or for an earlier result that it writes back.
    pub data_ns: f64,
    /// It had nothing to do, and the PPE had nothing to offer: operands were not computed yet, or a chunk ended.
    pub operands_ns: f64,
    /// It had nothing to do while the PPE recorded, lowered, scheduled, offered or acknowledged.
    pub ppe_ns: f64,
}

impl Waits {
    /// All of the time.
    #[must_use]
    pub fn total_ns(self) -> f64 {
        self.busy_ns + self.data_ns + self.operands_ns + self.ppe_ns
    }
}

/// How a pipeline was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineReport {
    /// Cycles that have passed.
    pub cycles: u64,
    /// Instructions that were issued in one cycle with the instruction before.
    pub paired: u64,
    /// Cycles in which nothing was issued, by reason.
    pub stalls: Vec<(&'static str, u64)>,
}

impl MeuReport {
    /// The report of a processor that counts its operations, and nothing else.
    #[must_use]
    pub(super) fn of_operations(meu: Option<usize>, operations: u64) -> MeuReport {
        let (fetched_bytes, written_bytes, far_bytes, instructions) = (0, 0, 0, 0);
        MeuReport {
            meu,
            operations,
            fetched_bytes,
            written_bytes,
            far_bytes,
            instructions,
            pipeline: None,
            ppe: None,
            waits: None,
        }
    }
}

impl fmt::Display for MeuReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MeuReport { meu, operations, fetched_bytes, written_bytes, instructions, .. } = self;
        match meu {
            Some(meu) => write!(f, "MEU {meu}: {operations} operations")?,
            None => write!(f, "PPE: {operations} operations")?,
        }
        if let Some(times) = &self.ppe {
            write!(f, ", {times}")?;
        }
        if let Some(Waits { busy_ns, data_ns, operands_ns, ppe_ns }) = self.waits {
            let [busy, data, operands, ppe] = [busy_ns, data_ns, operands_ns, ppe_ns].map(|ns| ns / 1e6);
            write!(
                f,
                ", virtual ms: executing {busy:.3}, waiting for data {data:.3}, for operands {operands:.3}, for the PPE {ppe:.3}"
            )?;
        }
        if self.far_bytes > 0 {
            let all = (fetched_bytes + written_bytes) as f64;
            write!(
                f,
                ", {:.1} % of its bytes in the other Cell's memory",
                100.0 * self.far_bytes as f64 / all
            )?;
        }
        if *instructions == 0 {
            return Ok(());
        }
        write!(f, ", {fetched_bytes} bytes fetched, {written_bytes} written, {instructions} instructions")?;
        let Some(pipeline) = &self.pipeline else { return Ok(()) };
        let paired = 200.0 * pipeline.paired as f64 / (*instructions).max(1) as f64;
        write!(f, " ({paired:.1} % dual-issued) in {} cycles; stalls:", pipeline.cycles)?;
        for (number, (name, cycles)) in pipeline.stalls.iter().filter(|(_, cycles)| *cycles > 0).enumerate() {
            write!(f, "{} {name} {cycles}", if number > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_well() {
        let pipeline =
            PipelineReport { cycles: 800, paired: 100, stalls: vec![("depend", 7), ("branch", 0)] };
        let mut report = MeuReport {
            meu: Some(3),
            operations: 2,
            fetched_bytes: 256,
            written_bytes: 128,
            far_bytes: 0,
            instructions: 1000,
            pipeline: Some(pipeline),
            ppe: None,
            waits: None,
        };
        let expected = "MEU 3: 2 operations, 256 bytes fetched, 128 written, 1000 instructions (20.0 % dual-issued) \
                        in 800 cycles; stalls: depend 7";
        assert_eq!(report.to_string(), expected);
        report.pipeline = None;
        assert!(expected.starts_with(&report.to_string()));
        (report.meu, report.instructions) = (None, 0);
        assert_eq!(report.to_string(), "PPE: 2 operations");
        report.ppe = Some(PpeTimes { factor: 4.0, record: 1_500_000, element: 1000, ..PpeTimes::default() });
        let expected = "PPE: 2 operations, virtual ms at 4.00 times the host's: recording 1.500, lowering 0.000, scheduling 0.000, \
                        memory 0.000, control 0.000, operations 0.001";
        assert_eq!(report.to_string(), expected);
    }
}
