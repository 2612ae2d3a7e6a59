//! Linear inequalities in whole numbers and their Fourier-Motzkin elimination.
//!
//! What elimination gives holds wherever the inequalities it is made of hold; it may
//! hold elsewhere too, since it reasons over the rationals (A. Schrijver, "Theory of
//! Linear and Integer Programming", 12.2).

use terrace_ir::affine::{Emptiness, FourierMotzkinLimits, LinearRow, LinearSystem};

/// `coefficients . x + constant >= 0`; there is a coefficient for each column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inequality {
    pub coefficients: Vec<i64>,
    pub constant: i64,
}

impl Inequality {
    /// That a linear form over `columns` columns is not negative, with the common
    /// factor of the coefficients divided out and the constant rounded.
    pub fn new(row: &LinearRow, columns: usize) -> Inequality {
        let mut coefficients = row.coefficients.clone();
        coefficients.resize(columns.max(coefficients.len()), 0);
        let mut this = Inequality {
            coefficients,
            constant: row.constant,
        };
        let factor = this
            .coefficients
            .iter()
            .fold(0, |g, c| gcd(g, c.unsigned_abs()));
        if let Ok(factor) = i64::try_from(factor)
            && factor > 1
        {
            for c in &mut this.coefficients {
                *c /= factor;
            }
            this.constant = this.constant.div_euclid(factor);
        }
        this
    }

    pub fn at(&self, column: usize) -> i64 {
        self.coefficients.get(column).copied().unwrap_or(0)
    }

    /// The linear form without one column.
    pub fn without(&self, column: usize) -> LinearRow {
        let mut coefficients = self.coefficients.clone();
        if let Some(c) = coefficients.get_mut(column) {
            *c = 0;
        }
        LinearRow {
            coefficients,
            constant: self.constant,
        }
    }

    /// What follows from this lower bound of a column and an upper bound of it, free
    /// of the column. `None` where numbers grow too large.
    pub fn eliminate(&self, upper: &Inequality, column: usize) -> Option<Inequality> {
        let (a, b) = (i128::from(self.at(column)), -i128::from(upper.at(column)));
        let sum = |x: i64, y: i64| {
            let (x, y) = (i128::from(x).checked_mul(b)?, i128::from(y).checked_mul(a)?);
            x.checked_add(y)
        };
        let mut wide: Vec<i128> = self
            .coefficients
            .iter()
            .zip(&upper.coefficients)
            .map(|(x, y)| sum(*x, *y))
            .collect::<Option<_>>()?;
        let mut constant = sum(self.constant, upper.constant)?;
        let factor = wide.iter().fold(0, |g, c| gcd_wide(g, c.unsigned_abs()));
        if let Ok(factor) = i128::try_from(factor)
            && factor > 1
        {
            for c in &mut wide {
                *c /= factor;
            }
            constant = constant.div_euclid(factor);
        }
        Some(Inequality {
            coefficients: wide
                .into_iter()
                .map(|c| i64::try_from(c).ok())
                .collect::<Option<_>>()?,
            constant: i64::try_from(constant).ok()?,
        })
    }

    /// Whether this holds for all whole numbers for which `others` do. "No" may also
    /// mean that it could not be shown.
    pub fn follows_from<'a>(&self, others: impl Iterator<Item = &'a Inequality>) -> bool {
        let mut system = LinearSystem::new(self.coefficients.len());
        for o in others {
            system.add_inequality(&o.coefficients, o.constant);
        }
        // Not this: -row - 1 >= 0.
        let opposite: Option<Vec<i64>> =
            self.coefficients.iter().map(|c| c.checked_neg()).collect();
        let constant = self.constant.checked_neg().and_then(|c| c.checked_sub(1));
        let (Some(opposite), Some(constant)) = (opposite, constant) else {
            return false;
        };
        system.add_inequality(&opposite, constant);
        system.emptiness(FourierMotzkinLimits { rows: 400 }) == Emptiness::Empty
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn gcd_wide(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
