//! The ways in which a module can be made smaller.
//!
//! An edit walks over a module, always in the same order, and asks at each place where
//! it could take something away whether it shall ([`Pick::wants`]). An edit need not leave
//! valid IR, nor something smaller: what it makes is verified and measured afterwards.

mod affine;
mod attrs;
mod blocks;
mod functions;
mod numbers;
mod operands;
mod ops;
mod regions;
mod results;
mod stand_in;
mod types;

use crate::ir::{Context, Op};
use std::ops::Range;

/// One way, over all of a module.
pub struct Edit {
    /// What goes, for reports.
    pub name: &'static str,
    pub apply: fn(&mut Context, Op, &mut Pick),
}

/// All of them, in the order in which they are tried: what takes much away comes first.
pub static ALL: &[Edit] = &[
    edit("symbols", functions::remove_symbols),
    edit("bodies of functions", functions::remove_bodies),
    edit("ops", ops::remove),
    edit("ops around regions", regions::inline),
    edit("regions", regions::empty),
    edit("branches", blocks::remove_branches),
    edit("blocks", blocks::merge),
    edit("results by constants", ops::replace_by_constants),
    edit("results by arguments", ops::replace_by_earlier),
    edit("operands by earlier values", operands::replace_by_earlier),
    edit("arguments of functions", functions::remove_arguments),
    edit("results of functions", functions::remove_results),
    edit("results", results::remove),
    edit("arguments of blocks", blocks::remove_arguments),
    edit("operands", operands::remove),
    edit("attributes", attrs::remove),
    edit("affine expressions", affine::simplify),
    edit("inputs of affine maps", affine::remove_inputs),
    edit("sizes", numbers::shrink_everywhere),
    edit("types", types::shrink),
    edit("constants", numbers::shrink),
];

const fn edit(name: &'static str, apply: fn(&mut Context, Op, &mut Pick)) -> Edit {
    Edit { name, apply }
}

/// Which of the places that an edit comes to are to be changed.
#[derive(Debug)]
pub struct Pick {
    chosen: Range<usize>,
    met: usize,
}

impl Pick {
    pub fn new(chosen: Range<usize>) -> Pick {
        Pick { chosen, met: 0 }
    }

    /// Whether the next place is to be changed.
    pub fn wants(&mut self) -> bool {
        let place = self.met;
        self.met += 1;
        self.chosen.contains(&place)
    }

    /// How many places there were so far.
    pub fn met(&self) -> usize {
        self.met
    }
}

/// Everything below the module, the last first, and what is inside of an op before it: so
/// users come before what they use, and nothing is met after what held it has gone.
fn backwards(ctx: &Context, module: Op) -> impl Iterator<Item = Op> + use<> {
    let ops = module.pre_order(ctx);
    ops.into_iter().skip(1).rev()
}
