//! What a command makes an MEU do, by the time model.

use spe_kernels::sys;

use super::meu::{Operation, Segment};
use super::mfc::{Elements, Run};
use crate::engine::homes::Homes;
use crate::engine::{BlockAddress, Command, Task, record};
use crate::lower::{Axis, Program, Slot};
use crate::operation::{OpKind, Parameters, Precision};
use crate::time::terms::Strips;
use crate::time::{BlockSize, TimeModel};

const LINE_BYTES: u64 = sys::MEU_LINE_BYTES as u64;
const QUADWORD_BYTES: u64 = 16;

/// Lines of the record of a move that gathers.
const GATHER_LINES: u32 = 2;

/// Longest list element.
const ELEMENT_BYTES: u64 = 16 << 10;

/// See the module's documentation.
pub(super) fn operation(model: &TimeModel, homes: &Homes, command: &Command<'_>) -> Operation {
    let precision = command.results.first().map_or(Precision::Double, |block| block.precision);
    let of = Planner { model, homes, command, precision };
    let mut operation = match command.task {
        Task::Product(inner, epilogue) => of.product(inner, epilogue.map(AsRef::as_ref)),
        Task::Program(program) => of.program(program),
        Task::Direct { kind, parameters, origin } if kind.is_move() => of.moved(kind, parameters, origin),
        Task::Direct { kind, .. } => of.direct(kind, command.operands),
    };
    operation.write = elements(command.results, homes);
    operation.write_ns = model.write_ns(precision, command.results.len() as f64, listed(command.results));
    operation.turn_ns = model.turn_ns(precision);
    operation
}

struct Planner<'a> {
    model: &'a TimeModel,
    homes: &'a Homes,
    command: &'a Command<'a>,
    precision: Precision,
}

impl Planner<'_> {
    fn taken(&self, fetched: &[BlockAddress], record_lines: u32) -> Operation {
        let precision = fetched.first().map_or(self.precision, |block| block.precision);
        Operation {
            record_lines,
            take_ns: self.model.fetch_ns(precision, fetched.len() as f64, listed(fetched)),
            fetch: elements(fetched, self.homes),
            ..Operation::default()
        }
    }

    fn size(&self, kind: OpKind) -> BlockSize {
        let sides = |blocks: &[BlockAddress], number: usize| blocks.get(number).map_or((0, 0), sides);
        BlockSize {
            kind,
            precision: self.precision,
            operand_precision: self.precision,
            result: sides(self.command.results, 0),
            operands: [0, 1].map(|number| sides(self.command.operands, number)),
            products: 1,
        }
    }

    fn product(&self, inner: Axis, epilogue: Option<&Program>) -> Operation {
        let (factors, further) = self.command.operands.split_at(self.command.operands.len().min(2));
        let lines = epilogue.and_then(|program| program.encoded().ok());
        let mut operation = self.taken(factors, lines.map_or(1, spe_kernels::Program::product_lines));
        let whole = self.size(OpKind::Multiply);
        for part in 0..inner.parts() {
            // The last part may be shorter.
            let length = inner.padded(part).min(inner.length() - inner.offset(part).min(inner.length()));
            let length = u16::try_from(length).unwrap_or(u16::MAX);
            let [(rows, _), (_, columns)] = whole.operands;
            let size = BlockSize { operands: [(rows, length), (length, columns)], ..whole };
            operation.parts.push(self.model.execution_ns(&size, part > 0));
            if let ([a, b], 1..) = (factors, part) {
                let pair = [
                    a.columns_from(inner.offset(part), length.into()),
                    b.rows_from(inner.offset(part), length.into()),
                ];
                operation.part_fetches.push(elements(&pair, self.homes));
            }
        }
        operation.part_ns = self.model.part_ns(self.precision, listed(factors));
        if let Some(program) = epilogue {
            operation.further = elements(further, self.homes);
            operation.segments = self.segments(program, further, 1);
        }
        operation
    }

    fn program(&self, program: &Program) -> Operation {
        let lines = program.encoded().map_or(1, spe_kernels::Program::record_lines);
        let mut operation = self.taken(self.command.operands, lines);
        operation.segments = self.segments(program, self.command.operands, 0);
        operation
    }

    /// The steps of a program, strip by strip where steps need several overlays. `inputs` are those behind the first
    /// `before`, which are as large as the result.
    fn segments(&self, program: &Program, inputs: &[BlockAddress], before: usize) -> Vec<Segment> {
        let result = self.size(OpKind::Add).result;
        let repeats = |input: &BlockAddress| {
            let sides = sides(input);
            sides != result && sides != (1, 1) && result.1 > 1
        };
        let by_column = |slot: Slot| match slot {
            Slot::Input(number) => {
                usize::from(number).checked_sub(before).and_then(|at| inputs.get(at)).is_some_and(repeats)
            }
            _ => false,
        };
        let whole = !inputs.iter().any(repeats);
        let strips = Strips::new(result, self.precision, whole, program.steps.len());
        let columns = program.steps.iter().filter(|step| step.operands.into_iter().any(by_column)).count();
        if let [step] = &program.steps[..]
            && step.kind == OpKind::Convert
        {
            let ns = self.model.execution_ns(&self.size(OpKind::Convert), false);
            return vec![Segment { overlay: None, ns }];
        }
        let around = self.model.program_ns(self.precision, &strips, columns as f64);
        let steps = program.steps.iter().map(|step| Segment {
            overlay: step.kind.overlay(),
            ns: self.model.step_ns(self.precision, &strips, step.kind),
        });
        let mut overlays: Vec<_> = program.steps.iter().filter_map(|step| step.kind.overlay()).collect();
        overlays.dedup();
        let begin = std::iter::once(Segment { overlay: None, ns: around });
        if overlays.len() < 2 {
            return begin.chain(steps).collect();
        }
        let count = strips.count as usize;
        let strip: Vec<_> = steps.map(|step| Segment { ns: step.ns / strips.count, ..step }).collect();
        begin.chain(std::iter::repeat_n(strip, count).flatten()).collect()
    }

    /// A move of a rectangle of its operand; or a move that gathers its elements while it is executed.
    fn moved(&self, kind: OpKind, parameters: Parameters, origin: (u32, u32)) -> Operation {
        let Some(record) = record::local_move(self.command, kind, parameters, origin) else {
            let size = BlockSize { kind: OpKind::Repeat, operands: [(0, 0); 2], ..self.size(kind) };
            let ns = self.model.execution_ns(&size, false);
            let segments = vec![Segment { overlay: kind.overlay(), ns }];
            return Operation { segments, ..self.taken(&[], GATHER_LINES) };
        };
        let fetched = self.command.operands.iter().zip(&record.blocks).map(|(operand, block)| BlockAddress {
            ea: block.ea,
            stride_bytes: block.stride_bytes,
            rows: block.rows,
            columns: block.columns,
            ..*operand
        });
        self.direct(kind, &fetched.collect::<Vec<_>>())
    }

    fn direct(&self, kind: OpKind, fetched: &[BlockAddress]) -> Operation {
        let operand = fetched.first().map_or((0, 0), sides);
        let size = BlockSize { operands: [operand, (0, 0)], ..self.size(kind) };
        let segments = vec![Segment { overlay: kind.overlay(), ns: self.model.execution_ns(&size, false) }];
        Operation { segments, ..self.taken(fetched, 1) }
    }
}

fn sides(block: &BlockAddress) -> (u16, u16) {
    let side = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    (side(block.rows), side(block.columns))
}

/// Columns that are list elements: not those of a block whose columns touch.
fn listed(blocks: &[BlockAddress]) -> f64 {
    let of_block = |block: &BlockAddress| if touches(block) { 1 } else { block.columns };
    f64::from(blocks.iter().map(of_block).sum::<u32>())
}

fn column_bytes(block: &BlockAddress) -> u64 {
    (u64::from(block.rows) * block.precision.element_bytes() as u64).next_multiple_of(QUADWORD_BYTES)
}

fn touches(block: &BlockAddress) -> bool {
    block.columns == 1 || u64::from(block.stride_bytes) == column_bytes(block)
}

/// The list elements of transfers of blocks, and the lines that each of them touches.
fn elements(blocks: &[BlockAddress], homes: &Homes) -> Elements {
    let mut runs = Elements::new();
    for block in blocks {
        let mut add = |ea: u64, bytes: u64| {
            let lines = ((ea % LINE_BYTES + bytes).div_ceil(LINE_BYTES)) as u32;
            let home = homes.of(ea, block.ea);
            match runs.back_mut() {
                Some(run) if (run.lines, run.home) == (lines, home) => run.elements += 1,
                _ => runs.push_back(Run { elements: 1, lines, home }),
            }
        };
        let (bytes, mut ea) = (column_bytes(block), block.ea);
        match touches(block) {
            true => {
                let mut left = bytes * u64::from(block.columns);
                while left > 0 {
                    let part = left.min(ELEMENT_BYTES);
                    add(ea, part);
                    (ea, left) = (ea + part, left - part);
                }
            }
            false => (0..u64::from(block.columns)).for_each(|column| {
                add(block.ea + column * u64::from(block.stride_bytes), bytes);
            }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(ea: u64, (rows, columns): (u32, u32), stride_bytes: u32) -> BlockAddress {
        BlockAddress { ea, stride_bytes, rows, columns, precision: Precision::Single, transposed: false }
    }

    #[test]
    fn columns_are_list_elements_unless_they_touch() {
        let run = |elements, lines| Run { elements, lines, home: None };
        let elements = |block| elements(&[block], &Homes::default());
        assert_eq!(elements(block(1024, (96, 5), 4096)), [run(5, 3)]);
        // Every other column begins within a line.
        assert_eq!(elements(block(1024, (32, 2), 192)), [run(1, 1), run(1, 2)]);
        assert_eq!(elements(block(1024, (32, 300), 128)), [run(2, 128), run(1, 44)]);
        assert_eq!(listed(&[block(0, (32, 300), 128), block(0, (32, 3), 256)]), 4.0);
    }

    #[test]
    fn a_product_has_its_parts_and_its_epilogue() {
        let model = TimeModel::of_cell(spe_kernels::Processor::PowerXCell8i).unwrap();
        let program = std::sync::Arc::new(Program::repeated(OpKind::Add, Precision::Single, 1));
        let results = [block(0, (96, 96), 4096)];
        let operands = [block(0, (96, 48), 4096), block(0, (48, 96), 4096), results[0]];
        let command = Command {
            task: Task::Product(Axis::equal(3, 48), Some(&program)),
            venue: crate::lower::Venue::LocalStore,
            results: &results,
            operands: &operands,
        };
        let planned = operation(&model, &Homes::default(), &command);
        assert_eq!(planned.parts.len(), 3);
        assert!(planned.parts[1] > planned.parts[0] && planned.parts[1] == planned.parts[2]);
        assert_eq!((planned.fetch.len(), planned.further.len(), planned.write.len()), (2, 1, 1));
        assert_eq!(planned.part_fetches, vec![planned.fetch.clone(); 2]);
        assert_eq!(planned.segments.len(), 2);
        assert!(planned.take_ns > 0.0 && planned.part_ns > 0.0 && planned.turn_ns > 0.0);
    }
}
