//! The least and the greatest value of an affine form over integer points.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::num::{Budget, Num, Stop};
use crate::simplex::tableau::Tableau;
use crate::solve::lattice::{keep_columns, live_columns};
use crate::solve::system::System;
use crate::solve::trail::Trail;
use crate::solve::{GROWTH, search, widening};
use crate::unknown::Unknown;

/// The least or the greatest value of an affine form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extremum {
    /// There is no point.
    Empty,
    /// There are points, and no least (greatest) value.
    Unbounded,
    At(Int),
}

impl Conjunct {
    /// The least value that the affine form takes on the integer points. The form has
    /// an entry for each column, those of the locals too, and the constant last.
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    ///
    /// # Panics
    ///
    /// If the form has not [`Conjunct::row_len`] entries.
    pub fn minimum(&self, form: &[Int]) -> Result<Extremum, Unknown> {
        assert_eq!(form.len(), self.row_len(), "one entry for each column");
        widening!("the search for the least value", minimum(self, form))
    }

    /// The greatest value that the affine form takes on the integer points, as
    /// [`Conjunct::minimum`].
    ///
    /// # Errors
    ///
    /// [`Unknown::OverBudget`] where the search was given up.
    ///
    /// # Panics
    ///
    /// If the form has not [`Conjunct::row_len`] entries.
    pub fn maximum(&self, form: &[Int]) -> Result<Extremum, Unknown> {
        let negated: Vec<Int> = form.iter().map(|entry| -entry).collect();
        Ok(match self.minimum(&negated)? {
            Extremum::At(value) => Extremum::At(-value),
            other => other,
        })
    }
}

/// The form becomes one variable, by a change of variables; the others are eliminated
/// as long as that is exact, and what is left are its bounds.
fn minimum<N: Num>(
    conjunct: &Conjunct,
    form: &[Int],
    budget: &mut Budget,
) -> Result<Extremum, Stop> {
    let mut system = System::<N>::load(conjunct, false)?;
    for (to, from) in system.objective.push_zeros().iter_mut().zip(form) {
        *to = N::from_int(from)?;
    }
    loop {
        if !system.reduce(budget)? {
            return Ok(Extremum::Empty);
        }
        let Some(var) = system.concentrate_objective(budget)? else {
            let value = constant(&system);
            return Ok(match search(system, budget)? {
                Some(_) => Extremum::At(value.to_int()),
                None => Extremum::Empty,
            });
        };
        if system.objective.row(0)[var].signum() < 0 {
            system.negate_variable(var)?;
        }
        let choice = loop {
            match system.choose(Some(var)) {
                None => return ends(&system, var),
                Some(choice) if choice.open => system.forget(choice.var),
                Some(choice) => break choice,
            }
        };
        if !choice.exact || choice.growth > GROWTH {
            return least(system, var, budget);
        }
        system.eliminate(choice.var, budget)?;
    }
}

fn constant<N: Num>(system: &System<N>) -> N {
    let objective = system.objective.row(0);
    objective[objective.len() - 1].clone()
}

/// The objective where `var`, which it has alone, is `value`.
fn objective_at<N: Num>(system: &System<N>, var: usize, value: &N) -> Result<Extremum, Stop> {
    let mut objective = constant(system);
    objective.add_product(&system.objective.row(0)[var], value)?;
    Ok(Extremum::At(objective.to_int()))
}

/// Nothing is left but the bounds of one variable, which are compatible: the system
/// is reduced.
fn ends<N: Num>(system: &System<N>, var: usize) -> Result<Extremum, Stop> {
    let constant = system.vars();
    // There is at most one of each direction, with the coefficient 1 or -1.
    for row in system.inequalities.iter() {
        if row[var].signum() > 0 {
            return objective_at(system, var, &row[constant].neg()?);
        }
    }
    Ok(Extremum::Unbounded)
}

/// The least value of `var` where elimination does not give it: the bound of the
/// simplex, which is most often taken, else halving.
///
/// With an integer point and no rational bound there is no integer bound either
/// (R. R. Meyer, "On the existence of optimal solutions to integer and mixed-integer
/// programming problems", 1974).
fn least<N: Num>(mut system: System<N>, var: usize, budget: &mut Budget) -> Result<Extremum, Stop> {
    let live = live_columns(&system.inequalities);
    let rows = keep_columns(&system.inequalities, &live);
    let Some(mut tableau) = Tableau::of(&rows, budget)? else {
        return Ok(Extremum::Empty);
    };
    // Points of the system as it is now.
    system.trail = Some(Trail::default());
    let at = live.iter().position(|column| *column == var);
    let bound = match at {
        // In no inequality.
        None => None,
        Some(at) => {
            let mut form = vec![N::zero(); rows.width()];
            form[at] = N::from_i64(1);
            tableau.minimum(&form, budget)?
        }
    };
    let Some(bound) = bound else {
        return Ok(match search(system, budget)? {
            Some(_) => Extremum::Unbounded,
            None => Extremum::Empty,
        });
    };
    let one = N::from_i64(1);
    let mut below = bound.ceil()?;
    if let Some(point) = tableau.integer_point()?
        && at.is_some_and(|at| point[at] == below)
    {
        return objective_at(&system, var, &below);
    }
    if at_most(&system, var, &below, budget)?.is_some() {
        return objective_at(&system, var, &below);
    }
    let Some(point) = search(system.clone(), budget)? else {
        return Ok(Extremum::Empty);
    };
    let mut taken = point[var].clone();
    loop {
        let gap = taken.sub(&below)?;
        if gap <= one {
            return objective_at(&system, var, &taken);
        }
        let middle = below.add(&gap.div_floor(&N::from_i64(2))?)?;
        match at_most(&system, var, &middle, budget)? {
            Some(value) => taken = value,
            None => below = middle,
        }
    }
}

/// A value of `var` that is `limit` or less.
fn at_most<N: Num>(
    system: &System<N>,
    var: usize,
    limit: &N,
    budget: &mut Budget,
) -> Result<Option<N>, Stop> {
    let mut part = system.clone();
    let constant = part.vars();
    let row = part.inequalities.push_zeros();
    row[var] = N::from_i64(-1);
    row[constant] = limit.clone();
    Ok(search(part, budget)?.map(|point| point[var].clone()))
}
