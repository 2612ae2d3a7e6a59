//! Questions about the integer points of a conjunct: is there one, which, is this one.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::num::{Budget, Num, Stop};
use crate::solve::system::System;
use crate::solve::{search, widening};
use crate::unknown::Unknown;

impl Conjunct {
    /// Whether there is no integer point: no values of parameters, dimensions and
    /// locals that satisfy all constraints.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    pub fn is_empty(&self) -> Result<bool, Unknown> {
        fn run<N: Num>(conjunct: &Conjunct, budget: &mut Budget) -> Result<bool, Stop> {
            let system = System::<N>::load(conjunct, false)?;
            Ok(search(system, budget)?.is_none())
        }
        widening!("the search for an integer point", run(self))
    }

    /// An integer point, as the values of parameters, inputs and outputs; none where
    /// there is none. The same conjunct gives the same point.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    pub fn sample(&self) -> Result<Option<Vec<Int>>, Unknown> {
        let mut point = self.sample_with_locals()?;
        if let Some(point) = &mut point {
            point.truncate(self.space().columns());
        }
        Ok(point)
    }

    /// An integer point with the values of the locals behind those of the dimensions.
    ///
    /// # Errors
    ///
    /// As for [`Conjunct::sample`].
    pub fn sample_with_locals(&self) -> Result<Option<Vec<Int>>, Unknown> {
        fn run<N: Num>(conjunct: &Conjunct, budget: &mut Budget) -> Result<Option<Vec<Int>>, Stop> {
            let system = System::<N>::load(conjunct, true)?;
            let point = search(system, budget)?;
            Ok(point.map(|point| point.iter().map(Num::to_int).collect()))
        }
        widening!("the search for an integer point", run(self))
    }

    /// Whether the point, given by the values of parameters, inputs and outputs, is
    /// one of the conjunct's.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search for values of the locals was given up.
    ///
    /// # Panics
    ///
    /// If the point has not one value for each column of the space.
    pub fn contains(&self, point: &[Int]) -> Result<bool, Unknown> {
        let columns = self.space().columns();
        assert_eq!(point.len(), columns, "one value for each column");
        let holds = |row: &[Int], ok: fn(i32) -> bool| {
            let mut value = row[columns].clone();
            for (a, x) in row.iter().zip(point) {
                value.add_product(a, x);
            }
            ok(value.signum())
        };
        if self.locals() == 0 {
            return Ok(self.equalities().iter().all(|row| holds(row, |s| s == 0))
                && self.inequalities().iter().all(|row| holds(row, |s| s >= 0)));
        }
        let mut at_point = self.clone();
        for (column, value) in point.iter().enumerate() {
            let mut row = vec![Int::ZERO; column + 1];
            row[column] = Int::ONE;
            at_point.add_equality(&row, -value);
        }
        Ok(!at_point.is_empty()?)
    }
}
