//! Reductions of columns and rows.

use pmatrix::operation::Precision;
use pmatrix::session::Options;

use crate::{PROCESSORS, can_run, output, reference, same};

#[test]
fn reductions_have_the_bits_of_the_reference_in_spu_arithmetic() {
    if !can_run() {
        return;
    }
    let mut text = String::new();
    // Blocks hold 256 elements, so long columns and rows are reduced part by part.
    for (number, (rows, columns)) in
        [(1, 1), (1, 300), (300, 1), (33, 17), (4, 5), (3, 70), (260, 3), (66, 66), (0, 3), (3, 0)]
            .into_iter()
            .enumerate()
    {
        text += &format!(
            "a = rand({rows}, {columns}, {number}) * 4 - 2; b = round(a) * 1e37; n = b ./ (round(a) + (b == 0));\n"
        );
        for value in ["a", "b", "n"] {
            text += &format!("print(cumsum({value}, 1), cumsum({value}, 2), norm({value}));\n");
            for function in ["sum", "prod", "sumsq", "maximum", "minimum", "any", "all"] {
                text += &format!("print({function}({value}), {function}({value}, 2));\n");
            }
        }
    }
    text += "z = [0 -0; -0 0; 0 0] ./ 0; print(maximum(z), minimum(z), maximum([0 1; 1 0] ./ 0, 2), sum([-0; -0]));\n\
             t = [1 0; 0 0; 1 1] * 1e-30 * 1e-12; u = t ./ t; print(any(t), all(t), maximum(t, 2), any(u, 2), all(u), minimum(-t));\n";
    // Norms of rising and falling numbers, of equal ones, and of what is no finite number.
    text += "r = cumsum(rand(37, 9, 3), 1); f = 20 - r; e = r * 0 + 3; q = [1e-30 3e30; -0 2e-35];\n\
             print(norm(r), norm(f), norm(e), norm(e(:, 1:5) * 0), norm(q), norm(q * 1e8), norm([3 -4; 0 -0]), norm(5), norm(-0));\n\
             print(norm(q / 0), norm([1; 2; 0] ./ [0; 0; 0]), norm([1 0 2] ./ [1 0 1]), norm(r .* 1e-38), norm(f .* 1e38));\n\
             print(cumsum([-0 -0; -0 0; 1 2], 1), cumsum([-0 -0 1; -0 0 2], 2), cumsum(q / 0, 1), cumsum(q / 0, 2));\n";
    for precision in Precision::ALL {
        for processor in PROCESSORS {
            for chaos in [None, Some(7)] {
                let options =
                    Options { engine: "sim".into(), processor, meus: 3, chaos, ..Options::default() };
                let expected = output(&text, precision, &reference(&options));
                let found = output(&text, precision, &options);
                same(&found, &expected, &format!("{options:?}:\n{text}"));
            }
        }
    }
}
