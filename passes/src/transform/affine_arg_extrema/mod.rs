//! `affine-arg-extrema`: a loop that looks for the greatest element and its place finds first the
//! one and then the other.
//!
//! ```text
//! %r:2 = affine.for %i iter_args(%m = %m0, %k = %k0) {
//!   %x = affine.load %a[%i]                            %g = affine.for %i (greatest of %a[%i])
//!   %c = arith.cmpf ogt, %x, %m                        %p = affine.for %i (least %i with %a[%i] == %g)
//!   %n = arith.select %c, %x, %m                  =>   %r:2 = scf.if (%g > %m0) {
//!   %l = arith.select %c, %i, %k                         yield %a[%p], %p
//!   affine.yield %n, %l                                } else { yield %m0, %k0 }
//! }
//! ```
//!
//! Both loops on the right may be parallel, the one on the left may not. The last time that the comparison holds
//! is at the first of the greatest elements, or, where it holds for equal ones, too, at the last. What is carried is taken
//! from there, so that the sign of a zero is the loop's. A NaN is never greater than anything, and never
//! equal; a first value that is NaN stays.
//!
//! A loop outside of all others is split into chunks. The greatest of each chunk is kept in an array, so that
//! the elements are read once, and of one chunk twice. Of two loops around one another
//! the iterations of the outer one are the chunks. Loops within others stay, unless `rows` asks for them: what finds
//! rows of a device side by side reads each element once (`tile-from-affine`).
//!
//! Legal where the loop writes nothing, and carries only such values and what is chosen with them.

mod find;
mod rewrite;

use terrace_dialects::affine::{Access, ForOp};
use terrace_dialects::func;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

use crate::analysis::directive::{Construct, LoopClauses, Region};
use crate::analysis::subscript::Subscript;

pub static INFO: PassInfo = PassInfo {
    name: "affine-arg-extrema",
    title: "AffineArgExtrema",
    summary: "Find greatest elements first, and their places afterwards",
    description: "Loops that carry a greatest or least element and where it is become a loop that finds the element and one that finds the first, or last, place with it. Loops outside of all others find the extremum of each chunk first.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::flag("rows", "Loops within others, too")],
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that were taken apart",
    )],
    make: |o| {
        Ok(Box::new(ArgExtrema {
            rows: o.bool("rows"),
        }))
    },
};

struct ArgExtrema {
    rows: bool,
}

impl Pass for ArgExtrema {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let construct = Region::of(ctx, function).construct;
        if matches!(construct, Construct::Serial | Construct::Parallel) {
            return Ok(());
        }
        let mut loops = 0;
        for l in function.find_all::<ForOp>(ctx) {
            let is_wanted = |f: &find::Found| f.is_outside || (self.rows && is_row(ctx, l));
            let found = find::find(ctx, function, l).filter(is_wanted);
            if directed(ctx, function, l.op()) {
                continue;
            }
            if let Some(found) = found {
                rewrite::rewrite(ctx, &found);
                loops += 1;
            }
        }
        ctx.count("num-loops", loops);
        Ok(())
    }
}

/// Whether a loop runs along rows of all arrays that it reads. Along columns, vectors are made of the
/// loop around it, in which the loop as it was written has the place at once.
fn is_row(ctx: &Context, l: ForOp) -> bool {
    let iv = l.iv(ctx);
    let loads = l.body(ctx).ops(ctx).into_iter();
    let mut accesses = loads.filter_map(|op| Access::of(ctx, op));
    accesses.all(|a| {
        let subscripts = Subscript::all_of(ctx, &a);
        let stays = |s: &Subscript| s.growth(iv) == Some(0);
        subscripts
            .split_last()
            .is_none_or(|(_, others)| others.iter().all(stays))
    })
}

/// Whether a directive says something of the loop or one around it.
fn directed(ctx: &Context, function: Op, l: Op) -> bool {
    let mut at = Some(l);
    while let Some(op) = at.filter(|o| *o != function) {
        if LoopClauses::of(ctx, op).is_some() {
            return true;
        }
        at = op.parent(ctx);
    }
    false
}
