//! a .^ b.
//!
//! |a|^b = 2^(b log2 |a|), with the logarithm as an unevaluated sum of two doubles, since b times the
//! logarithm may be as large as 1075.
//! The last addition is the only rounding that counts, so a representable power of an integer comes out
//! exactly.

/// `x + SHIFTER` has the integer nearest to x in its low bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;

/// An unevaluated sum: `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy)]
struct Sum {
    high: f64,
    low: f64,
}

/// a + b, where a is 0 or not the smaller of the two.
fn quick_sum(a: f64, b: f64) -> Sum {
    let sum = a + b;
    Sum { high: sum, low: b - (sum - a) }
}

fn product(x: Sum, y: Sum) -> Sum {
    let high = x.high * y.high;
    Sum { high, low: x.high.mul_add(y.high, -high) + x.high.mul_add(y.low, x.low * y.high) }
}

/// constant + x * y
fn multiply_add(constant: Sum, x: Sum, y: Sum) -> Sum {
    let product = product(x, y);
    let sum = quick_sum(constant.high, product.high);
    Sum { high: sum.high, low: sum.low + (product.low + constant.low) }
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().copied().reduce(|sum, c| sum.mul_add(x, c)).unwrap_or_default()
}

/// x = m 2^e with sqrt(1/2) <= m < sqrt(2), up to the last bits of the root.
fn split(x: f64) -> (f64, f64) {
    let (x, tiny) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), 54) } else { (x, 0) };
    // The high word of sqrt(1/2) is 0x3fe6a09e.
    let field = (x.to_bits() + ((0x3ff0_0000 - 0x3fe6_a09e) << 32)) >> 52;
    let exponent = field as i64 - 1023;
    (f64::from_bits(x.to_bits().wrapping_sub((exponent as u64) << 52)), (exponent - tiny) as f64)
}

/// log2 of a positive, finite number: with s = (m-1)/(m+1), a series in odd powers of s.
fn log2(x: f64) -> Sum {
    let (m, exponent) = split(x);
    let (above, below) = (m - 1.0, m + 1.0);
    let below_low = m - (below - 1.0);
    let inverse = 1.0 / below;
    let high = above * inverse;
    let s = Sum { high, low: (-high).mul_add(below_low, (-high).mul_add(below, above)) * inverse };

    let square = s.high * s.high;
    let z = Sum { high: square, low: s.high.mul_add(s.high, -square) + (s.high + s.high) * s.low };
    let q = polynomial(
        &[
            0.15317974471516707,
            0.15109129907853328,
            0.16974824801187727,
            0.19235906912518932,
            0.2219530852424028,
            0.2623081892450544,
            0.3205988979753357,
            0.4121985831111324,
        ],
        z.high,
    );
    // 2/ln 2 over 5, over 3, and itself.
    let fifth = Sum { high: 0.5770780163555853, low: 5.2551030481378675e-17 };
    let third = Sum { high: 0.9617966939259756, low: 5.0577616648125907e-17 };
    let whole = Sum { high: 2.8853900817779268, low: 4.0710547481862066e-17 };
    let sum = quick_sum(fifth.high, q * z.high);
    let sum = Sum { low: sum.low + fifth.low, ..sum };
    let sum = multiply_add(whole, z, multiply_add(third, z, sum));
    let product = product(s, sum);
    let log = quick_sum(exponent, product.high);
    Sum { low: log.low + product.low, ..log }
}

/// 2^x for |x| <= 1100: the integer nearest to x becomes the exponent.
fn exp2(x: Sum) -> f64 {
    let exponent = (x.high + SHIFTER) - SHIFTER;
    let rest = quick_sum(x.high - exponent, x.low);
    let (ln2, ln2_low) = (std::f64::consts::LN_2, 2.3190468138462996e-17);
    let t = rest.high * ln2;
    let t_low = rest.high.mul_add(ln2, -t) + rest.high.mul_add(ln2_low, rest.low * ln2);
    let p = polynomial(
        &[
            2.09147553258932e-09,
            2.5105312729622103e-08,
            2.755727347871858e-07,
            2.755725517000089e-06,
            2.480158732567746e-05,
            0.0001984126987500228,
            0.0013888888888883711,
            0.008333333333326084,
            0.04166666666666667,
            0.1666666666666667,
            0.5,
        ],
        t,
    );
    let sum = quick_sum(1.0, t);
    let value = sum.high + (sum.low + (t * t).mul_add(p, t.mul_add(t_low, t_low)));
    // In two steps: the first stays in range, the second may overflow, or round a denormal number.
    let half = (exponent / 2.0).floor();
    value * 2f64.powi(half as i32) * 2f64.powi((exponent - half) as i32)
}

pub(super) fn power(a: f64, b: f64) -> f64 {
    // As in Octave.
    if b == 2.0 {
        return a * a;
    }
    // Zeros, infinities and NaN go by the C standard.
    if a == 0.0 || !a.is_finite() || !b.is_finite() {
        return a.powf(b);
    }
    let log = log2(a.abs());
    let high = b * log.high;
    let exponent = match high.abs() > 1100.0 {
        true => Sum { high: 1100f64.copysign(high), low: 0.0 },
        false => Sum { high, low: b.mul_add(log.high, -high) + b * log.low },
    };
    let is_odd = b.floor() == b && (b / 2.0).floor() != b / 2.0;
    if is_odd { exp2(exponent).copysign(a) } else { exp2(exponent) }
}
