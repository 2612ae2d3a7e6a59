//! Loops split at the counter of a loop around them.
//!
//! Where a loop runs over the same numbers as one around it, and reads in all iterations what
//! one of them writes, the one whose number is the outer counter, that iteration alone is in
//! the way of running the others at once: in the k-th step of Floyd and Warshall's algorithm
//! all rows use row k. Split in three the loop is the same (compare M. Griebl, P. Feautrier,
//! C. Lengauer, "Index set splitting", 2000), and the parts can be parallel.
//!
//! ```text
//! affine.for %k = 0 to %n {             affine.for %k = 0 to %n {
//!   affine.for %i = 0 to %n {             affine.for %i = 0 to %k { use(%i) }
//!     use(%i)                      =>     use(%k)
//!   }                                     affine.for %i = %k + 1 to %n { use(%i) }
//! }                                     }
//! ```

use terrace_dialects::affine::{Access, ForOp, StoreOp, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind, Value};

/// The most loops that are split in a function: each leaves three of what is in it.
const MAX: usize = 8;

/// Splits loops of `function` where that may help; how many.
pub fn run(ctx: &mut Context, function: Op) -> usize {
    for done in 0..MAX {
        let all = function.find_all::<ForOp>(ctx);
        let found = all
            .into_iter()
            .find_map(|l| Some((l, counter_in_the_way(ctx, l)?)));
        let Some((l, counter)) = found else {
            return done;
        };
        split(ctx, l, counter);
    }
    MAX
}

/// The counter of a loop around `l` with the same bounds, at which an iteration of `l`
/// writes what others use.
fn counter_in_the_way(ctx: &Context, l: ForOp) -> Option<Value> {
    if l.step(ctx) != 1 || l.op().num_results(ctx) > 0 {
        return None;
    }
    let mut at = l.op();
    while let Some(outer) = at.parent_of::<ForOp>(ctx) {
        let same = outer.step(ctx) == 1
            && l.lower_map(ctx) == outer.lower_map(ctx)
            && l.upper_map(ctx) == outer.upper_map(ctx)
            && l.lower_operands(ctx) == outer.lower_operands(ctx)
            && l.upper_operands(ctx) == outer.upper_operands(ctx);
        if same && is_in_the_way(ctx, l, outer.iv(ctx)) {
            return Some(outer.iv(ctx));
        }
        at = outer.op();
    }
    None
}

fn is_in_the_way(ctx: &Context, l: ForOp, counter: Value) -> bool {
    let accesses: Vec<(Op, Value, Vec<Option<Value>>)> = l
        .op()
        .pre_order(ctx)
        .into_iter()
        .filter_map(|o| {
            let a = Access::of(ctx, o)?;
            Some((o, a.memref, subscripts(ctx, &a)))
        })
        .collect();
    let iv = l.iv(ctx);
    let stores = accesses.iter().filter(|a| a.0.isa::<StoreOp>(ctx));
    stores.into_iter().any(|(_, m, at)| {
        let mut others = accesses.iter().filter(|a| a.1 == *m);
        others.any(|(_, _, there)| {
            let mut both = at.iter().zip(there);
            both.any(|(a, b)| *a == Some(iv) && *b == Some(counter))
        })
    })
}

/// The subscripts that are the counter of a loop and nothing else.
fn subscripts(ctx: &Context, a: &Access) -> Vec<Option<Value>> {
    let c = compose(ctx, &a.map, &a.operands);
    let of = |e: &AffineExpr| match e {
        AffineExpr::Dim(d) => c.operands.get(*d as usize).copied(),
        _ => None,
    };
    c.map.results().iter().map(of).collect()
}

fn split(ctx: &mut Context, l: ForOp, counter: Value) {
    let op = l.op();
    let before = clone_op(ctx, op, &mut IrMapping::new());
    before.insert_before(ctx, op);
    let here = AffineMap::new(1, 0, vec![AffineExpr::dim(0)]);
    ForOp::wrap(before).set_upper(ctx, here, &[counter]);
    let mut map = IrMapping::new();
    map.map(l.iv(ctx), counter);
    for o in l.body(ctx).ops(ctx) {
        if o.is_terminator(ctx) {
            continue;
        }
        let copy = clone_op(ctx, o, &mut map);
        copy.insert_before(ctx, op);
    }
    let next = AffineExpr::dim(0) + AffineExpr::constant(1);
    l.set_lower(ctx, AffineMap::new(1, 0, vec![next]), &[counter]);
}
