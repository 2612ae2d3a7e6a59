//! Whether two arrays hold the same: checksums and comparisons.

use std::fmt;

use crate::buffer::{BufferError, HostBuffer};
use crate::random;

/// Terms summed one after the other before the pairwise tree begins.
const LEAF: usize = 128;
/// Elements above which the halves of the tree are summed side by side.
const ALONE: usize = 1 << 17;

/// A fingerprint of an array's contents that is a number, so that a person can
/// see how far two runs are apart.
///
/// With `v_i` the finite elements in row-major order as doubles, `sum` is their
/// sum and `weighted` the sum of `v_i * w_i`, where `w_i` in [0, 1) is draw `i` of
/// [`random`] with seed 0 (24 bits); so swapped elements are noticed. Both are
/// summed pairwise in one fixed order (leaves of 128, halved at a multiple of
/// 128), hence equal data give equal checksums bit by bit. NaN and infinite
/// elements are counted instead of summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checksum {
    pub sum: f64,
    pub weighted: f64,
    pub nan: usize,
    pub infinite: usize,
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sum {:.10e} weighted {:.10e}", self.sum, self.weighted)?;
        if self.nan > 0 {
            write!(f, ", {} NaN", self.nan)?;
        }
        if self.infinite > 0 {
            write!(f, ", {} infinite", self.infinite)?;
        }
        Ok(())
    }
}

/// The checksum of an array; see [`Checksum`].
pub fn checksum(buffer: &HostBuffer) -> Checksum {
    range_checksum(buffer, 0, buffer.len())
}

fn range_checksum(buffer: &HostBuffer, begin: usize, end: usize) -> Checksum {
    let mut total = Checksum {
        sum: 0.0,
        weighted: 0.0,
        nan: 0,
        infinite: 0,
    };
    if end - begin <= LEAF {
        for i in begin..end {
            let value = buffer.get_f64(i).unwrap_or(0.0);
            if value.is_nan() {
                total.nan += 1;
            } else if value.is_infinite() {
                total.infinite += 1;
            } else {
                total.sum += value;
                total.weighted += value * random::unit(0, i as u64, 24);
            }
        }
        return total;
    }
    let half = ((end - begin) / 2).next_multiple_of(LEAF);
    let first = || range_checksum(buffer, begin, begin + half);
    let second = || range_checksum(buffer, begin + half, end);
    let (left, right) = match end - begin > ALONE {
        true => rayon::join(first, second),
        false => (first(), second()),
    };
    Checksum {
        sum: left.sum + right.sum,
        weighted: left.weighted + right.weighted,
        nan: left.nan + right.nan,
        infinite: left.infinite + right.infinite,
    }
}

/// How far an array is from a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Elements compared.
    pub elements: usize,
    /// Elements whose values differ. NaN equals NaN here, and -0 equals 0.
    pub differing: usize,
    /// The largest |a - b|; infinite when one side alone is NaN or infinite.
    pub max_abs: f64,
    /// The largest |a - b| / max(|a|, |b|); infinite as above.
    pub max_rel: f64,
    /// The largest finite |b| of the reference.
    pub max_reference: f64,
    /// Subscripts of the first element that differs.
    pub first_difference: Option<Vec<usize>>,
    /// That element on both sides, as text.
    pub first_values: Option<(String, String)>,
    /// NaN elements of the array and of the reference.
    pub nan: (usize, usize),
    /// Elements that are NaN on one side only.
    pub nan_mismatch: usize,
}

impl Comparison {
    /// Whether all elements are equal.
    pub fn is_equal(&self) -> bool {
        self.differing == 0
    }

    /// `max_abs` relative to the largest element of the reference: the measure
    /// for sums that cancel, where single elements near zero have no relative
    /// accuracy. Zero when nothing differs.
    pub fn scaled_error(&self) -> f64 {
        if self.max_abs == 0.0 {
            0.0
        } else {
            self.max_abs / self.max_reference
        }
    }

    /// Whether the element-wise relative error, or the one scaled by the
    /// reference's largest element, is at most `tolerance`. NaN on one side only
    /// never passes.
    pub fn within(&self, tolerance: f64) -> bool {
        self.nan_mismatch == 0 && (self.max_rel <= tolerance || self.scaled_error() <= tolerance)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_equal() {
            return write!(f, "all {} elements equal", self.elements);
        }
        write!(
            f,
            "{} of {} elements differ, largest error {:.3e} absolute, {:.3e} relative",
            self.differing, self.elements, self.max_abs, self.max_rel
        )?;
        if let (Some(at), Some((a, b))) = (&self.first_difference, &self.first_values) {
            write!(f, "; first at {at:?}: {a} instead of {b}")?;
        }
        if self.nan != (0, 0) {
            write!(f, "; NaN: {} against {}", self.nan.0, self.nan.1)?;
        }
        Ok(())
    }
}

/// Compares an array with a reference of the same type and shape.
///
/// Integers are compared exactly (their difference is taken before it is
/// rounded to a double).
///
/// # Errors
/// When element types or shapes differ.
pub fn compare(a: &HostBuffer, reference: &HostBuffer) -> Result<Comparison, BufferError> {
    if a.dtype() != reference.dtype() {
        return Err(BufferError::WrongDType {
            found: a.dtype(),
            expected: reference.dtype(),
        });
    }
    if a.shape() != reference.shape() {
        return Err(BufferError::WrongShape {
            found: a.shape().to_vec(),
            expected: reference.shape().to_vec(),
        });
    }
    let dtype = a.dtype();
    let mut result = Comparison {
        elements: a.len(),
        differing: 0,
        max_abs: 0.0,
        max_rel: 0.0,
        max_reference: 0.0,
        first_difference: None,
        first_values: None,
        nan: (0, 0),
        nan_mismatch: 0,
    };
    for i in 0..a.len() {
        let (Some(bits_a), Some(bits_b)) = (a.bits(i), reference.bits(i)) else {
            break;
        };
        let (x, y) = (dtype.f64_of_bits(bits_a), dtype.f64_of_bits(bits_b));
        if y.is_finite() {
            result.max_reference = result.max_reference.max(y.abs());
        }
        result.nan.0 += usize::from(x.is_nan());
        result.nan.1 += usize::from(y.is_nan());
        let error = if dtype.is_float() {
            if x == y || (x.is_nan() && y.is_nan()) {
                continue;
            }
            result.nan_mismatch += usize::from(x.is_nan() != y.is_nan());
            // Inf against anything else, and NaN against a number.
            if x.is_finite() && y.is_finite() {
                (x - y).abs()
            } else {
                f64::INFINITY
            }
        } else {
            if bits_a == bits_b {
                continue;
            }
            (dtype.int_of_bits(bits_a) - dtype.int_of_bits(bits_b)).unsigned_abs() as f64
        };
        let relative = if error.is_finite() {
            error / x.abs().max(y.abs()).max(f64::MIN_POSITIVE)
        } else {
            f64::INFINITY
        };
        if result.differing == 0 {
            result.first_difference = Some(a.subscripts(i));
            let text = |b: &HostBuffer| b.get(i).map(|s| s.to_string()).unwrap_or_default();
            result.first_values = Some((text(a), text(reference)));
        }
        result.differing += 1;
        result.max_abs = result.max_abs.max(error);
        result.max_rel = result.max_rel.max(relative);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Fill;
    use crate::dtype::DType;

    #[test]
    fn checksums_notice_values_and_order() {
        let a = HostBuffer::filled(DType::F64, &[1000], Fill::Random { seed: 1 }).unwrap();
        let mut b = a.try_clone().unwrap();
        assert_eq!(checksum(&a), checksum(&b));
        b.as_mut_slice::<f64>().unwrap().swap(3, 997);
        let (x, y) = (checksum(&a), checksum(&b));
        assert!((x.sum - y.sum).abs() < 1e-9);
        assert!((x.weighted - y.weighted).abs() > 1e-6, "{x} {y}");
        let iota = HostBuffer::filled(DType::I32, &[100_001], Fill::Iota).unwrap();
        assert_eq!(checksum(&iota).sum, 5_000_050_000.0);
        // More than a thread's part, and no multiple of it.
        let iota = HostBuffer::filled(DType::I64, &[400_001], Fill::Iota).unwrap();
        assert_eq!(checksum(&iota).sum, 80_000_200_000.0);
    }

    #[test]
    fn checksum_counts_what_is_not_finite() {
        let b = HostBuffer::from_slice(&[4], &[1.0, f64::NAN, f64::INFINITY, 2.0]).unwrap();
        let sum = checksum(&b);
        assert_eq!((sum.sum, sum.nan, sum.infinite), (3.0, 1, 1));
        assert!(sum.to_string().ends_with(", 1 NaN, 1 infinite"));
        let empty = HostBuffer::zeros(DType::F32, &[0]).unwrap();
        assert_eq!(checksum(&empty).sum, 0.0);
    }

    #[test]
    fn comparison_measures_and_points() {
        let reference = HostBuffer::from_slice(&[2, 2], &[1.0, 2.0, 4.0, 8.0]).unwrap();
        let mut a = reference.try_clone().unwrap();
        assert!(compare(&a, &reference).unwrap().is_equal());
        a.as_mut_slice::<f64>().unwrap()[2] = 4.5;
        let c = compare(&a, &reference).unwrap();
        assert_eq!((c.differing, c.max_abs, c.max_rel), (1, 0.5, 0.5 / 4.5));
        assert_eq!(c.first_difference.as_deref(), Some(&[1, 0][..]));
        assert_eq!(c.scaled_error(), 0.5 / 8.0);
        assert!(c.within(0.0625) && !c.within(0.06));
        assert!(
            c.to_string().contains("first at [1, 0]: 4.5 instead of 4"),
            "{c}"
        );
    }

    #[test]
    fn nan_matches_only_nan() {
        let nan = f32::NAN;
        let b = HostBuffer::from_slice(&[3], &[nan, 1.0, f32::INFINITY]).unwrap();
        assert!(compare(&b, &b).unwrap().is_equal());
        let a = HostBuffer::from_slice(&[3], &[nan, nan, f32::INFINITY]).unwrap();
        let c = compare(&a, &b).unwrap();
        assert_eq!((c.nan, c.nan_mismatch, c.differing), ((2, 1), 1, 1));
        assert!(c.max_abs.is_infinite() && !c.within(f64::INFINITY));
    }

    #[test]
    fn integers_compare_exactly() {
        let a = HostBuffer::from_slice(&[1], &[i64::MAX]).unwrap();
        let b = HostBuffer::from_slice(&[1], &[i64::MAX - 1]).unwrap();
        assert_eq!(compare(&a, &b).unwrap().max_abs, 1.0);
        let c = HostBuffer::from_slice(&[1], &[i64::MIN]).unwrap();
        assert_eq!(compare(&a, &c).unwrap().max_abs, 2f64.powi(64));
        let d = HostBuffer::from_slice(&[1, 1], &[1i64]).unwrap();
        assert!(compare(&a, &d).is_err());
        let e = HostBuffer::from_slice(&[1], &[1i32]).unwrap();
        assert!(compare(&a, &e).is_err());
    }
}
