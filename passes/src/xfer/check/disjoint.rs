//! Copies and launches that use different elements of one memref need no order.
//!
//! That none is used by both is, in some dimension, the emptiness of a system of constraints
//! (`numbers`): a subscript is in the box of the one, or that of the one's load or store, and
//! so for the other. Of the greater and the less of two values only the bounds count: boxes
//! that follow each other need no more. It must hold for all runs of the two: so whatever the
//! system is made of lies inside of a launch, or is made once in a call of the function.

use super::numbers::{Sum, System, Unknown, element};
use super::parts::{in_array, slab_of};
use super::uses::{Target, Use};
use crate::analysis::captured::is_in_body;
use crate::analysis::memory::base;
use terrace_dialects::gpu;
use terrace_dialects::scf;
use terrace_dialects::xfer::CopyOp;
use terrace_ir::{Block, Context, Op, Value};

/// Whether two uses, each by an op of `function`, are surely of different elements.
pub(super) fn are(ctx: &Context, function: Op, a: (Op, &Use), b: (Op, &Use)) -> bool {
    let (Target::Memory(x), Target::Memory(y)) = (a.1.target, b.1.target) else {
        return false;
    };
    // An op may run again: its own values are others then. Launches are mostly in order.
    let copies = [a.0, b.0].iter().any(|o| o.isa::<CopyOp>(ctx));
    if x != y || a.0 == b.0 || !copies {
        return false;
    }
    let rank = x.ty(ctx).rank(ctx).unwrap_or(0);
    (0..rank).any(|d| are_along(ctx, function, a, b, x, d))
}

/// Whether the subscripts of dimension `d` are different ones.
fn are_along(
    ctx: &Context,
    function: Op,
    a: (Op, &Use),
    b: (Op, &Use),
    root: Value,
    d: usize,
) -> bool {
    let mut system = System::default();
    let at = system.index(d);
    let both = [a, b]
        .into_iter()
        .all(|u| is_at(ctx, u, root, (d, &at), &mut system).is_some());
    let fixed = |u: Unknown| match u {
        Unknown::Value(v) | Unknown::Size(v, _) => {
            let in_launch = |op: Op| op.isa::<gpu::LaunchOp>(ctx) && is_in_body(ctx, op, v);
            in_launch(a.0) || in_launch(b.0) || is_made_once(ctx, function, v)
        }
        Unknown::Index(_) => true,
    };
    both && system.free().all(fixed) && system.is_plain_contradiction()
}

/// Adds that an element of `root` with the subscript `at` in dimension `d` is used; `None`
/// where it cannot be told which are.
fn is_at(
    ctx: &Context,
    (op, used): (Op, &Use),
    root: Value,
    (d, at): (usize, &Sum),
    system: &mut System,
) -> Option<()> {
    let is_root = |v: Value| v == root;
    if let Some(copy) = op.cast::<CopyOp>(ctx) {
        let ends = [copy.src(ctx), copy.dst(ctx)];
        let mut views = ends.into_iter().filter(|v| base(ctx, *v) == root);
        let (Some(view), None) = (views.next(), views.next()) else {
            return None;
        };
        let slab = slab_of(ctx, &is_root, view)?;
        for inside in slab.ends_along(ctx, system, d, at)? {
            system.at_least_zero(Some(inside));
        }
        system.place(ctx, op.block(ctx)?);
        return Some(());
    }
    if !op.isa::<gpu::LaunchOp>(ctx) {
        return None;
    }
    let (memref, subscripts) = element(ctx, used.at)?;
    let subscripts = subscripts.iter().map(|v| system.value(ctx, *v)).collect();
    let there = in_array(ctx, &is_root, memref, subscripts, system)?;
    let distance = at.plus(there.get(d)?, -1)?;
    let back = Sum::default().plus(&distance, -1)?;
    system.at_least_zero(Some(distance));
    system.at_least_zero(Some(back));
    system.place(ctx, used.at.block(ctx)?);
    Some(())
}

/// Whether a value is made at most once in a call of the function: branches are all that is
/// around it, and nothing leads back.
fn is_made_once(ctx: &Context, function: Op, v: Value) -> bool {
    let home = match v.def_op() {
        Some(op) => op.block(ctx),
        None => v.arg_block(),
    };
    let mut at: Option<Block> = home;
    while let Some(block) = at {
        let Some(around) = block.parent_op(ctx) else {
            return false;
        };
        if around == function {
            return block.is_entry(ctx);
        }
        if around.name(ctx) != scf::IfOp::NAME {
            return false;
        }
        at = around.block(ctx);
    }
    false
}
