//! Linear inequalities in whole numbers and their Fourier-Motzkin elimination.
//!
//! What elimination gives holds wherever the inequalities it is made of hold; it may
//! hold elsewhere too, since it reasons over the rationals (A. Schrijver, "Theory of
//! Linear and Integer Programming", 12.2).

use super::frame::Frame;
use num_integer::gcd;
use terrace_ir::affine::{
    AffineExpr, Emptiness, Flattener, FourierMotzkinLimits, LinearRow, LinearSystem,
};

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

    /// What holds nowhere.
    pub fn never(columns: usize) -> Inequality {
        Inequality {
            coefficients: vec![0; columns],
            constant: -1,
        }
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
        let factor = wide.iter().fold(0, |g, c| gcd(g, c.unsigned_abs()));
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

/// Expressions over a frame as inequalities that they are not negative; `None` for
/// those that are too large to reason about.
pub struct Inequalities {
    pub rows: Vec<Option<Inequality>>,
    /// What defines the divisions in them, which always holds.
    pub definitions: Vec<Inequality>,
}

impl Inequalities {
    pub fn of(frame: &Frame, exprs: &[AffineExpr]) -> Inequalities {
        let mut f = Flattener::new(frame.num_dims(), frame.num_symbols());
        let rows: Vec<_> = exprs.iter().map(|e| f.flatten(e).ok()).collect();
        let columns = f.num_inputs() + f.locals().len();
        let mut definitions = Vec::new();
        for (i, local) in f.locals().iter().enumerate() {
            if let Some(d) = &local.division {
                let pair = definition(&d.dividend, d.divisor, f.num_inputs() + i, columns);
                definitions.extend(pair.into_iter().flatten());
            }
        }
        let row = |r: Option<LinearRow>| r.map(|r| Inequality::new(&r, columns));
        Inequalities {
            rows: rows.into_iter().map(row).collect(),
            definitions,
        }
    }

    /// Whether row `i` holds wherever the rows for which `given` says yes do.
    pub fn follows(&self, i: usize, given: impl Fn(usize) -> bool) -> bool {
        let Some(row) = &self.rows[i] else {
            return false;
        };
        let rows = self.rows.iter().enumerate();
        let rows = rows
            .filter(|(j, _)| given(*j))
            .filter_map(|(_, r)| r.as_ref());
        row.follows_from(rows.chain(&self.definitions))
    }

    /// Whether all rows together hold nowhere.
    pub fn is_never(&self) -> bool {
        let columns = self.rows.iter().flatten().map(|r| r.coefficients.len());
        let never = Inequality::never(columns.max().unwrap_or(0));
        never.follows_from(self.rows.iter().flatten().chain(&self.definitions))
    }
}

/// `0 <= dividend - divisor * column <= divisor - 1`, as far as it fits.
pub fn definition(
    dividend: &LinearRow,
    divisor: i64,
    column: usize,
    columns: usize,
) -> Option<[Inequality; 2]> {
    let mut low = dividend.clone();
    low.coefficients.resize(columns, 0);
    low.coefficients[column] = low.coefficients[column].checked_sub(divisor)?;
    let high = LinearRow {
        coefficients: low
            .coefficients
            .iter()
            .map(|c| c.checked_neg())
            .collect::<Option<_>>()?,
        constant: low.constant.checked_neg()?.checked_add(divisor - 1)?,
    };
    Some([
        Inequality::new(&low, columns),
        Inequality::new(&high, columns),
    ])
}
