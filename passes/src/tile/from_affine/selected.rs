//! Selections between what a loop carries and what it is combined to: always combined, but with what
//! changes nothing where it is to be left as it is.
//!
//! ```text
//! %s = arith.addf %t, %x                %y = arith.select %c, %x, -0.0
//! %r = arith.select %c, %s, %t     =>   %r = arith.addf %t, %y
//! ```
//!
//! `%t` is what the loop around carries. To the bit the same: -0.0 added to a number is that number,
//! and so it is with what the other kinds begin with. The loop is a fold then.

use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, AtomicRmwKind};
use terrace_ir::builder::OpState;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Whether the nest has such selections.
pub(super) fn any(ctx: &Context, root: Op) -> bool {
    let mut all = root.find_all::<arith::SelectOp>(ctx).into_iter();
    all.any(|s| selected(ctx, s.op()).is_some())
}

/// Combines always, in all of a nest.
pub(super) fn combine_always(ctx: &mut Context, root: Op) {
    for s in root.find_all::<arith::SelectOp>(ctx) {
        rewrite(ctx, s.op());
    }
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

fn rewrite(ctx: &mut Context, select: Op) {
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
