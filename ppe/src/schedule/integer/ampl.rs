//! A graph as data for the paper's AMPL model (paper, appendix "AMPL Script").

use std::fmt::{self, Display, Formatter};

use crate::lower::LoweredGraph;
use crate::schedule::Processors;
use crate::time::StageTimes;

/// The sets I and E, the stage times and the number of processors. The model has processors of one class, so the
/// graph must have no operation of the PPE.
#[derive(Debug)]
pub struct Data<'a> {
    /// The block operations.
    pub graph: &'a LoweredGraph,
    /// Their stage times, in nanoseconds.
    pub times: &'a [StageTimes],
    /// The processors.
    pub processors: Processors,
}

impl Display for Data<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.graph.len() as u32;
        writeln!(f, "data;\nset I :=")?;
        (0..count).try_for_each(|i| writeln!(f, " {i}"))?;
        writeln!(f, ";\nset E :=")?;
        for i in 0..count {
            let mut dependants: Vec<u32> = self.graph.dependants(i).collect();
            dependants.sort_unstable();
            dependants.dedup();
            dependants.into_iter().try_for_each(|j| writeln!(f, " ({i},{j})"))?;
        }
        writeln!(f, ";\nparam: t_df t_ex t_wb :=")?;
        for (i, time) in self.times.iter().enumerate() {
            writeln!(f, " {i} {} {} {}", time.df, time.ex, time.wb)?;
        }
        writeln!(f, ";\nparam num_processors := {};\nparam start := 's';\nend;", self.processors.meus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::tests::known::chain_and_others;

    #[test]
    fn a_graph_as_data() {
        let (graph, _) = chain_and_others(2, 0, true);
        let times = vec![StageTimes { df: 1, ex: 2, wb: 3 }; 2];
        let data = Data { graph: &graph, times: &times, processors: Processors::meus(4) };
        let expected = "\
data;
set I :=
 0
 1
;
set E :=
 (0,1)
;
param: t_df t_ex t_wb :=
 0 1 2 3
 1 1 2 3
;
param num_processors := 4;
param start := 's';
end;
";
        assert_eq!(data.to_string(), expected);
    }
}
