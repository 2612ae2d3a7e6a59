//! Copies and launches that use different elements of one memref need no order.
//!
//! That none is used by both is the emptiness of a system of constraints (`numbers`): the
//! element is in the box of the one, or has the subscripts of the one's load or store, and
//! so for the other. It must hold for all runs of the two: so whatever the system is made of
//! lies inside of a launch, or is made once in a call of the function.

use super::deeds::is_inside;
use super::numbers::{Sum, System, Unknown, element};
use super::parts::{in_array, slab_of};
use super::uses::{Target, Use};
use crate::analysis::memory::base;
use terrace_dialects::gpu;
use terrace_dialects::xfer::CopyOp;
use terrace_ir::{Block, Context, Op, Value};

/// Whether two uses, each by an op of `function`, are surely of different elements.
pub(super) fn are(ctx: &Context, function: Op, a: (Op, &Use), b: (Op, &Use)) -> bool {
    let (Target::Memory(x), Target::Memory(y)) = (a.1.target, b.1.target) else {
        return false;
    };
    // An op may run again: its own values are others then.
    if x != y || a.0 == b.0 {
        return false;
    }
    let mut system = System::default();
    let within = |system: &mut System| {
        let rank = x.ty(ctx).rank(ctx)?;
        let at: Vec<Sum> = (0..rank).map(|d| system.index(d)).collect();
        is_at(ctx, a, x, &at, system)?;
        is_at(ctx, b, x, &at, system)
    };
    if within(&mut system).is_none() {
        return false;
    }
    let fixed = system.free().all(|u| match u {
        Unknown::Value(v) | Unknown::Size(v, _) => {
            let in_launch = |op: Op| op.isa::<gpu::LaunchOp>(ctx) && is_inside(ctx, op, v);
            in_launch(a.0) || in_launch(b.0) || is_made_once(ctx, function, v)
        }
        Unknown::Index(_) => true,
    });
    fixed && system.is_contradiction()
}

/// Adds that the element `at` of `root` is used; `None` where it cannot be told which are.
fn is_at(
    ctx: &Context,
    (op, used): (Op, &Use),
    root: Value,
    at: &[Sum],
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
        for inside in slab.ends(ctx, system, at)? {
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
    for (s, t) in at.iter().zip(&there) {
        let distance = s.plus(t, -1)?;
        let back = Sum::default().plus(&distance, -1)?;
        system.at_least_zero(Some(distance));
        system.at_least_zero(Some(back));
    }
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
        if around.name(ctx) != "scf.if" {
            return false;
        }
        at = around.block(ctx);
    }
    false
}
