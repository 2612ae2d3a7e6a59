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
        let (equalities, inequalities) =
            widening!("the removal of redundant constraints", run(self))?;
        self.equalities = equalities;
        self.inequalities = inequalities;
        Ok(())
    }
}

type Constraints = (Vec<Vec<Int>>, Vec<Vec<Int>>);

fn run<N: Num>(conjunct: &Conjunct, budget: &mut Budget) -> Result<Constraints, Stop> {
    let mut system = System::<N>::load(conjunct, false)?;
    if !strip(&mut system, budget)? {
        let mut never = vec![Int::ZERO; conjunct.row_len()];
        never[conjunct.row_len() - 1] = Int::MINUS_ONE;
        return Ok((Vec::new(), vec![never]));
    }
    let convert = |rows: &Rows<N>| {
        rows.iter()
            .map(|row| row.iter().map(Num::to_int).collect())
            .collect()
    };
    Ok((convert(&system.equalities), convert(&system.inequalities)))
}

/// Does to a system what [`Conjunct::remove_redundant`] says. False where there is no
/// point.
pub(crate) fn strip<N: Num>(system: &mut System<N>, budget: &mut Budget) -> Result<bool, Stop> {
    if !system.settle(budget)? || !system.normalise_equalities()? {
        return Ok(false);
    }
    let width = system.vars() + 1;
    let count = system.inequalities.len();
    let mut tableau = Tableau::new(width - 1, count);
    let mut equalities = Echelon::new(width);
    for row in system.equalities.iter() {
        if !tableau.add_equality(row, budget)? {
            return Ok(false);
        }
        equalities.push(row)?;
    }
    let first = tableau.inequalities();
    for row in system.inequalities.iter() {
        if !tableau.add_inequality(row, budget)? {
            return Ok(false);
        }
    }
    let mut strict = Vec::with_capacity(count);
    for at in 0..count {
        strict.push(!tableau.is_equality(first + at, budget)?);
    }
    // From the back: what was added later rather follows from what was there before.
    let mut kept = vec![false; count];
    for at in (0..count).rev() {
        if strict[at] {
            kept[at] = !tableau.drop_implied(first + at, budget)?;
        } else {
            equalities.push(system.inequalities.row(at))?;
        }
    }
    let mut inequalities = Rows::with_capacity(width, count);
    for (row, kept) in system.inequalities.iter().zip(kept) {
        if kept {
            inequalities.push(row);
        }
    }
    system.equalities = equalities.rows;
    system.inequalities = inequalities;
    Ok(true)
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
