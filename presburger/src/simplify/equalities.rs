//! Solving equalities over the integers.
//!
//! A local with the coefficient 1 or -1 is replaced by what it equals. Of several
//! locals in one equality all but one are removed by a unimodular change of
//! variables, which is the column half of Hermite's normal form (Schrijver, Theory of
//! Linear and Integer Programming, chapter 4): what is left is a congruence
//! `a e = f(x)`, whose local is in no other row.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;

use super::rows::{Normal, normalise_equality};

impl Conjunct {
    /// Solves the equalities: afterwards each has at most one local, which is in no
    /// other row; one that has a parameter or dimension with the coefficient 1 or -1
    /// and no local defines it, and it is in no other row. `None` for a contradiction.
    pub(super) fn solve_equalities(&mut self) -> Option<()> {
        let mut pending = std::mem::take(&mut self.equalities);
        pending.reverse();
        // Those in `self.equalities` are solved.
        while let Some(mut row) = pending.pop() {
            match normalise_equality(&mut row) {
                Normal::Never => return None,
                Normal::Always => continue,
                Normal::Constraint => {}
            }
            let first_local = self.space.columns();
            let pivot = self.single_local(&mut row, &mut pending);
            if let Some(pivot) = pivot {
                self.substitute(pivot, &row, &mut pending);
                if row[pivot].abs().is_one() {
                    for other in &mut pending {
                        other.remove(pivot);
                    }
                    self.remove_column(pivot);
                } else {
                    reduce_congruence(&mut row, pivot);
                    self.equalities.push(row);
                }
            } else {
                let unit = (0..first_local).rev().find(|&c| row[c].abs().is_one());
                if let Some(unit) = unit {
                    self.substitute(unit, &row, &mut pending);
                }
                self.equalities.push(row);
            }
        }
        // What was substituted later can have changed an earlier congruence.
        let first_local = self.space.columns();
        let last = self.row_len() - 1;
        for row in &mut self.equalities {
            if let Some(pivot) = (first_local..last).find(|&c| !row[c].is_zero()) {
                reduce_congruence(row, pivot);
            }
        }
        Some(())
    }

    /// Changes the locals so that the equality has one at most, and gives its column.
    ///
    /// Where `e_p` and `e_q` have the coefficients `a` and `b`, `e_p' = e_p + k e_q`
    /// leaves `b - k a` at `e_q`: Euclid's algorithm on the coefficients.
    fn single_local(&mut self, row: &mut Row, pending: &mut [Row]) -> Option<usize> {
        let locals = self.space.columns()..self.row_len() - 1;
        loop {
            let smallest = locals
                .clone()
                .filter(|&c| !row[c].is_zero())
                .min_by(|&a, &b| row[a].abs().cmp(&row[b].abs()))?;
            if row[smallest].abs().is_one() {
                return Some(smallest);
            }
            let Some(other) = locals.clone().find(|&c| c != smallest && !row[c].is_zero()) else {
                return Some(smallest);
            };
            let factor = -row[other].div_floor(&row[smallest]);
            let change = |r: &mut Row| {
                let at_smallest = r[smallest].clone();
                r[other].add_product(&factor, &at_smallest);
            };
            change(row);
            pending.iter_mut().for_each(change);
            self.equalities.iter_mut().for_each(change);
            self.inequalities.iter_mut().for_each(change);
        }
    }

    /// Removes a column from all other rows by means of an equality.
    fn substitute(&mut self, column: usize, equality: &Row, pending: &mut [Row]) {
        for row in pending
            .iter_mut()
            .chain(&mut self.equalities)
            .chain(&mut self.inequalities)
        {
            eliminate(row, column, equality);
        }
    }
}

/// Removes a column from a row by adding a multiple of an equality; the row itself is
/// multiplied by something positive only, so that inequalities keep their sense.
pub(crate) fn eliminate(row: &mut [Int], column: usize, equality: &[Int]) {
    if row[column].is_zero() {
        return;
    }
    let pivot = &equality[column];
    let gcd = pivot.gcd(&row[column]);
    let scale = pivot.abs().div_floor(&gcd);
    let mut factor = -row[column].div_floor(&gcd);
    if pivot.is_negative() {
        factor = -factor;
    }
    for (entry, by) in row.iter_mut().zip(equality) {
        if !scale.is_one() {
            *entry = &*entry * &scale;
        }
        if !by.is_zero() {
            entry.add_product(&factor, by);
        }
    }
}

/// Brings the other entries of a congruence between 0 and its modulus: its local is in
/// no other row, so it can take up any multiple.
fn reduce_congruence(row: &mut Row, pivot: usize) {
    let modulus = row[pivot].abs();
    for (column, entry) in row.iter_mut().enumerate() {
        if column != pivot {
            *entry = entry.mod_floor(&modulus);
        }
    }
    row[pivot] = -modulus;
}
