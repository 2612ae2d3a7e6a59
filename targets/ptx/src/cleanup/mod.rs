//! Simplifications of the machine form, one a file. Each returns how many
//! changes it made, keeps correct code correct, and leaves alone what it does
//! not understand.

pub mod address;
pub mod branches;
pub mod copies;
pub mod cse;
pub mod dead;
pub mod fold;
mod shared;
#[cfg(test)]
mod tests;

pub use shared::Shared;

use super::module::{Func, Module};

/// Rounds of [`run`] after which it stops even if there is more to do. Each
/// pass only shrinks or simplifies, so real code settles in two or three.
const MAX_ROUNDS: usize = 8;

/// The simplifications, in the order of a round.
const COPIES: u8 = 1 << 0;
const FOLD: u8 = 1 << 1;
const CSE: u8 = 1 << 2;
const BRANCHES: u8 = 1 << 3;
const DEAD: u8 = 1 << 4;
/// Once the others have nothing left to do: it costs more than all of them.
const ADDRESS: u8 = 1 << 5;
const ALL: u8 = COPIES | FOLD | CSE | ADDRESS | BRANCHES | DEAD;

/// All of them over a function until nothing changes; returns the number of
/// changes.
///
/// Each says what its changes give the others to do, and one that has nothing to
/// do is left out.
pub fn run(func: &mut Func) -> usize {
    let mut shared = Shared::default();
    let mut total = 0;
    let mut due = ALL;
    for _ in 0..MAX_ROUNDS {
        if due == 0 {
            break;
        }
        for pass in [COPIES, FOLD, CSE, BRANCHES, DEAD, ADDRESS] {
            if due & pass == 0 || pass == ADDRESS && due != ADDRESS {
                continue;
            }
            due &= !pass;
            let (changes, wakes) = step(func, &mut shared, pass);
            if changes > 0 {
                total += changes;
                due |= wakes;
            }
        }
    }
    total
}

/// Runs one; returns the number of changes, and which passes may find more to
/// do for them.
fn step(func: &mut Func, shared: &mut Shared, pass: u8) -> (usize, u8) {
    const VALUES: u8 = COPIES | FOLD | CSE | ADDRESS | DEAD;
    match pass {
        COPIES => (copies::propagate(func, shared), VALUES),
        FOLD => {
            let guards = fold::guards(func, shared);
            let values = fold::fold(func, shared);
            let wakes = if guards > 0 { ALL } else { VALUES };
            (guards + values, wakes)
        }
        // No constant comes about.
        CSE => (cse::eliminate(func, shared), VALUES & !FOLD),
        // Which code dominates which may have changed, but no value.
        BRANCHES => (
            branches::clean(func, shared),
            CSE | ADDRESS | BRANCHES | DEAD,
        ),
        // Only addresses change.
        ADDRESS => (address::fold_offsets(func, shared), VALUES & !FOLD),
        _ => {
            let blocks = dead::unreachable_blocks(func, shared);
            let insts = dead::eliminate(func, shared);
            // A register keeps all its writes or loses all, and nobody looked at
            // those that are gone; but a block may now be nothing but a jump.
            let wakes = if blocks > 0 { ALL } else { BRANCHES };
            (blocks + insts, wakes)
        }
    }
}

/// [`run`] over every function of a module.
pub fn run_module(module: &mut Module) -> usize {
    module.funcs.iter_mut().map(|(_, func)| run(func)).sum()
}
