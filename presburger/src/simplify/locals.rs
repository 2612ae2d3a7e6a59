//! Elimination of locals from inequalities, where it is exact over the integers.
//!
//! Fourier and Motzkin's elimination combines each lower bound `a e >= f` with each
//! upper bound `b e <= g` to `a g - b f >= 0`, the real shadow. There is an integer
//! `e` for certain where even `a g - b f >= (a - 1)(b - 1)` for all pairs, the dark
//! shadow; where the two say the same of integers the elimination is exact (Pugh, The
//! Omega test, 1991, section 2.3).

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;

use super::rows::{Normal, normalise_inequality};

/// How many rows an elimination may add to those it removes.
const MAX_GROWTH: usize = 4;

impl Conjunct {
    /// Eliminates one local where that is exact and does not add many rows. Says
    /// whether there was one.
    pub(super) fn eliminate_a_local(&mut self) -> bool {
        let first = self.space.columns();
        for column in (first..first + self.locals).rev() {
            if self.equalities.iter().any(|row| !row[column].is_zero()) {
                continue;
            }
            let Some(rows) = exact_shadow(&self.inequalities, column, MAX_GROWTH) else {
                continue;
            };
            self.inequalities = rows;
            self.remove_column(column);
            return true;
        }
        false
    }
}

/// The inequalities without the column, where these are exact and not more than
/// `growth` in excess of those that had it.
pub(crate) fn exact_shadow(inequalities: &[Row], column: usize, growth: usize) -> Option<Vec<Row>> {
    let (with, without): (Vec<&Row>, Vec<&Row>) =
        inequalities.iter().partition(|row| !row[column].is_zero());
    let (lower, upper): (Vec<&Row>, Vec<&Row>) =
        with.iter().partition(|row| row[column].is_positive());
    if lower.len() * upper.len() > with.len() + growth {
        return None;
    }
    let mut rows: Vec<Row> = without.into_iter().cloned().collect();
    for low in &lower {
        for up in &upper {
            let (mut real, exact) = combine(low, up, column);
            if !exact {
                return None;
            }
            match normalise_inequality(&mut real) {
                Normal::Always => {}
                Normal::Constraint | Normal::Never => rows.push(real),
            }
        }
    }
    Some(rows)
}

/// The real shadow of a lower and an upper bound of a column, and whether the dark
/// shadow is the same for integers.
pub(crate) fn combine(low: &Row, up: &Row, column: usize) -> (Row, bool) {
    let a = &low[column];
    let b = up[column].abs();
    let real: Row = low
        .iter()
        .zip(up)
        .map(|(l, u)| {
            let mut sum = l * &b;
            sum.add_product(u, a);
            sum
        })
        .collect();
    let gap = &(a - &Int::ONE) * &(&b - &Int::ONE);
    let exact = gap.is_zero() || {
        let mut dark = real.clone();
        let last = dark.len() - 1;
        dark[last] = &dark[last] - &gap;
        let mut tight = real.clone();
        let same = normalise_inequality(&mut dark);
        normalise_inequality(&mut tight) == same && (same != Normal::Constraint || dark == tight)
    };
    (real, exact)
}
