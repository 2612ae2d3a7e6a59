//! Rational numbers as the simplex gives them.

use std::cmp::Ordering;

use crate::num::{Num, Stop};

/// A fraction with a positive denominator.
#[derive(Clone, Debug)]
pub(crate) struct Ratio<N> {
    pub numerator: N,
    pub denominator: N,
}

impl<N: Num> Ratio<N> {
    pub fn floor(&self) -> Result<N, Stop> {
        self.numerator.div_floor(&self.denominator)
    }

    pub fn ceil(&self) -> Result<N, Stop> {
        self.numerator.div_ceil(&self.denominator)
    }

    pub fn is_integral(&self) -> Result<bool, Stop> {
        Ok(self.denominator.is_one() || self.numerator.mod_floor(&self.denominator)?.is_zero())
    }

    pub fn compare(&self, other: &Ratio<N>) -> Result<Ordering, Stop> {
        let left = self.numerator.mul(&other.denominator)?;
        Ok(left.cmp(&other.numerator.mul(&self.denominator)?))
    }
}
