//! Simplification of one conjunct without search: what costs little and is exact.
//!
//! Rows are divided by the greatest common divisor of their coefficients, constants
//! of inequalities rounded down; parallel rows are merged; equalities are solved;
//! locals are eliminated where that is exact over the integers.

mod divisions;
mod equalities;
mod locals;
mod rows;

pub(crate) use locals::{combine, exact_shadow};

use crate::conjunct::Conjunct;
use crate::int::Int;

impl Conjunct {
    /// Brings the constraints to a simpler form of the same points. Cheap: it solves
    /// no linear program. A contradiction that shows in the rows leaves the one
    /// constraint `-1 >= 0`.
    pub fn simplify(&mut self) {
        if self.simplified().is_none() {
            self.make_contradiction();
        }
    }

    /// `None` for a contradiction.
    fn simplified(&mut self) -> Option<()> {
        loop {
            self.normalise_rows()?;
            self.solve_equalities()?;
            let solved = self.equalities.len();
            self.normalise_rows()?;
            // Two inequalities may have become one more equality.
            if self.equalities.len() <= solved
                && !self.identify_divisions()
                && !self.eliminate_a_local()
            {
                return Some(());
            }
        }
    }

    /// Has [`Conjunct::simplify`] found that there is no point? A conjunct without
    /// points need not be found out; [`Conjunct::is_empty`] decides.
    pub fn is_contradiction(&self) -> bool {
        self.inequalities.iter().any(|row| {
            row.split_last().is_some_and(|(constant, coefficients)| {
                constant.is_negative() && coefficients.iter().all(Int::is_zero)
            })
        })
    }

    pub(crate) fn make_contradiction(&mut self) {
        *self = Conjunct::universe(self.space);
        self.add_inequality(&[], Int::MINUS_ONE);
    }

    /// Takes a local, which no row needs any more, out of the columns.
    pub(crate) fn remove_column(&mut self, column: usize) {
        debug_assert!(column >= self.space.columns());
        for row in self.equalities.iter_mut().chain(&mut self.inequalities) {
            row.remove(column);
        }
        self.locals -= 1;
    }
}
