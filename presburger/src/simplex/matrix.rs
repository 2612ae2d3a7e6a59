//! The matrix under every simplex here: rows with a common denominator, and the pivot.

use crate::num::{Budget, Num, Stop};
use crate::solve::rows::Rows;

/// Each row says `entry 0 * (its variable) = the others . (what the columns stand
/// for)`. Entry 0, the denominator, is positive, and no number divides a whole row.
#[derive(Clone, Debug)]
pub(crate) struct Matrix<N> {
    pub rows: Rows<N>,
    scratch: Vec<N>,
}

impl<N: Num> Matrix<N> {
    /// `columns` does not count the denominator.
    pub fn new(columns: usize, rows: usize) -> Matrix<N> {
        Matrix {
            rows: Rows::with_capacity(columns + 1, rows),
            scratch: Vec::new(),
        }
    }

    /// Solves row `at` for what stands in `column`, and puts the result in the place
    /// of that column in all other rows.
    ///
    /// The entry there is not zero.
    pub fn pivot(&mut self, at: usize, column: usize, budget: &mut Budget) -> Result<(), Stop> {
        budget.spend(N::COST * (1 + self.rows.len() * self.rows.width() / 8))?;
        let row = self.rows.row_mut(at);
        // From d R = a X + rest: a X = d R - rest, or -a X = -d R + rest.
        let entry = row[column].clone();
        let denominator = std::mem::replace(&mut row[0], entry);
        row[column] = denominator.neg()?;
        if row[0].signum() < 0 {
            row[0] = row[0].neg()?;
        } else {
            for entry in &mut row[1..] {
                if !entry.is_zero() {
                    *entry = entry.neg()?;
                }
            }
        }
        normalise(row)?;
        let mut solved = std::mem::take(&mut self.scratch);
        solved.clear();
        solved.extend_from_slice(row);
        let one = solved[0].is_one();
        let pivot = solved[0].clone();
        for (other, row) in self.rows.iter_mut().enumerate() {
            if other == at || row[column].is_zero() {
                continue;
            }
            let factor = std::mem::replace(&mut row[column], N::zero());
            if one {
                for (entry, add) in row[1..].iter_mut().zip(&solved[1..]) {
                    if !add.is_zero() {
                        entry.add_product(&factor, add)?;
                    }
                }
                if !row[0].is_one() {
                    normalise(row)?;
                }
            } else {
                row[0] = row[0].mul(&pivot)?;
                for (entry, add) in row[1..].iter_mut().zip(&solved[1..]) {
                    entry.scale_add(&pivot, &factor, add)?;
                }
                normalise(row)?;
            }
        }
        self.scratch = solved;
        Ok(())
    }
}

/// Divides a row by what divides all of it.
pub(crate) fn normalise<N: Num>(row: &mut [N]) -> Result<(), Stop> {
    let mut divisor = row[0].clone();
    for entry in &row[1..] {
        if divisor.is_one() {
            return Ok(());
        }
        if !entry.is_zero() {
            divisor = divisor.gcd(entry)?;
        }
    }
    if divisor.is_one() {
        return Ok(());
    }
    for entry in row.iter_mut() {
        if !entry.is_zero() {
            *entry = entry.div_exact(&divisor)?;
        }
    }
    Ok(())
}

/// Adds `factor` times a row with its own denominator.
pub(crate) fn add_fraction<N: Num>(row: &mut [N], factor: &N, other: &[N]) -> Result<(), Stop> {
    if row[0] == other[0] {
        for (entry, add) in row[1..].iter_mut().zip(&other[1..]) {
            if !add.is_zero() {
                entry.add_product(factor, add)?;
            }
        }
        return Ok(());
    }
    let common = row[0].gcd(&other[0])?;
    let scale = other[0].div_exact(&common)?;
    let factor = factor.mul(&row[0].div_exact(&common)?)?;
    row[0] = row[0].mul(&scale)?;
    for (entry, add) in row[1..].iter_mut().zip(&other[1..]) {
        entry.scale_add(&scale, &factor, add)?;
    }
    Ok(())
}
