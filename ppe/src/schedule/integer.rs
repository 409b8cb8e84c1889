//! The paper's integer program, whose optimum is the least makespan (paper, "Mathematical Program").
//!
//! Variables, with i and j for operations that are executed by one class of processors (MEUs, or the PPE):
//!
//! | variable | name | meaning |
//! |---|---|---|
//! | t(i) | `t3` | start of the operation |
//! | x(i, j) | `x3_5` | 1 when j follows i in its stream, else 0 |
//! | x(s, j) | `s5` | 1 when j is the first of its stream, else 0 |
//! | y(i, j) | `y3_5` | t(i) x(i, j), which rows make linear |
//! | z | `z` | makespan, which is minimised |
//!
//! All coefficients are whole numbers. [`solve()`] has the solver HiGHS solve the program, [`text`] writes it for
//! other solvers, and [`ampl`] writes a graph as data for the paper's own model.

pub mod ampl;
#[cfg(feature = "highs")]
mod solve;
#[cfg(not(feature = "highs"))]
#[path = "integer/without_highs.rs"]
mod solve;
pub mod text;

pub use solve::solve;

use super::{Processors, Schedule};
use crate::lower::{LoweredGraph, Venue};
use crate::time::StageTimes;

/// The most operations that an integer program is made for:
/// the number of its columns is twice their square.
pub const MOST_OPERATIONS: usize = 400;

/// A variable. Its least value is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Whether it is 0 or 1, else any number.
    pub binary: bool,
}

/// A linear condition: the sum of `terms` is at most, or exactly, `right`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Columns and coefficients.
    pub terms: Vec<(usize, i64)>,
    /// Whether the sum is exactly `right`.
    pub equal: bool,
    /// The right side.
    pub right: i64,
}

/// See the module's documentation. Column 0 is the makespan, and is minimised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegerProgram {
    /// Variables.
    pub columns: Vec<Column>,
    /// Conditions.
    pub rows: Vec<Row>,
    /// For each operation: its start.
    starts: Vec<usize>,
    /// For each pair of operations of one class: the numbers of x and y, and the pair.
    pairs: Vec<(usize, usize, u32, u32)>,
    /// For each operation: whether it is the first of its stream.
    firsts: Vec<usize>,
}

impl IntegerProgram {
    /// The program of a graph. The graph must have at most [`MOST_OPERATIONS`].
    #[must_use]
    pub fn new(graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> IntegerProgram {
        let sum = times.iter().map(|time| time.total()).sum::<u64>() as i64;
        IntegerProgram::within(graph, times, processors, |_| sum)
    }

    /// As [`new`](Self::new), where each operation starts at `latest` of it or before.
    fn within(
        graph: &LoweredGraph,
        times: &[StageTimes],
        processors: Processors,
        latest: impl Fn(u32) -> i64,
    ) -> IntegerProgram {
        let count = graph.len() as u32;
        let mut program = IntegerProgram {
            columns: Vec::new(),
            rows: Vec::new(),
            starts: Vec::new(),
            pairs: Vec::new(),
            firsts: Vec::new(),
        };
        let makespan = program.column("z".into(), false);
        program.starts = (0..count).map(|i| program.column(format!("t{i}"), false)).collect();
        program.firsts = (0..count).map(|i| program.column(format!("s{i}"), true)).collect();
        let is_ppe = |i: u32| graph.operations[i as usize].venue == Venue::Ppe;
        let all_pairs = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        for (i, j) in all_pairs.filter(|&(i, j)| i != j && is_ppe(i) == is_ppe(j)) {
            let x = program.column(format!("x{i}_{j}"), true);
            let y = program.column(format!("y{i}_{j}"), false);
            program.pairs.push((x, y, i, j));
        }
        for i in 0..count {
            let (start, total) = (program.starts[i as usize], times[i as usize].total() as i64);
            program.row(format!("makespan{i}"), vec![(start, 1), (makespan, -1)], false, -total);
            let mut dependants: Vec<_> = graph.dependants(i).collect();
            dependants.sort_unstable();
            dependants.dedup();
            for j in dependants {
                let terms = vec![(start, 1), (program.starts[j as usize], -1)];
                program.row(format!("precedence{i}_{j}"), terms, false, -total);
            }
        }
        program.streams(count, processors, is_ppe);
        program.stages(times);
        for (x, y, i, j) in program.pairs.clone() {
            let (start, most) = (program.starts[i as usize], latest(i));
            program.row(format!("below{i}_{j}"), vec![(y, 1), (x, -most)], false, 0);
            program.row(format!("above{i}_{j}"), vec![(start, 1), (x, most), (y, -1)], false, most);
            program.row(format!("start{i}_{j}"), vec![(y, 1), (start, -1)], false, 0);
        }
        program
    }

    fn column(&mut self, name: String, binary: bool) -> usize {
        self.columns.push(Column { name, binary });
        self.columns.len() - 1
    }

    fn row(&mut self, name: String, terms: Vec<(usize, i64)>, equal: bool, right: i64) {
        self.rows.push(Row { name, terms, equal, right });
    }

    /// The rows by which x is a schedule graph: each operation follows one other or is the first of a stream,
    /// and at most one follows it.
    fn streams(&mut self, count: u32, processors: Processors, is_ppe: impl Fn(u32) -> bool) {
        for (name, ppe, most) in [("meus", false, processors.meus as i64), ("ppe", true, 1)] {
            let of_class = (0..count).filter(|&i| is_ppe(i) == ppe);
            let terms: Vec<_> = of_class.map(|i| (self.firsts[i as usize], 1)).collect();
            if !terms.is_empty() {
                self.row(name.into(), terms, false, most);
            }
        }
        let mut successors = vec![Vec::new(); count as usize];
        let mut predecessors: Vec<_> = self.firsts.iter().map(|&first| vec![(first, 1)]).collect();
        for &(x, _, i, j) in &self.pairs {
            successors[i as usize].push((x, 1));
            predecessors[j as usize].push((x, 1));
        }
        for (i, (after, before)) in successors.into_iter().zip(predecessors).enumerate() {
            if !after.is_empty() {
                self.row(format!("successor{i}"), after, false, 1);
            }
            self.row(format!("predecessor{i}"), before, true, 1);
        }
    }

    /// The rows by which no stage of an operation overlaps the stage of its kind of the operation before.
    fn stages(&mut self, times: &[StageTimes]) {
        // The end of the stage, and its begin, from the start of the operation on.
        type Ends = fn(StageTimes) -> u64;
        let stages: [(&str, Ends, Ends); 3] = [
            ("fetch", |time| time.df, |_| 0),
            ("execute", |time| time.df + time.ex, |time| time.df),
            ("write", StageTimes::total, |time| time.df + time.ex),
        ];
        for (name, end, begin) in stages {
            let mut terms: Vec<_> = self.starts.iter().map(|&start| vec![(start, -1)]).collect();
            for &(x, y, i, j) in &self.pairs {
                terms[j as usize].extend([(y, 1), (x, end(times[i as usize]) as i64)]);
            }
            for (j, (terms, &time)) in terms.into_iter().zip(times).enumerate() {
                self.row(format!("{name}{j}"), terms, false, begin(time) as i64);
            }
        }
    }

    /// The value of each column for a schedule.
    #[must_use]
    pub fn values(&self, schedule: &Schedule) -> Vec<i64> {
        let mut values = vec![0; self.columns.len()];
        values[0] = schedule.makespan as i64;
        for (&column, &start) in self.starts.iter().zip(&schedule.starts) {
            values[column] = start as i64;
        }
        let mut follows = vec![None; self.starts.len()];
        for stream in &schedule.streams {
            for pair in stream.windows(2) {
                follows[pair[1] as usize] = Some(pair[0]);
            }
        }
        for (&column, before) in self.firsts.iter().zip(&follows) {
            values[column] = i64::from(before.is_none());
        }
        for &(x, y, i, _) in self.pairs.iter().filter(|&&(.., i, j)| follows[j as usize] == Some(i)) {
            values[x] = 1;
            values[y] = schedule.starts[i as usize] as i64;
        }
        values
    }

    /// The first row that these values violate.
    #[must_use]
    pub fn violated(&self, values: &[i64]) -> Option<&Row> {
        self.rows.iter().find(|row| {
            let sum: i64 = row.terms.iter().map(|&(column, factor)| factor * values[column]).sum();
            if row.equal { sum != row.right } else { sum > row.right }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::known::chain_and_others;
    use super::super::tests::random::random_graph;
    use super::super::{RoundRobin, Scheduler, schedulers};
    use super::*;

    #[test]
    fn schedules_satisfy_every_row_and_better_ones_than_possible_do_not() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let operations = random.usize(2..=14);
            let ppe = random.bool();
            let (graph, times) = random_graph(&mut random, operations, ppe);
            let processors = Processors { meus: random.usize(1..=4), ppe };
            let program = IntegerProgram::new(&graph, &times, processors);
            for each in schedulers() {
                let schedule = each.schedule(&graph, &times, processors);
                let values = program.values(&schedule);
                assert_eq!(program.violated(&values), None, "seed {seed}, {}", each.name());
                let mut short = values.clone();
                short[0] -= 1;
                assert!(program.violated(&short).is_some_and(|row| row.name.starts_with("makespan")));
                // Each operation has the earliest start that its operands and its stream allow. The pool lets
                // one wait for its processor.
                for index in (0..operations).filter(|_| each.name() != "online") {
                    let mut early = schedule.clone();
                    if let Some(start) = early.starts[index].checked_sub(1) {
                        early.starts[index] = start;
                        assert!(program.violated(&program.values(&early)).is_some(), "seed {seed}: {index}");
                    }
                }
            }
        }
    }

    #[test]
    fn more_streams_than_meus_violate_a_row() {
        let mut random = fastrand::Rng::with_seed(3);
        let (graph, times) = random_graph(&mut random, 10, false);
        let schedule = RoundRobin.schedule(&graph, &times, Processors::meus(3));
        let program = IntegerProgram::new(&graph, &times, Processors::meus(2));
        let violated = program.violated(&program.values(&schedule)).map(|row| row.name.as_str());
        assert_eq!(violated, Some("meus"));
    }

    #[test]
    fn a_program_as_text() {
        let (graph, _) = chain_and_others(2, 0, true);
        let times = vec![StageTimes { df: 1, ex: 2, wb: 3 }; 2];
        let program = IntegerProgram::new(&graph, &times, Processors::meus(1));
        let lp = "\
Minimize
 makespan: z
Subject To
 makespan0: + 1 t0 - 1 z <= -6
 precedence0_1: + 1 t0 - 1 t1 <= -6
 makespan1: + 1 t1 - 1 z <= -6
 meus: + 1 s0 + 1 s1 <= 1
 successor0: + 1 x0_1 <= 1
 predecessor0: + 1 s0 + 1 x1_0 = 1
 successor1: + 1 x1_0 <= 1
 predecessor1: + 1 s1 + 1 x0_1 = 1
 fetch0: - 1 t0 + 1 y1_0 + 1 x1_0 <= 0
 fetch1: - 1 t1 + 1 y0_1 + 1 x0_1 <= 0
 execute0: - 1 t0 + 1 y1_0 + 3 x1_0 <= 1
 execute1: - 1 t1 + 1 y0_1 + 3 x0_1 <= 1
 write0: - 1 t0 + 1 y1_0 + 6 x1_0 <= 3
 write1: - 1 t1 + 1 y0_1 + 6 x0_1 <= 3
 below0_1: + 1 y0_1 - 12 x0_1 <= 0
 above0_1: + 1 t0 + 12 x0_1 - 1 y0_1 <= 12
 start0_1: + 1 y0_1 - 1 t0 <= 0
 below1_0: + 1 y1_0 - 12 x1_0 <= 0
 above1_0: + 1 t1 + 12 x1_0 - 1 y1_0 <= 12
 start1_0: + 1 y1_0 - 1 t1 <= 0
Binary
 s0
 s1
 x0_1
 x1_0
End
";
        assert_eq!(text::Lp(&program).to_string(), lp);
        let mps = text::Mps(&program).to_string();
        let start = "NAME schedule\nROWS\n N objective\n L makespan0\n L precedence0_1\n";
        assert!(mps.starts_with(start), "{mps}");
        for part in [
            " E predecessor1\n",
            "COLUMNS\n z objective 1\n z makespan0 -1\n z makespan1 -1\n t0 makespan0 1\n",
            " MARKER 'MARKER' 'INTORG'\n s0 meus 1\n s0 predecessor0 1\n",
            " x1_0 above1_0 12\n MARKER 'MARKER' 'INTEND'\n y1_0 fetch0 1\n",
            "RHS\n RHS makespan0 -6\n",
            "BOUNDS\n BV BOUND s0\n BV BOUND s1\n BV BOUND x0_1\n BV BOUND x1_0\nENDATA\n",
        ] {
            assert!(mps.contains(part), "{part}\n{mps}");
        }
    }
}
