//! Is there an integer point, and which.

pub(crate) mod lattice;
pub(crate) mod rows;
mod shadow;
pub(crate) mod system;
pub(crate) mod trail;

use crate::num::{Budget, Num, Stop};
use crate::unknown::Unknown;
use system::System;

/// An elimination that makes more rows than this more is left to the simplex.
pub(crate) const GROWTH: i64 = 4;

/// An integer point of the system, or none. Without a trail the point means nothing
/// but that there is one.
pub(crate) fn search<N: Num>(
    mut system: System<N>,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    loop {
        if !system.reduce(budget)? {
            return Ok(None);
        }
        let Some(choice) = system.choose(None) else {
            return system.complete(&[], &[]).map(Some);
        };
        if !choice.exact || choice.growth > GROWTH {
            return lattice::lattice(system, budget);
        }
        system.eliminate(choice.var, budget)?;
    }
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
