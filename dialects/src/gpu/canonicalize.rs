//! Rewrites towards the canonical form.

use super::launch::LaunchOp;
use super::memory::{AllocOp, MemcpyOp, WaitOp};
use super::sync::BarrierOp;
use super::syntax::token_of;
use crate::memref::DimOp;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, InsertPoint, Op, OpKind, Value};

/// Of two barriers in a row the first is for nothing.
pub(super) fn barrier(set: &mut PatternSet) {
    set.add::<BarrierOp>(|rw, op| {
        let again = op.next(rw.ctx).is_some_and(|n| n.isa::<BarrierOp>(rw.ctx));
        if again {
            rw.erase(op);
        }
        again
    });
}

/// The index along a dimension of size 1 is 0.
pub(super) fn launch(set: &mut PatternSet) {
    set.add::<LaunchOp>(|rw, op| {
        let l = LaunchOp::wrap(op);
        let ids = [l.block_ids(rw.ctx), l.thread_ids(rw.ctx)].concat();
        let sizes = [l.grid_size(rw.ctx), l.block_size(rw.ctx)].concat();
        let one = |(id, size): &(Value, Value)| {
            rw.ctx.constant_int(*size) == Some(1) && id.has_uses(rw.ctx)
        };
        let found: Vec<Value> = ids
            .into_iter()
            .zip(sizes)
            .filter(one)
            .map(|(id, _)| id)
            .collect();
        if found.is_empty() {
            return false;
        }
        let body = l.body(rw.ctx);
        rw.at = InsertPoint::Start(body);
        rw.loc = op.loc(rw.ctx);
        let (ty, zero) = (rw.ctx.index(), rw.ctx.index_attr(0));
        let Some(zero) = rw.constant(op, zero, ty) else {
            return false;
        };
        let zero = zero.result(rw.ctx, 0);
        for id in found {
            rw.replace_all_uses(id, zero);
        }
        true
    });
}

/// The size of a buffer is what it was allocated with.
pub(super) fn alloc(set: &mut PatternSet) {
    set.add::<DimOp>(dim_of_alloc::<AllocOp>);
}

/// Replace the size of a dimension, left open in the type, of what an op of kind `K`
/// has allocated. `K` has its sizes in an operand group `dynamicSizes`.
pub(crate) fn dim_of_alloc<K: OpKind>(rw: &mut Rewriter, op: Op) -> bool {
    let dim = DimOp::wrap(op);
    let source = dim.source(rw.ctx);
    let Some(alloc) = source.def_op().filter(|d| d.isa::<K>(rw.ctx)) else {
        return false;
    };
    let index = rw
        .ctx
        .constant_int(dim.index(rw.ctx))
        .and_then(|i| usize::try_from(i).ok());
    let Some(index) = index else { return false };
    let shape = source.ty(rw.ctx).shape(rw.ctx).unwrap_or(&[]);
    if shape.get(index) != Some(&DYNAMIC) {
        return false;
    }
    let nth = shape[..index].iter().filter(|d| **d == DYNAMIC).count();
    let Some(size) = alloc
        .operand_group(rw.ctx, "dynamicSizes")
        .get(nth)
        .copied()
    else {
        return false;
    };
    rw.replace_op(op, &[size]);
    true
}

/// Whether all that `op` does to memory is `kind`, on `v`.
pub(crate) fn only_effect(ctx: &Context, op: Op, kind: EffectKind, v: Value) -> bool {
    let effects = own_effects(ctx, op);
    effects.is_some_and(|e| matches!(e.as_slice(), [e] if e.kind == kind && e.on == Some(v)))
}

/// A copy into a buffer that is only freed afterwards is for nothing.
pub(super) fn memcpy(set: &mut PatternSet) {
    set.add::<MemcpyOp>(|rw, op| {
        let dst = MemcpyOp::wrap(op).dst(rw.ctx);
        if !dst
            .def_op()
            .is_some_and(|d| only_effect(rw.ctx, d, EffectKind::Alloc, dst))
        {
            return false;
        }
        let used = |user: &Op| *user != op && !only_effect(rw.ctx, *user, EffectKind::Free, dst);
        if dst.users(rw.ctx).iter().any(used) {
            return false;
        }
        let deps = op.operand_group(rw.ctx, "asyncDependencies");
        if deps.len() != usize::from(token_of(rw.ctx, op).is_some()) {
            return false;
        }
        rw.replace_op(op, &deps);
        true
    });
}

pub(super) fn wait(set: &mut PatternSet) {
    // A wait for nothing need not be waited for.
    set.add::<WaitOp>(|rw, op| {
        let empty = |v: &Value| {
            v.def_op()
                .is_some_and(|d| d.isa::<WaitOp>(rw.ctx) && d.num_operands(rw.ctx) == 0)
        };
        let all = op.operands(rw.ctx);
        let kept: Vec<Value> = all.iter().copied().filter(|v| !empty(v)).collect();
        if kept.len() == all.len() {
            return false;
        }
        rw.set_operands(op, &kept);
        true
    });
    set.add::<WaitOp>(simplify_wait);
}

fn simplify_wait(rw: &mut Rewriter, op: Op) -> bool {
    let deps = op.operands(rw.ctx);
    match token_of(rw.ctx, op) {
        None if deps.is_empty() => rw.erase(op),
        Some(_) if deps.len() == 1 => rw.replace_op(op, &deps),
        Some(t) if !t.has_uses(rw.ctx) => rw.erase(op),
        _ => return false,
    }
    true
}
