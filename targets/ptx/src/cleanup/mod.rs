//! Simplifications of the machine form, one a file. Each returns how many
//! changes it made, keeps correct code correct, and leaves alone what it does
//! not understand.

pub mod address;
pub mod branches;
pub mod copies;
pub mod cse;
pub mod dead;
pub mod fold;
#[cfg(test)]
mod tests;

use super::module::{Func, Module};

/// Rounds of [`run`] after which it stops even if there is more to do. Each
/// pass only shrinks or simplifies, so real code settles in two or three.
const MOST_ROUNDS: usize = 8;

/// All of them over a function until nothing changes; returns the number of
/// changes.
pub fn run(func: &mut Func) -> usize {
    let mut total = 0;
    for _ in 0..MOST_ROUNDS {
        let changes = copies::propagate(func)
            + fold::fold(func)
            + cse::eliminate(func)
            + address::fold_offsets(func)
            + branches::clean(func)
            + dead::eliminate(func);
        total += changes;
        if changes == 0 {
            break;
        }
    }
    total
}

/// [`run`] over every function of a module.
pub fn run_module(module: &mut Module) -> usize {
    module.funcs.iter_mut().map(|(_, func)| run(func)).sum()
}
