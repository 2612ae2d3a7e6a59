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

use super::normalize::combined;
use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith;
use terrace_ir::builder::OpState;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, Value};

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

/// A selection between what a loop carries and what it is combined to.
struct Selected {
    combiner: Op,
    /// What changes nothing.
    identity: Attr,
    carried: Value,
    contribution: Value,
    /// Whether it is combined where the condition holds.
    holds: bool,
}

fn selected(ctx: &Context, select: Op) -> Option<Selected> {
    let (x, y) = (select.operand(ctx, 1), select.operand(ctx, 2));
    let pairs = [(x, y, true), (y, x, false)];
    pairs.into_iter().find_map(|(new, carried, holds)| {
        let around = carried.arg_block().and_then(|b| b.parent_op(ctx))?;
        let all = around.cast::<ForOp>(ctx)?.iter_args(ctx);
        let (combiner, contribution) = combined(ctx, new, carried)?;
        let kind = kind_of(combiner.name(ctx)).filter(|_| all.contains(&carried))?;
        Some(Selected {
            combiner,
            identity: kind.identity(ctx, carried.ty(ctx))?,
            carried,
            contribution,
            holds,
        })
    })
}

fn rewrite(ctx: &mut Context, select: Op) {
    let Some(s) = selected(ctx, select) else {
        return;
    };
    let (ty, condition) = (s.carried.ty(ctx), select.operand(ctx, 0));
    let b = &mut Builder::before(ctx, select);
    let nothing = b.value::<arith::ConstantOp>(&[], ty, &[("value", s.identity)]);
    let given = match s.holds {
        true => arith::SelectOp::build(b, condition, s.contribution, nothing),
        false => arith::SelectOp::build(b, condition, nothing, s.contribution),
    };
    let like = OpState::like(b.ctx, s.combiner).results(&[ty]);
    let next = b.create(like.operands(&[s.carried, given]));
    select.replace(b.ctx, &[next.result(b.ctx, 0)]);
    s.combiner.erase(b.ctx);
}
