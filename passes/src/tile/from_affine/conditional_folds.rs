//! Values that are combined under a condition: always combined, but with what changes nothing where
//! the condition does not hold.
//!
//! ```text
//! %r = scf.if %c -> (f32) {         %y = scf.if %c -> (f32) {
//!   %s = arith.addf %t, %x            scf.yield %x
//!   scf.yield %s                    } else {
//! } else {                     =>     scf.yield -0.0
//!   scf.yield %t                    }
//! }                                 %r = arith.addf %t, %y
//! ```
//!
//! `%t` is what the loop around carries. To the bit the same: -0.0 added to a number is that number,
//! and so it is with what the other kinds begin with. The loop is a fold then.

use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::{ForOp, IfOp};
use terrace_dialects::arith::{self, AtomicRmwKind};
use terrace_dialects::scf;
use terrace_ir::builder::OpState;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// One result of a condition that combines what the loop around carries in one of its ways.
struct Conditional {
    condition: Op,
    result: usize,
    /// What the loop carries.
    carried: Value,
    combiner: Op,
    kind: AtomicRmwKind,
    contribution: Value,
    /// The way that combines, and the other one: 0 or 1.
    way: usize,
}

/// Whether the nest combines something under a condition.
pub(super) fn any(ctx: &Context, root: Op) -> bool {
    let mut conditions = conditions(ctx, root).into_iter();
    let mut selects = root.find_all::<arith::SelectOp>(ctx).into_iter();
    conditions.any(|c| !found(ctx, c).is_empty())
        || selects.any(|s| selected(ctx, s.op()).is_some())
}

/// Does so for all conditions of a nest, and for what is selected.
pub(super) fn combine_always(ctx: &mut Context, root: Op) {
    for s in root.find_all::<arith::SelectOp>(ctx) {
        rewrite_select(ctx, s.op());
    }
    // Those inside come first: then those around combine what they gave.
    for c in conditions(ctx, root).into_iter().rev() {
        for f in found(ctx, c) {
            rewrite(ctx, &f);
        }
    }
}

fn conditions(ctx: &Context, root: Op) -> Vec<Op> {
    let mut all = root.pre_order(ctx);
    all.retain(|o| (o.isa::<scf::IfOp>(ctx) || o.isa::<IfOp>(ctx)) && o.num_results(ctx) > 0);
    all
}

fn found(ctx: &Context, condition: Op) -> Vec<Conditional> {
    let all = 0..condition.num_results(ctx);
    all.filter_map(|i| conditional(ctx, condition, i)).collect()
}

fn conditional(ctx: &Context, condition: Op, result: usize) -> Option<Conditional> {
    let blocks = condition.blocks(ctx);
    let [then, other] = blocks[..] else {
        return None;
    };
    let given = [then, other].map(|b| b.last_op(ctx).map(|end| end.operand(ctx, result)));
    let [Some(x), Some(y)] = given else {
        return None;
    };
    for (way, (new, old)) in [(x, y), (y, x)].into_iter().enumerate() {
        let Some((combiner, kind, contribution)) = combined(ctx, new, old) else {
            continue;
        };
        if combiner.block(ctx) != Some(blocks[way]) {
            continue;
        }
        return Some(Conditional {
            condition,
            result,
            carried: old,
            combiner,
            kind,
            contribution,
            way,
        });
    }
    None
}

fn rewrite(ctx: &mut Context, f: &Conditional) {
    let blocks = f.condition.blocks(ctx);
    let ty = f.carried.ty(ctx);
    let ends = [f.way, 1 - f.way].map(|i| blocks[i].last_op(ctx));
    let (Some(identity), [Some(own), Some(other)]) = (f.kind.identity(ctx, ty), ends) else {
        return;
    };
    own.set_operand(ctx, f.result, f.contribution);
    let b = &mut Builder::before(ctx, other);
    let nothing = b.value::<arith::ConstantOp>(&[], ty, &[("value", identity)]);
    other.set_operand(b.ctx, f.result, nothing);
    let result = f.condition.result(b.ctx, f.result);
    let b = &mut Builder::after(b.ctx, f.condition);
    let combined = combine(b, f.combiner, f.carried, result);
    let new = combined.def_op();
    result.replace_uses_if(b.ctx, combined, |u| Some(u.op) != new);
    f.combiner.erase(b.ctx);
}

/// The combiner of what a loop carries, its kind, and what it combines that with.
fn combined(ctx: &Context, new: Value, old: Value) -> Option<(Op, AtomicRmwKind, Value)> {
    let owner = old.arg_block().and_then(|b| b.parent_op(ctx))?;
    if !owner.cast::<ForOp>(ctx)?.iter_args(ctx).contains(&old) {
        return None;
    }
    let combiner = new.def_op().filter(|_| new.has_one_use(ctx))?;
    let kind = kind_of(combiner.name(ctx))?;
    kind.identity(ctx, old.ty(ctx))?;
    match combiner.operands(ctx)[..] {
        [a, b] if a == old && b != old => Some((combiner, kind, b)),
        [a, b] if b == old && a != old => Some((combiner, kind, a)),
        _ => None,
    }
}

/// Combines what is carried with `given`, as `like` does with something else.
fn combine(b: &mut Builder, like: Op, carried: Value, given: Value) -> Value {
    let mut state = OpState::like(b.ctx, like);
    state.operands = match like.operand(b.ctx, 0) == carried {
        true => vec![carried, given],
        false => vec![given, carried],
    };
    state.result_types = vec![carried.ty(b.ctx)];
    b.create(state).result(b.ctx, 0)
}

/// A selection between what is carried and what it is combined to.
struct Selected {
    combiner: Op,
    kind: AtomicRmwKind,
    contribution: Value,
    /// Whether it is combined where the condition holds.
    holds: bool,
}

fn selected(ctx: &Context, select: Op) -> Option<Selected> {
    let (x, y) = (select.operand(ctx, 1), select.operand(ctx, 2));
    let pairs = [(x, y, true), (y, x, false)];
    pairs.into_iter().find_map(|(new, old, holds)| {
        let (combiner, kind, contribution) = combined(ctx, new, old)?;
        Some(Selected {
            combiner,
            kind,
            contribution,
            holds,
        })
    })
}

fn rewrite_select(ctx: &mut Context, select: Op) {
    let Some(s) = selected(ctx, select) else {
        return;
    };
    let ty = select.result(ctx, 0).ty(ctx);
    let Some(identity) = s.kind.identity(ctx, ty) else {
        return;
    };
    let condition = select.operand(ctx, 0);
    let carried = select.operand(ctx, if s.holds { 2 } else { 1 });
    let b = &mut Builder::before(ctx, select);
    let nothing = b.value::<arith::ConstantOp>(&[], ty, &[("value", identity)]);
    let (x, y) = match s.holds {
        true => (s.contribution, nothing),
        false => (nothing, s.contribution),
    };
    let given = b.value::<arith::SelectOp>(&[condition, x, y], ty, &[]);
    let new = combine(b, s.combiner, carried, given);
    select.replace(b.ctx, &[new]);
    s.combiner.erase(b.ctx);
}
