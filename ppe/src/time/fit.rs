//! Ordinary least squares for the few coefficients of a stage's polynomial.

use super::terms::{Coefficients, TERMS};

/// One measurement: the values of the terms, and the time in nanoseconds.
pub type Sample = ([f64; TERMS], f64);

/// As [`least_squares`], where no coefficient is less than 0: times that are measured on a busy machine may make one
/// negative, and such a model says nonsense of sizes that were not measured.
#[must_use]
pub fn least_squares_from_0(samples: &[Sample]) -> Option<Coefficients> {
    let mut samples = samples.to_vec();
    loop {
        let coefficients = least_squares(&samples)?;
        let least = (0..TERMS).min_by(|&a, &b| coefficients[a].total_cmp(&coefficients[b]))?;
        if coefficients[least] >= 0.0 {
            return Some(coefficients);
        }
        samples.iter_mut().for_each(|(terms, _)| terms[least] = 0.0);
    }
}

/// Coefficients that minimise the sum of squared *relative* errors, so that the times of small blocks are met
/// as well as the times of large blocks; None when the sizes do not differ. A term that is 0 in every sample, or
/// that follows from the terms before it, gets the coefficient 0.
#[must_use]
pub fn least_squares(samples: &[Sample]) -> Option<Coefficients> {
    let used: Vec<usize> = (0..TERMS).filter(|&t| samples.iter().any(|(terms, _)| terms[t] != 0.0)).collect();
    let n = used.len();
    if samples.len() < n || n == 0 {
        return None;
    }
    // Columns are scaled to unit length: the terms differ by six orders of magnitude.
    let rows: Vec<(Vec<f64>, f64)> = samples
        .iter()
        .map(|(terms, time)| {
            let weight = 1.0 / time.max(1.0);
            (used.iter().map(|&t| terms[t] * weight).collect(), time * weight)
        })
        .collect();
    let scales: Vec<f64> =
        (0..n).map(|c| rows.iter().map(|(r, _)| r[c] * r[c]).sum::<f64>().sqrt()).collect();
    if scales.contains(&0.0) {
        return None;
    }
    // Normal equations [G | b], then elimination with pivots on the diagonal (G is symmetric and positive
    // definite).
    let mut system = vec![vec![0.0; n + 1]; n];
    for (row, time) in &rows {
        for i in 0..n {
            for j in 0..n {
                system[i][j] += row[i] / scales[i] * row[j] / scales[j];
            }
            system[i][n] += row[i] / scales[i] * time;
        }
    }
    let mut rank = 0;
    for pivot in 0..n {
        if system[pivot][pivot] < 1e-10 {
            continue;
        }
        rank += 1;
        for other in 0..n {
            if other != pivot {
                let row = system[pivot].clone();
                let factor = system[other][pivot] / row[pivot];
                system[other].iter_mut().zip(row).for_each(|(value, above)| *value -= factor * above);
            }
        }
    }
    if rank < n.min(2) {
        return None;
    }
    let mut coefficients = [0.0; TERMS];
    for (c, &term) in used.iter().enumerate().filter(|&(c, _)| system[c][c] >= 1e-10) {
        coefficients[term] = system[c][n] / system[c][c] / scales[c];
    }
    Some(coefficients)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_data_give_the_exact_coefficients() {
        let samples: Vec<Sample> = [(4.0, 8.0), (96.0, 96.0), (16.0, 4.0), (48.0, 96.0), (96.0, 4.0)]
            .map(|(r, c)| ([1.0, r, r * c, 0.0, 0.0, 0.0], 120.0 + 0.5 * r + 0.03 * r * c))
            .to_vec();
        let [a0, a1, a2, ..] = least_squares(&samples).unwrap();
        assert!((a0 - 120.0).abs() < 1e-6 && (a1 - 0.5).abs() < 1e-6 && (a2 - 0.03).abs() < 1e-9);
    }

    #[test]
    fn unused_terms_and_too_few_samples() {
        let samples: Vec<Sample> =
            vec![([1.0, 10.0, 0.0, 0.0, 0.0, 0.0], 30.0), ([1.0, 20.0, 0.0, 0.0, 0.0, 0.0], 50.0)];
        let [a0, a1, a2, ..] = least_squares(&samples).unwrap();
        assert!((a0 - 10.0).abs() < 1e-9 && (a1 - 2.0).abs() < 1e-9 && a2 == 0.0);
        assert_eq!(least_squares(&samples[..1]), None);
        assert_eq!(least_squares(&[samples[0], samples[0]]), None);
        assert_eq!(least_squares(&[]), None);
    }

    #[test]
    fn negative_coefficients_are_left_out() {
        let samples: Vec<Sample> = (1..20)
            .map(|n| {
                let n = f64::from(n);
                ([1.0, n, n * n, 0.0, 0.0, 0.0], 50.0 + 3.0 * n - 0.01 * n * n)
            })
            .collect();
        assert!(least_squares(&samples).unwrap()[2] < 0.0);
        let coefficients = least_squares_from_0(&samples).unwrap();
        assert_eq!(coefficients[2], 0.0);
        assert!(coefficients[0] > 45.0 && coefficients[1] > 2.0, "{coefficients:?}");
    }
}
