//! Numbers that functions are tried on.

use super::functions::Numbers;

const COUNT: usize = 4000;

pub(super) const SPECIAL: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    3.0,
    1e300,
    -1e300,
    1e-310,
    -1e-310,
    5e-324,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    709.9,
    -745.2,
    1e8,
    1073741824.0,
];

/// Numbers in `low..high`, some of any size with the sign of each end, and special ones.
pub(super) fn samples(low: f64, high: f64) -> Vec<f64> {
    let mut g = Numbers(low.to_bits() ^ high.to_bits());
    let mut v: Vec<f64> = (0..COUNT).map(|_| g.between(low, high)).collect();
    for _ in 0..COUNT / 4 {
        let any = f64::from_bits(g.bits());
        if any.is_finite() {
            v.push(any);
        }
        // Near one and near zero.
        v.push(1.0 + g.between(-1e-3, 1e-3));
        v.push(g.between(-1e-9, 1e-9));
        v.push(g.between(-3.0, 3.0));
    }
    v.extend(SPECIAL);
    v
}

pub(super) fn pairs(low: (f64, f64), high: (f64, f64)) -> Vec<(f64, f64)> {
    let mut g = Numbers(17);
    (0..COUNT)
        .map(|_| (g.between(low.0, high.0), g.between(low.1, high.1)))
        .collect()
}
