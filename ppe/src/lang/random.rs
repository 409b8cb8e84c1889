//! Random programs (paper, "Testing and Debugging"): valid ones, of a given length, from a seed.
//!
//! Shapes conform, broadcasting included.  Where the operations allow it values stay small integers, so that
//! results are exact in either precision: whatever grows too large is reduced by `mod`.

mod text;
mod wild;

use std::fmt::Write as _;

use crate::operation::{OpKind, Precision};
use text::{bound, of_two};

/// Largest absolute value that an exact result may have: single precision holds all integers up to 2^24.
const EXACT: f64 = 16_777_216.0;

/// What a random program looks like.
#[derive(Debug, Clone)]
pub struct RandomOptions {
    /// Number of operations.
    pub length: usize,
    /// Shortest side of a matrix.
    pub min_side: u32,
    /// Longest side.
    pub max_side: u32,
    /// The sides, where `min_side` and `max_side` are not to choose them.
    pub sides: Vec<u32>,
    /// Elements are NaN, infinite and -0 too, matrices are cut and joined in more ways, and the program forces, shows
    /// and forgets values anywhere.
    pub wild: bool,
    /// Where the random numbers begin.
    pub seed: u64,
    /// The operations to choose from; one that is listed twice is chosen twice as often.
    pub operations: Vec<OpKind>,
}

impl Default for RandomOptions {
    fn default() -> RandomOptions {
        let operations = OpKind::ALL.to_vec();
        let (sides, wild) = (Vec::new(), false);
        RandomOptions { length: 50, min_side: 1, max_side: 200, sides, wild, seed: 0, operations }
    }
}

/// The operations whose results are defined to the last bit; `sin`, `cos` and `.^` may differ by one between
/// engines.
#[must_use]
pub fn exact_operations() -> Vec<OpKind> {
    OpKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, OpKind::Sin | OpKind::Cos | OpKind::Power | OpKind::Norm))
        .collect()
}

/// SplitMix64: small, with equal numbers on every machine.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn choose<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }
}

/// A variable of the program.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    rows: u32,
    columns: u32,
    /// Absolute values are at most this.
    bound: f64,
    /// All values are integers, or came from none.
    whole: bool,
}

struct Generator {
    random: Random,
    options: RandomOptions,
    /// A few sides, so that shapes meet.
    sides: Vec<u32>,
    variables: Vec<Variable>,
    /// Variables made so far, forgotten ones as well.
    names: usize,
    text: String,
}

/// A random program, which ends by printing all that nothing else uses, and much besides.
#[must_use]
pub fn program(options: &RandomOptions) -> String {
    let mut random = Random(options.seed);
    let (least, span) = (options.min_side, options.max_side.saturating_sub(options.min_side) as usize + 1);
    let mut sides = options.sides.clone();
    if sides.is_empty() {
        sides = (0..3).map(|_| least + random.below(span) as u32).collect();
    }
    let (options, variables, text) = (options.clone(), Vec::new(), String::new());
    let mut generator = Generator { random, options, sides, variables, names: 0, text };
    generator.run();
    generator.text
}

impl Generator {
    /// Adds a line to the program; writing to a String does not fail.
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        _ = writeln!(self.text, "{text}");
    }

    fn run(&mut self) {
        let (seed, length) = (self.options.seed, self.options.length);
        self.line(format_args!("# random program: seed {seed}, {length} operations"));
        for _ in 0..4 {
            self.constant();
        }
        let mut made = 0;
        while made < length {
            let Some(kind) = self.random.choose(&self.options.operations).copied() else { break };
            made += self.operation(kind);
            if self.options.wild {
                self.demand();
            }
        }
        // The last variables depend on most of the earlier variables.
        let first = self.variables.len().saturating_sub(6 + length / 10);
        let names: Vec<_> = self.variables[first..].iter().map(|variable| variable.name.clone()).collect();
        self.line(format_args!("print({});", names.join(", ")));
    }

    fn side(&mut self) -> u32 {
        // Vectors are a case of their own.
        if self.options.min_side <= 1 && self.random.chance(15) {
            return 1;
        }
        self.random.choose(&self.sides).copied().unwrap_or(1)
    }

    fn push(&mut self, expression: &str, rows: u32, columns: u32, bound: f64, whole: bool) -> usize {
        let name = format!("V{}", self.names);
        self.names += 1;
        self.line(format_args!("{name} = {expression};"));
        self.variables.push(Variable { name, rows, columns, bound, whole });
        self.variables.len() - 1
    }

    /// A new constant: small integers, in either precision.
    fn constant(&mut self) -> usize {
        let (rows, columns) = (self.side(), self.side());
        self.constant_of(rows, columns)
    }

    fn constant_of(&mut self, rows: u32, columns: u32) -> usize {
        let expression = if self.options.wild && self.random.chance(15) {
            self.wild_constant(rows, columns)
        } else if (1..=12).contains(&(u64::from(rows) * u64::from(columns))) && self.random.chance(50) {
            self.literal(rows, columns)
        } else {
            let seed = self.random.below(1000);
            format!("copy(round(rand({rows}, {columns}, {seed}) * 8 - 4))")
        };
        let precision = *self.random.choose(&Precision::ALL).unwrap_or(&Precision::Double);
        let expression =
            if self.random.chance(20) { format!("{}({expression})", precision.name()) } else { expression };
        self.push(&expression, rows, columns, 4.0, true)
    }

    fn literal(&mut self, rows: u32, columns: u32) -> String {
        let row = |random: &mut Random| {
            (0..columns).map(|_| (random.below(9) as i32 - 4).to_string()).collect::<Vec<_>>().join(", ")
        };
        let rows: Vec<_> = (0..rows).map(|_| row(&mut self.random)).collect();
        format!("[{}]", rows.join("; "))
    }

    /// Any variable, a recent one more often than not.
    fn any(&mut self) -> Variable {
        let count = self.variables.len();
        let window = if self.random.chance(70) { count.min(8) } else { count };
        let index = count - 1 - self.random.below(window);
        self.variables[index].clone()
    }

    /// A variable that `fits`, or a new constant of that shape.
    fn matching(&mut self, rows: u32, columns: u32, fits: impl Fn(&Variable) -> bool) -> Variable {
        let found: Vec<_> = self.variables.iter().filter(|v| fits(v)).cloned().collect();
        if let Some(variable) = self.random.choose(&found) {
            return variable.clone();
        }
        let index = self.constant_of(rows, columns);
        self.variables[index].clone()
    }

    /// The variable itself, or its remainder where it has grown too large for what comes next.
    fn reduced(&mut self, variable: Variable, most: f64) -> (Variable, usize) {
        if variable.bound <= most {
            return (variable, 0);
        }
        let expression = format!("mod({}, 5)", variable.name);
        let index = self.push(&expression, variable.rows, variable.columns, 5.0, variable.whole);
        (self.variables[index].clone(), 1)
    }

    /// Adds an operation, and perhaps others that it needs; gives their number.
    fn operation(&mut self, kind: OpKind) -> usize {
        let a = self.any();
        let (a, extra) = self.reduced(a, 1024.0);
        let made = match kind {
            kind if kind.is_unary() && kind != OpKind::Convert => self.function(kind, a),
            OpKind::Convert => {
                let precision = *self.random.choose(&Precision::ALL).unwrap_or(&Precision::Double);
                self.push(&format!("{}({})", precision.name(), a.name), a.rows, a.columns, a.bound, a.whole);
                1
            }
            OpKind::Multiply => self.product(a),
            kind if kind.is_direct() => self.direct(kind, a),
            _ if self.random.chance(30) || kind == OpKind::Power => self.scalar(kind, &a),
            _ => self.pair(kind, a),
        };
        extra + made
    }

    /// A function of one value, which is brought into its domain first.  Nothing overflows but in tan.
    fn function(&mut self, kind: OpKind, a: Variable) -> usize {
        let (a, extra) = match kind {
            OpKind::Exp | OpKind::Expm1 | OpKind::Sinh | OpKind::Cosh => self.reduced(a, 5.0),
            _ => (a, 0),
        };
        let (name, function) = (&a.name, kind.name());
        let (expression, operations) = match kind {
            OpKind::Negate => (format!("-{name}"), 1),
            OpKind::Not => (format!("!({name} > 0)"), 2),
            OpKind::Sqrt | OpKind::Log1p => (format!("{function}(abs({name}))"), 2),
            OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Acosh => {
                (format!("{function}(abs({name}) + 1)"), 3)
            }
            OpKind::Asin | OpKind::Acos => (format!("{function}(max(min({name}, 1), -1))"), 3),
            OpKind::Atanh => (format!("atanh(max(min({name}, 0.5), -0.5))"), 3),
            _ => (format!("{function}({name})"), 1),
        };
        let keeps = matches!(
            kind,
            OpKind::Abs | OpKind::Round | OpKind::Negate | OpKind::Floor | OpKind::Ceil | OpKind::Fix
        );
        let truth = matches!(kind, OpKind::Not | OpKind::IsNan | OpKind::IsInf | OpKind::IsFinite);
        let whole = truth || keeps || kind == OpKind::Sign;
        let bound = match kind {
            _ if keeps || kind == OpKind::Sqrt => a.bound + 1.0,
            OpKind::Sin | OpKind::Cos | OpKind::Sign | OpKind::Tanh => 1.0,
            OpKind::Exp | OpKind::Expm1 | OpKind::Sinh | OpKind::Cosh => 149.0,
            _ if truth => 1.0,
            // Less than 20 up to 2^24.
            OpKind::Log | OpKind::Log2 | OpKind::Log10 | OpKind::Log1p => 20.0,
            OpKind::Asin | OpKind::Acos | OpKind::Atan => 20.0,
            OpKind::Asinh | OpKind::Acosh | OpKind::Atanh => 20.0,
            // As large as it likes: what uses it reduces it first.
            _ => f64::INFINITY,
        };
        self.push(&expression, a.rows, a.columns, bound, a.whole && whole);
        extra + operations
    }

    fn product(&mut self, a: Variable) -> usize {
        let columns = self.side();
        let b = self.matching(a.columns, columns, |v| v.rows == a.columns);
        let (b, extra) = self.reduced(b, 8.0);
        let bound = a.bound * b.bound * f64::from(a.columns);
        let (a, more) = if bound > EXACT { self.reduced(a, 5.0) } else { (a, 0) };
        let bound = a.bound * b.bound * f64::from(a.columns);
        self.push(&format!("{} * {}", a.name, b.name), a.rows, b.columns, bound, a.whole && b.whole);
        extra + more + 1
    }

    /// An operation that moves elements, or reduces columns or rows.
    fn direct(&mut self, kind: OpKind, a: Variable) -> usize {
        if self.options.wild && self.wild_direct(kind, &a) {
            return 1;
        }
        let (name, rows, columns, bound, whole) = (a.name.as_str(), a.rows, a.columns, a.bound, a.whole);
        let (along, length) = if self.random.chance(50) { (1, rows) } else { (2, columns) };
        let (shifted, up) = (self.random.below(7) as i64 - 3, self.random.chance(50));
        let reduced = if along == 1 { (1, columns) } else { (rows, 1) };
        let elements = f64::from(rows) * f64::from(columns);
        let (expression, (rows, columns), bound) = match kind {
            OpKind::View if rows > 1 && self.random.chance(50) => {
                let (first, last) = (2 + self.random.below(rows as usize - 1) as u32, rows);
                (
                    format!("slice({name}, {last}, {first}, 1, {columns}, -1)"),
                    (last - first + 1, columns),
                    bound,
                )
            }
            OpKind::View if self.random.chance(50) => {
                (format!("reshape({name}, {columns}, {rows})"), (columns, rows), bound)
            }
            OpKind::View => (format!("{name}'"), (columns, rows), bound),
            OpKind::Repeat if elements < 1000.0 => {
                (format!("repmat({name}, 2, 3)"), (2 * rows, 3 * columns), bound)
            }
            OpKind::Join if rows < 500 => (format!("vertcat({name}, {name})"), (2 * rows, columns), bound),
            OpKind::Diagonal if rows == 1 || columns == 1 => {
                let side = rows * columns + shifted.unsigned_abs() as u32;
                (format!("diag({name}, {shifted})"), (side, side), bound)
            }
            OpKind::Repeat | OpKind::Join | OpKind::Diagonal | OpKind::Band => {
                (format!("{}({name}, {shifted})", if up { "triu" } else { "tril" }), (rows, columns), bound)
            }
            OpKind::Norm => (format!("norm({name})"), (1, 1), bound * elements.sqrt()),
            OpKind::Any => (format!("any({name}, {along})"), reduced, 1.0),
            OpKind::All => (format!("all({name}, {along})"), reduced, 1.0),
            OpKind::SumSquares => {
                (format!("sumsq({name}, {along})"), reduced, bound * bound * f64::from(length))
            }
            // Of many elements it would overflow.
            OpKind::Product => (format!("prod(sign({name}), {along})"), reduced, 1.0),
            OpKind::CumulativeSum => {
                (format!("cumsum({name}, {along})"), (rows, columns), bound * f64::from(length))
            }
            OpKind::Sum => (format!("sum({name}, {along})"), reduced, bound * f64::from(length)),
            // Of no elements there is no largest one.
            _ if length == 0 => (format!("{name}'"), (columns, rows), bound),
            OpKind::Maximum => (format!("maximum({name}, {along})"), reduced, bound),
            _ => (format!("minimum({name}, {along})"), reduced, bound),
        };
        self.push(&expression, rows, columns, bound, whole && kind != OpKind::Norm);
        1
    }

    /// An operation with a number, in either order.
    fn scalar(&mut self, kind: OpKind, a: &Variable) -> usize {
        let number: f64 = [1.0, 2.0, 3.0, 5.0, -1.0, -3.0, 0.5][self.random.below(7)];
        let left = self.random.chance(30) && kind != OpKind::Power;
        let whole = a.whole && number.fract() == 0.0 && !matches!(kind, OpKind::Atan2 | OpKind::Hypot);
        let (a, extra) = if kind == OpKind::Power { self.reduced(a.clone(), 40.0) } else { (a.clone(), 0) };
        let expression = match kind {
            // Whole exponents from 0 on: nothing becomes complex, or infinite.
            OpKind::Power => format!("{} .^ {}", a.name, self.random.below(4)),
            _ if left => of_two(kind, &number.to_string(), &a.name),
            _ => of_two(kind, &a.name, &number.to_string()),
        };
        let bound = match kind {
            OpKind::Power => a.bound.max(1.0).powi(3),
            _ => bound(kind, a.bound, number.abs()),
        };
        self.push(&expression, a.rows, a.columns, bound, whole && kind != OpKind::Divide);
        extra + 1
    }

    /// An operation on two matrices of equal shapes, or of shapes that broadcast.
    fn pair(&mut self, kind: OpKind, a: Variable) -> usize {
        let fits = |one: u32, other: u32| one == other || one == 1 || other == 1;
        let same = self.random.chance(70);
        let b = self.matching(a.rows, a.columns, |v| match same {
            true => (v.rows, v.columns) == (a.rows, a.columns),
            false => fits(v.rows, a.rows) && fits(v.columns, a.columns),
        });
        let (b, extra) = self.reduced(b, 1024.0);
        let expression = of_two(kind, &a.name, &b.name);
        let whole = a.whole && b.whole && !matches!(kind, OpKind::Divide | OpKind::Atan2 | OpKind::Hypot);
        let side = |one: u32, other: u32| if one == 1 { other } else { one };
        let (rows, columns) = (side(a.rows, b.rows), side(a.columns, b.columns));
        self.push(&expression, rows, columns, bound(kind, a.bound, b.bound), whole);
        extra + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_depend_on_the_seed_alone() {
        let options = RandomOptions { seed: 7, ..RandomOptions::default() };
        assert_eq!(program(&options), program(&options));
        assert_ne!(program(&options), program(&RandomOptions { seed: 8, ..options }));
    }

    #[test]
    fn programs_parse() {
        for seed in 0..50 {
            let options =
                RandomOptions { seed, length: 30, min_side: 0, max_side: 6, ..RandomOptions::default() };
            super::super::parse(program(&options).as_bytes(), "random").unwrap();
        }
    }
}
