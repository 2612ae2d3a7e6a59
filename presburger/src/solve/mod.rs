//! Is there an integer point, and which.

pub(crate) mod lattice;
pub(crate) mod rows;
mod shadow;
pub(crate) mod system;
pub(crate) mod trail;

use crate::num::{Budget, Num, Stop};
use system::System;

/// An elimination that makes more rows than this more is left to the simplex.
pub(crate) const GROWTH: i64 = 4;

/// An integer point of the system, or none. Without a trail the point means nothing
/// but that there is one.
pub(crate) fn search<N: Num>(
    mut system: System<N>,
    budget: &mut Budget,
) -> Result<Option<Vec<N>>, Stop> {
    if !system.reduce(budget)? {
        return Ok(None);
    }
    loop {
        let Some(choice) = system.choose(None) else {
            return system.complete(&[], &[]).map(Some);
        };
        if choice.open {
            system.forget(choice.var);
            continue;
        }
        if !choice.exact || choice.growth > GROWTH {
            return lattice::lattice(system, budget);
        }
        system.eliminate(choice.var, budget)?;
        if !system.reduce(budget)? {
            return Ok(None);
        }
    }
}

/// How many row operations a question may take, unless it says otherwise.
pub(crate) const STEPS: u64 = 1_000_000;

/// Asks with machine integers and, where those overflow, with wider ones: `run` is a
/// function over a type of numbers, and takes the budget last.
macro_rules! widening {
    ($what:expr, $run:ident($($argument:expr),*)) => {{
        use $crate::num::{Budget, Stop};
        use $crate::solve::STEPS;
        let mut answer = $run::<i64>($($argument,)* &mut Budget::new(STEPS));
        if matches!(answer, Err(Stop::Overflow)) {
            answer = $run::<i128>($($argument,)* &mut Budget::new(STEPS));
        }
        if matches!(answer, Err(Stop::Overflow)) {
            answer = $run::<$crate::int::Int>($($argument,)* &mut Budget::new(STEPS));
        }
        answer.map_err(|_| $crate::unknown::Unknown::OverBudget {
            what: $what,
            steps: STEPS,
        })
    }};
}

pub(crate) use widening;
