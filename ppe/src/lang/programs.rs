//! The paper's nine benchmark programs, unrolled as traces (paper, "Benchmarks").
//!
//! Each program first prepares its input with the constructors and a few operations, whose results `copy`
//! turns into constants. What follows is the program proper, and its graph has the size that the paper's
//! table gives: loops are written out, and nothing is forced before the last line.
//!
//! What a trace cannot do is decided beforehand.  `kmeans` takes the centroids of every iteration from
//! literals, which Lloyd's algorithm computes here; the network of `neural` sees each pattern as a new
//! constant, as a program that wraps it anew would.

use std::fmt::Write as _;

/// Names of the programs.
pub const NAMES: [&str; 9] =
    ["dft", "synth", "hill", "hits", "kmeans", "leontief", "markov", "neural", "reachability"];

/// How large a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// For tests: a second in all.
    Tiny,
    /// About a fiftieth of the paper's arithmetic.
    Small,
    /// The paper's.
    Paper,
    /// Matrices of some gigabytes, for several machines, and few iterations. The program is written for its shapes: with
    /// elements it would take days.
    Cluster,
}

impl Size {
    /// One of four numbers.
    fn of<T>(self, tiny: T, small: T, paper: T, cluster: T) -> T {
        match self {
            Size::Tiny => tiny,
            Size::Small => small,
            Size::Paper => paper,
            Size::Cluster => cluster,
        }
    }
}

/// The text of a program; None when there is none of that name.
#[must_use]
pub fn text(name: &str, size: Size) -> Option<String> {
    let mut text = String::new();
    const LARGE: u32 = 32_768;
    let iterations = |usual| if size == Size::Cluster { 3 } else { usual };
    // Writing to a String does not fail.
    _ = match name {
        "dft" => dft(&mut text, size.of(12, 672, 2496, LARGE)),
        "synth" => synth(&mut text, size.of(12, 1200, 60_000, 6), size.of(96, 96, 96, LARGE)),
        "hill" => hill(&mut text, size.of(12, 672, 2496, LARGE)),
        "hits" => hits(&mut text, size.of(12, 392, 1440, LARGE), iterations(49)),
        "kmeans" => kmeans(&mut text, size.of(64, 8000, 400_000, 1 << 24)),
        "leontief" => leontief(
            &mut text,
            size.of(12, 208, 768, LARGE),
            size.of(20, 5000, 19_968, LARGE),
            iterations(100),
        ),
        "markov" => markov(&mut text, size.of(12, 260, 960, LARGE), iterations(49)),
        "neural" => neural(&mut text, size.of((12, 10, 2), (216, 192, 8), (768, 672, 32), (LARGE, LARGE, 1))),
        "reachability" => {
            let n = size.of(12, 180, 480, LARGE);
            reachability(&mut text, n, iterations(n - 2))
        }
        _ => return None,
    };
    Some(text)
}

/// Discrete Fourier transform of n signals of n samples by the cosine and sine matrices; both indices are
/// centred on zero.
fn dft(text: &mut String, n: u32) -> std::fmt::Result {
    let (first, last) = (-f64::from(n) / 2.0, f64::from(n) / 2.0 - 1.0);
    let step = -2.0 * std::f64::consts::PI / f64::from(n);
    writeln!(text, "# Discrete Fourier transform of {n} signals of {n} samples.")?;
    writeln!(text, "j = range({first}, {last});\nk = transposed(j);\nX = rand({n}, {n}, 1);\n")?;
    writeln!(
        text,
        "phase = (k * j) * {step:?};\nRe = cos(phase) * X;\nIm = sin(phase) * X;\nforce(Re, Im);"
    )?;
    // The zero frequency stands in the middle, and is the sum of the samples.
    let zero = n / 2 + 1;
    show(
        text,
        "the first four signals at frequency 0, and the sums of their samples",
        &[&format!("Re({zero}, 1:4)"), "sum(X(:, 1:4), 1)"],
    )
}

/// Prints values under a title, a small part of the result.
fn show(text: &mut String, title: &str, values: &[&str]) -> std::fmt::Result {
    writeln!(text, "print(\"{title}:\", {});", values.join(", "))
}

/// Products of three fixed matrices. Many small ones are each one block in single precision.
fn synth(text: &mut String, count: u32, n: u32) -> std::fmt::Result {
    writeln!(text, "# {count} products of three matrices.")?;
    writeln!(text, "A = rand({n}, {n}, 1);\nB = rand({n}, {n}, 2);\nC = rand({n}, {n}, 3);\n")?;
    for round in 0..count / 6 {
        for (index, pair) in ["A * B", "B * C", "C * A", "B * A", "C * B", "A * C"].into_iter().enumerate() {
            writeln!(text, "P{} = {pair};", 6 * round as usize + index + 1)?;
        }
    }
    writeln!(text, "force(P{count});")?;
    show(text, "upper left corner of the last product", &[&format!("P{count}(1:2, 1:4)")])
}

/// Hill cipher modulo 26.  The key is a product of three matrices I + N with N N = 0, so its inverse is the
/// product of I - N.  What the keys are made of is dropped as soon as it has been used, so that a PlayStation 3
/// has the memory for the program.
fn hill(text: &mut String, n: u32) -> std::fmt::Result {
    let middle = f64::from(n / 2) + 0.5;
    writeln!(text, "# Hill cipher: {n} blocks of {n} letters are encrypted and decrypted.")?;
    writeln!(text, "i = transposed(range(1, {n}));\nj = range(1, {n});")?;
    writeln!(text, "upper = (sign(i - {middle}) == ones({n}, 1) * -1) .* ones({n}, 1);")?;
    writeln!(text, "right = (sign(j - {middle}) == ones(1, {n})) .* ones(1, {n});")?;
    let factor = |name, seed: u32, place| {
        let entries = format!("round(rand({n}, {n}, {seed}) * 25) .* ({place})");
        format!("{name} = copy({entries});\n{name} = copy(eye({n}) + {name});")
    };
    let inverse = |name| format!("{name} = copy(eye({n}) * 2 - {name});");
    writeln!(text, "{}", factor("B", 11, "upper * right"))?;
    writeln!(text, "{}", factor("C", 12, "(1 - upper) * (1 - right)"))?;
    writeln!(text, "K = copy(mod(B * C, 26));")?;
    writeln!(text, "{}\n{}", inverse("B"), inverse("C"))?;
    writeln!(text, "Kinv = copy(mod(C * B, 26));\nB = 0;\nC = 0;")?;
    writeln!(text, "{}", factor("D", 13, "upper * right"))?;
    writeln!(text, "K = copy(mod(K * D, 26));\n{}", inverse("D"))?;
    writeln!(text, "Kinv = copy(mod(D * Kinv, 26));\nD = 0;")?;
    writeln!(text, "M = copy(97 + round(rand({n}, {n}, 7) * 25));\n")?;
    writeln!(
        text,
        "cipher = mod(K * (M - 97), 26);\nplain = mod(Kinv * cipher, 26) + 97;\nforce(plain);\nK = 0;\nKinv = 0;"
    )?;
    show(
        text,
        "first letters of the text and of the cipher, and letters that differ after decryption",
        &["M(1:8, 1)'", "cipher(1:8, 1)' + 97", "sum(sum(plain != M))"],
    )
}

/// HITS: powers of A' A for a random graph whose popular pages come first, scaled by the largest eigenvalue.
fn hits(text: &mut String, n: u32, iterations: u32) -> std::fmt::Result {
    writeln!(text, "# HITS: authorities among {n} pages, {iterations} iterations.")?;
    writeln!(text, "w = 1 ./ range(1, {n});\nw = w * {n} ./ (w * ones({n}, 1));")?;
    writeln!(
        text,
        "A = (sign(rand({n}, {n}, 5) - (w * 0.5 + 0.5) * {:?}) != 1) .* ones({n}, {n});",
        12.0 / f64::from(n)
    )?;
    writeln!(text, "L = copy(transposed(A) * A);\nv = ones({n}, 1);")?;
    for _ in 0..30 {
        writeln!(text, "v = L * v; v = v ./ (ones(1, {n}) * v);")?;
    }
    writeln!(text, "L = copy(L ./ (ones(1, {n}) * (L * v)));\n\nP = L * L;")?;
    for _ in 1..iterations {
        writeln!(text, "P = P * L;")?;
    }
    writeln!(text, "force(P);")?;
    show(text, "authority of the first five pages, of 1 in all", &["(sum(P, 2) / sum(sum(P)))(1:5)'"])
}

const CLUSTERS: usize = 8;

/// k-means of points around eight centres.  Row (j, l) of W times (x, y, 1) is the squared distance to
/// centroid l less that to centroid j; the sum of its signs over l is 7 only for the nearest centroid.
fn kmeans(text: &mut String, n: u32) -> std::fmt::Result {
    let k = CLUSTERS;
    writeln!(text, "# k-means of {n} points of the plane, {k} clusters, 5 iterations with given centroids.")?;
    writeln!(text, "x = mod(range(0, {}) * 37, 1009) * {:?};", n - 1, 10.0 / 1009.0)?;
    writeln!(text, "y = mod(range(0, {}) * 91, 997) * {:?};", n - 1, 10.0 / 997.0)?;
    writeln!(text, "points = copy([1; 0; 0] * x + [0; 1; 0] * y + [0; 0; 1] * ones(1, {n}));")?;
    writeln!(text, "rows = transposed(points);")?;
    let pairs =
        |j: usize| (0..k * k).map(|pair| if pair / k == j { "1" } else { "0" }).collect::<Vec<_>>().join(" ");
    writeln!(text, "pair = [{}];", (0..k).map(pairs).collect::<Vec<_>>().join("\n        "))?;
    writeln!(text, "win = copy(ones({k}, {n}) * {});", k - 1)?;
    let all = centroids(n, 5);
    for (iteration, centroids) in all.iter().enumerate() {
        let coefficients = centroids.map(|[x, y]| [-2.0 * x, -2.0 * y, x * x + y * y]);
        let rows = (0..k * k).map(|pair| {
            let (a, b) = (coefficients[pair % k], coefficients[pair / k]);
            format!("{:?} {:?} {:?}", a[0] - b[0], a[1] - b[1], a[2] - b[2])
        });
        writeln!(text, "W{} = [{}];", iteration + 1, rows.collect::<Vec<_>>().join("\n      "))?;
    }
    writeln!(text)?;
    for i in 1..=all.len() {
        writeln!(text, "S{i} = ((pair * sign(W{i} * points)) == win) * rows;")?;
    }
    let sums: Vec<_> = (1..=all.len()).map(|i| format!("S{i}")).collect();
    writeln!(text, "force({});", sums.join(", "))?;
    let last = all.len();
    show(
        text,
        "centres of the clusters, and how many points each has",
        &[&format!("horzcat(S{last}(:, 1:2) ./ S{last}(:, 3), S{last}(:, 3))")],
    )
}

/// Centroids before each iteration of Lloyd's algorithm, for the points of [`kmeans`]; the first points are
/// the first centroids.
fn centroids(n: u32, iterations: usize) -> Vec<[[f64; 2]; CLUSTERS]> {
    let point = |i: u32| {
        let i = u64::from(i);
        [((i * 37) % 1009) as f64 * (10.0 / 1009.0), ((i * 91) % 997) as f64 * (10.0 / 997.0)]
    };
    let mut current: [[f64; 2]; CLUSTERS] = std::array::from_fn(|j| point(j as u32));
    let mut all = Vec::new();
    for _ in 0..iterations {
        all.push(current);
        let mut sums = [[0.0; 3]; CLUSTERS];
        for [x, y] in (0..n).map(point) {
            let distance = |[a, b]: [f64; 2]| (x - a).powi(2) + (y - b).powi(2);
            let nearest = (1..CLUSTERS)
                .fold(0, |best, j| if distance(current[j]) < distance(current[best]) { j } else { best });
            sums[nearest] = [sums[nearest][0] + x, sums[nearest][1] + y, sums[nearest][2] + 1.0];
        }
        for (centroid, [x, y, count]) in current.iter_mut().zip(sums) {
            if count > 0.0 {
                *centroid = [x / count, y / count];
            }
        }
    }
    all
}

/// Leontief's model: output for m demands by the series I + A + A A + ...; each sector consumes 60 % of its
/// output.
fn leontief(text: &mut String, n: u32, m: u32, terms: u32) -> std::fmt::Result {
    writeln!(text, "# Leontief input-output model: {n} sectors, {m} demands, {terms} terms.")?;
    writeln!(text, "a = rand({n}, {n}, 31);\nA = copy(a * 0.6 ./ (ones(1, {n}) * a));")?;
    writeln!(text, "d = copy(rand({n}, {m}, 32) * 100);\nI = eye({n});\n")?;
    writeln!(text, "term = I * A; total = I + term;")?;
    for _ in 1..terms {
        writeln!(text, "term = term * A; total = total + term;")?;
    }
    writeln!(text, "x = total * d;\nforce(x);")?;
    show(text, "output of the first five sectors for the first demand", &["x(1:5, 1)'"])
}

/// Markov chain: distribution after some steps of a column-stochastic matrix that favours nearby states.
fn markov(text: &mut String, n: u32, steps: u32) -> std::fmt::Result {
    writeln!(text, "# Markov chain with {n} states, {} steps.", steps + 1)?;
    writeln!(text, "near = abs(transposed(range(1, {n})) - range(1, {n})) * {:?};", -16.0 / f64::from(n))?;
    writeln!(text, "p = (rand({n}, {n}, 41) + 0.05) .* (e .^ near);")?;
    writeln!(text, "P = copy(p ./ (ones(1, {n}) * p));\nv = eye({n}, 1);\n\nQ = P * P;")?;
    for _ in 1..steps {
        writeln!(text, "Q = Q * P;")?;
    }
    writeln!(text, "s = Q * v;\nforce(s);")?;
    show(text, "probabilities of the first five states, and the sum of all", &["s(1:5)'", "sum(s)"])
}

const PATTERNS: u32 = 26;

/// One layer of logistic outputs, trained by the delta rule, which then recalls a pattern.
fn neural(text: &mut String, (inputs, outputs, epochs): (u32, u32, u32)) -> std::fmt::Result {
    writeln!(
        text,
        "# Network with {inputs} inputs and {outputs} outputs: {PATTERNS} patterns, {epochs} epochs."
    )?;
    for i in 0..PATTERNS {
        writeln!(text, "x{i} = copy(round(rand({inputs}, 1, {})));", 100 + i)?;
        writeln!(text, "r{i} = transposed(x{i});\nt{i} = copy(round(rand({outputs}, 1, {})));", 200 + i)?;
    }
    writeln!(
        text,
        "W = zeros({outputs}, {inputs});\nE = copy(ones({outputs}, 1) * e);\nO = ones({outputs}, 1);\n"
    )?;
    for _ in 0..epochs {
        for i in 0..PATTERNS {
            writeln!(text, "x = copy(x{i}); r = copy(r{i}); t = copy(t{i});")?;
            writeln!(text, "y = O ./ (E .^ ((W * x) * -1) + 1); W = W + ((t - y) * 0.01) * r;")?;
        }
    }
    writeln!(text, "x = copy(x0);\nout = round(O ./ (E .^ ((W * x) * -1) + 1));\nforce(out, W);")?;
    show(text, &format!("outputs that are recalled right, of {outputs}"), &["sum(out == t0)"])
}

/// Reachability in a directed graph: boolean powers of the adjacency matrix with ones on its diagonal.
fn reachability(text: &mut String, n: u32, products: u32) -> std::fmt::Result {
    writeln!(text, "# Reachability in a directed graph of {n} vertices.")?;
    writeln!(text, "edge = sign(rand({n}, {n}, 61) - {:?}) == ones({n}, {n}) * -1;", 1.5 / f64::from(n))?;
    writeln!(
        text,
        "B = copy(((edge + eye({n})) != 0) .* ones({n}, {n}));\nR = copy(B);\nZ = zeros({n}, {n});\n"
    )?;
    for _ in 0..products {
        writeln!(text, "R = (R * B) != Z;")?;
    }
    writeln!(text, "force(R);")?;
    show(
        text,
        &format!("pairs of vertices with a path between them, of {}", u64::from(n) * u64::from(n)),
        &["sum(sum(R))"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_parses() {
        for name in NAMES {
            let text = text(name, Size::Tiny).unwrap();
            super::super::parse(text.as_bytes(), name).unwrap();
        }
        assert_eq!(text("nothing", Size::Tiny), None);
    }
}
