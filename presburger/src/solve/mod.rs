//! Is there an integer point, and which.

pub(crate) mod rows;
mod shadow;
pub(crate) mod system;
pub(crate) mod trail;

use crate::num::{Budget, Num, Stop};
use crate::unknown::Unknown;
use system::System;

/// An integer point of the system (all zeros at variables the caller does not track,
/// where the system has no trail), or none.
pub(crate) fn search<N: Num>(
    mut system: System<N>,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    loop {
        if !system.reduce(budget)? {
            return Ok(None);
        }
        let Some(choice) = system.choose() else {
            let mut point = vec![N::zero(); system.vars()];
            if let Some(trail) = &system.trail {
                trail.complete(&mut point)?;
            }
            return Ok(Some(point));
        };
        if !choice.exact {
            return splinter(system, choice.var, budget);
        }
        system.eliminate(choice.var, budget)?;
    }
}

/// The case without an exact elimination.
fn splinter<N: Num>(
    system: System<N>,
    var: usize,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    let dark = system.darkened(var, budget)?;
    if let Some(point) = search(dark, budget)? {
        return Ok(Some(point));
    }
    for equality in system.splinters(var, budget)?.iter() {
        let mut part = system.clone();
        part.equalities.push(equality);
        if let Some(point) = search(part, budget)? {
            return Ok(Some(point));
        }
    }
    Ok(None)
}

/// How many row operations a question may take, unless it says otherwise.
pub(crate) const STEPS: u64 = 1_000_000;

/// Asks with machine integers and, where those overflow, with big ones.
pub(crate) fn widening<T>(
    what: &'static str,
    narrow: impl FnOnce(&mut Budget) -> Result<T, Stop>,
    wide: impl FnOnce(&mut Budget) -> Result<T, Stop>,
) -> Result<T, Unknown> {
    let mut answer = narrow(&mut Budget::new(STEPS));
    if matches!(answer, Err(Stop::Overflow)) {
        answer = wide(&mut Budget::new(STEPS));
    }
    answer.map_err(|_| Unknown::OverBudget { what, steps: STEPS })
}
