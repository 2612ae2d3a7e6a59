//! Statistics of measurements.

/// The median of some numbers; of an even number, the mean of the middle two. NaN of none.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[half],
        _ => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

/// Kendall's rank correlation of pairs, tau-b, which counts ties (M. G. Kendall, "The
/// treatment of ties in ranking problems", Biometrika 33, 1945): 1 where both order the
/// points alike, -1 where in opposite ways. None where one of them orders nothing. All
/// pairs of points are compared.
pub fn kendall(points: &[(f64, f64)]) -> Option<f64> {
    let (mut balance, mut by_first, mut by_second) = (0i64, 0i64, 0i64);
    for (i, a) in points.iter().enumerate() {
        for b in &points[i + 1..] {
            let x = sign(a.0, b.0);
            let y = sign(a.1, b.1);
            balance += x * y;
            by_first += x * x;
            by_second += y * y;
        }
    }
    if by_first == 0 || by_second == 0 {
        return None;
    }
    Some(balance as f64 / (by_first as f64 * by_second as f64).sqrt())
}

fn sign(a: f64, b: f64) -> i64 {
    a.total_cmp(&b) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    fn tau(x: &[f64], y: &[f64]) -> Option<f64> {
        let points: Vec<_> = x.iter().copied().zip(y.iter().copied()).collect();
        kendall(&points)
    }

    #[test]
    fn orders_that_agree_and_that_do_not() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(tau(&x, &[10.0, 20.0, 21.0, 22.0]), Some(1.0));
        assert_eq!(tau(&x, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(tau(&x, &[7.0; 4]), None);
        assert_eq!(tau(&[], &[]), None);
    }

    #[test]
    fn ties_as_computed_by_hand() {
        // Pairs: 6 in all. x ties in one (2, 2), y in one (1, 1); of the other four, three
        // agree and one does not: (3 - 1) / sqrt(5 * 5).
        let t = tau(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 1.0, 2.0]).unwrap();
        assert!((t - 0.4).abs() < 1e-12, "{t}");
        // Twelve judges' ranks without ties: 66 pairs, 11 discordant.
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let mut y = x.clone();
        y.rotate_left(1);
        let t = tau(&x, &y).unwrap();
        assert!((t - (55.0 - 11.0) / 66.0).abs() < 1e-12, "{t}");
    }
}
