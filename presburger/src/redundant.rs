//! Constraints that say nothing new.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::num::{Budget, Num, Stop};
use crate::simplex::tableau::Tableau;
use crate::solve::rows::Rows;
use crate::solve::system::System;
use crate::solve::widening;
use crate::unknown::Unknown;

impl Conjunct {
    /// Removes inequalities that the others imply, makes equalities of those that
    /// never hold strictly, and divides rows by what divides them. The integer points
    /// stay the same. Where it shows that there are none, one constraint is left,
    /// which says so.
    ///
    /// Implied is judged over the rationals, with the constants as tight as integers
    /// allow: a conjunct without an integer point may keep its constraints.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where it was given up; nothing is changed then.
    pub fn remove_redundant(&mut self) -> Result<(), Unknown> {
        let (equalities, inequalities) = widening(
            "the removal of redundant constraints",
            |budget| run::<i64>(self, budget),
            |budget| run::<Int>(self, budget),
        )?;
        self.equalities = equalities;
        self.inequalities = inequalities;
        Ok(())
    }
}

type Constraints = (Vec<Vec<Int>>, Vec<Vec<Int>>);

fn run<N: Num>(conjunct: &Conjunct, budget: &mut Budget) -> Result<Constraints, Stop> {
    let mut system = System::<N>::load(conjunct, false)?;
    let never = || {
        let mut row = vec![Int::ZERO; conjunct.row_len()];
        row[conjunct.row_len() - 1] = Int::MINUS_ONE;
        (Vec::new(), vec![row])
    };
    if !system.settle(budget)? || !system.normalise_equalities()? {
        return Ok(never());
    }
    let width = conjunct.row_len();
    let mut tableau = Tableau::new(width - 1, system.inequalities.len());
    for row in system.equalities.iter() {
        if !tableau.add_equality(row, budget)? {
            return Ok(never());
        }
    }
    let first = tableau.inequalities();
    for row in system.inequalities.iter() {
        if !tableau.add_inequality(row, budget)? {
            return Ok(never());
        }
    }
    let mut equalities = Echelon::new(width);
    for row in system.equalities.iter() {
        equalities.push(row)?;
    }
    let mut kept = Rows::new(width);
    // From the back: what was added later follows from what was there before.
    let mut strict = Vec::with_capacity(system.inequalities.len());
    for at in 0..system.inequalities.len() {
        strict.push(!tableau.is_equality(first + at, budget)?);
    }
    for at in (0..system.inequalities.len()).rev() {
        let row = system.inequalities.row(at);
        if !strict[at] {
            equalities.push(row)?;
        } else if !tableau.drop_implied(first + at, budget)? {
            kept.push(row);
        }
    }
    let convert = |rows: &mut dyn Iterator<Item = &[N]>| {
        rows.map(|row| row.iter().map(Num::to_int).collect())
            .collect::<Vec<Vec<Int>>>()
    };
    let equalities = convert(&mut equalities.rows.iter());
    let mut inequalities = convert(&mut kept.iter());
    inequalities.reverse();
    Ok((equalities, inequalities))
}

/// Equalities none of which follows from the others.
struct Echelon<N> {
    /// As they were given.
    rows: Rows<N>,
    /// Reduced by those before; each with the column it is solved for.
    reduced: Vec<(usize, Vec<N>)>,
}

impl<N: Num> Echelon<N> {
    fn new(width: usize) -> Echelon<N> {
        Echelon {
            rows: Rows::new(width),
            reduced: Vec::new(),
        }
    }

    /// Adds an equality unless it follows from those there are.
    fn push(&mut self, row: &[N]) -> Result<(), Stop> {
        let mut rest = row.to_vec();
        for (column, solved) in &self.reduced {
            if rest[*column].is_zero() {
                continue;
            }
            let common = rest[*column].gcd(&solved[*column])?;
            let scale = solved[*column].div_exact(&common)?;
            let factor = rest[*column].div_exact(&common)?.neg()?;
            for (entry, add) in rest.iter_mut().zip(solved) {
                entry.scale_add(&scale, &factor, add)?;
            }
        }
        if let Some(column) = rest.iter().position(|entry| !entry.is_zero()) {
            self.reduced.push((column, rest));
            self.rows.push(row);
        }
        Ok(())
    }
}
