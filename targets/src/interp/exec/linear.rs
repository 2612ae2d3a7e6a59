//! Linear indices and their digits.

use crate::interp::error::{Fault, Run};

/// The digits of `linear` in a mixed base; the first may be unbounded.
pub(super) fn delinearize(linear: i64, basis: &[i64], outer_bound: bool) -> Run<Vec<i64>> {
    let inner = if outer_bound {
        basis.get(1..).unwrap_or(&[])
    } else {
        basis
    };
    let mut rest = linear;
    let mut digits = Vec::new();
    for b in inner.iter().rev() {
        if *b <= 0 {
            return Err(Fault::new(format!(
                "the basis must be positive, but has {b}"
            )));
        }
        digits.push(rest.rem_euclid(*b));
        rest = rest.div_euclid(*b);
    }
    digits.push(rest);
    digits.reverse();
    Ok(digits)
}

/// The number with these digits; `disjoint` promises that each is below its base.
pub(super) fn linearize(at: &[i64], basis: &[i64], disjoint: bool) -> Run<i64> {
    let first = at
        .len()
        .checked_sub(basis.len())
        .ok_or("has more basis elements than indices")?;
    if disjoint {
        for (k, b) in basis.iter().enumerate() {
            let i = at[first + k];
            if i < 0 || i >= *b {
                return Err(Fault::new(format!(
                    "index {i} is not below {b}, which the op promises (disjoint)"
                )));
            }
        }
    }
    let mut sum = 0i64;
    for (k, i) in at.iter().enumerate() {
        let scale = if k == 0 { 1 } else { basis[k - first] };
        sum = sum
            .checked_mul(scale)
            .and_then(|s| s.checked_add(*i))
            .ok_or("the index overflows 64 bits")?;
    }
    Ok(sum)
}
