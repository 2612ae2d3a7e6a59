//! From a point of the reduced system back to a point of the one asked about.

use crate::num::{Num, Stop};
use crate::solve::rows::Rows;

/// The steps by which variables left a system, in order.
#[derive(Clone, Debug)]
pub(crate) struct Trail<N> {
    steps: Vec<Step<N>>,
}

#[derive(Clone, Debug)]
enum Step<N> {
    /// `row . (x, 1) == 0` gives `var`, whose coefficient is 1 or -1.
    Equal { var: usize, row: Vec<N> },
    /// `var` stands for `var + sum of quotients_i x_i`.
    Shear { var: usize, quotients: Vec<N> },
    /// `var` is any integer that satisfies these inequalities, and there is one.
    Between { var: usize, rows: Rows<N> },
}

impl<N> Default for Trail<N> {
    fn default() -> Self {
        Trail { steps: Vec::new() }
    }
}

impl<N: Num> Trail<N> {
    pub fn equal(&mut self, var: usize, row: &[N]) {
        let row = row.to_vec();
        self.steps.push(Step::Equal { var, row });
    }

    pub fn shear(&mut self, var: usize, quotients: Vec<N>) {
        self.steps.push(Step::Shear { var, quotients });
    }

    pub fn between(&mut self, var: usize, rows: Rows<N>) {
        self.steps.push(Step::Between { var, rows });
    }

    /// Sets the variables that left the system, given values of those that stayed.
    pub fn complete(&self, point: &mut [N]) -> Result<(), Stop> {
        for step in self.steps.iter().rev() {
            match step {
                Step::Equal { var, row } => {
                    point[*var] = N::zero();
                    let rest = evaluate(row, point)?;
                    point[*var] = rest.mul(&row[*var])?.neg()?;
                }
                Step::Shear { var, quotients } => {
                    let mut value = point[*var].clone();
                    for (quotient, x) in quotients.iter().zip(point.iter()) {
                        value = value.sub(&quotient.mul(x)?)?;
                    }
                    point[*var] = value;
                }
                Step::Between { var, rows } => point[*var] = between(*var, rows, point)?,
            }
        }
        Ok(())
    }
}

/// The least integer the rows allow for `var`, or the greatest where there is no
/// least, or 0 where all are allowed.
fn between<N: Num>(var: usize, rows: &Rows<N>, point: &mut [N]) -> Result<N, Stop> {
    point[var] = N::zero();
    let mut low: Option<N> = None;
    let mut high: Option<N> = None;
    for row in rows.iter() {
        let rest = evaluate(row, point)?.neg()?;
        if row[var].signum() > 0 {
            let bound = rest.div_ceil(&row[var])?;
            low = Some(low.map_or(bound.clone(), |l| l.max(bound)));
        } else {
            let bound = rest.div_floor(&row[var])?;
            high = Some(high.map_or(bound.clone(), |h| h.min(bound)));
        }
    }
    debug_assert!(low.is_none() || high.is_none() || low <= high);
    Ok(low.or(high).unwrap_or_else(N::zero))
}

/// The value of an affine form; the constant is its last entry.
pub(crate) fn evaluate<N: Num>(row: &[N], point: &[N]) -> Result<N, Stop> {
    let (constant, coefficients) = row.split_last().expect("a row has a constant");
    let mut sum = constant.clone();
    for (a, x) in coefficients.iter().zip(point) {
        if !a.is_zero() {
            sum.add_product(a, x)?;
        }
    }
    Ok(sum)
}
