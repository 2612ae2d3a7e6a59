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
use terrace_ir::{Builder, Context, Op, Value};

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
    conditions(ctx, root)
        .iter()
        .any(|c| !found(ctx, *c).is_empty())
}

/// Does so for all conditions of a nest.
pub(super) fn combine_always(ctx: &mut Context, root: Op) {
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
        let owner = old.arg_block().and_then(|b| b.parent_op(ctx));
        let is_carried = (owner.and_then(|o| o.cast::<ForOp>(ctx)))
            .is_some_and(|l| l.iter_args(ctx).contains(&old));
        let Some(combiner) = new.def_op().filter(|_| is_carried) else {
            continue;
        };
        if combiner.block(ctx) != Some(blocks[way]) || !new.has_one_use(ctx) {
            continue;
        }
        let operands = combiner.operands(ctx);
        let (Some(kind), &[a, b]) = (kind_of(combiner.name(ctx)), &operands[..]) else {
            continue;
        };
        let contribution = match (a == old, b == old) {
            (true, false) => b,
            (false, true) => a,
            _ => continue,
        };
        kind.identity(ctx, old.ty(ctx))?;
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
    let mut state = OpState::like(b.ctx, f.combiner);
    let first = f.combiner.operand(b.ctx, 0) == f.carried;
    state.operands = match first {
        true => vec![f.carried, result],
        false => vec![result, f.carried],
    };
    state.result_types = vec![ty];
    let new = b.create(state);
    let combined = new.result(b.ctx, 0);
    result.replace_uses_if(b.ctx, combined, |u| u.op != new);
    f.combiner.erase(b.ctx);
}
