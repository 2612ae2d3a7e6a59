//! Which affine loops leave nothing of what was in an array.

use super::memory::{base, is_root, may_be_same};
use super::sizes;
use terrace_dialects::affine::{Access, ForOp, ParallelOp, StoreOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::effects::own_effects;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Value};

/// The arrays that a nest overwrites, unless the loop around it does too.
pub(crate) fn overwritten(ctx: &Context, nest: Op) -> Vec<Value> {
    let mut out = Vec::new();
    for o in nest.pre_order(ctx) {
        let Some(store) = o.cast::<StoreOp>(ctx) else {
            continue;
        };
        let Some(access) = Access::of(ctx, store.op()) else {
            continue;
        };
        let array = access.memref;
        if is_root(ctx, array)
            && !out.contains(&array)
            && covers(ctx, nest, o, &access)
            && is_first(ctx, nest, o, &access)
        {
            out.push(array);
        }
    }
    out
}

/// Whether a store in `nest` writes every element whenever the nest runs.
pub(crate) fn covers(ctx: &Context, nest: Op, store: Op, access: &Access) -> bool {
    let rank = access.memref.ty(ctx).rank(ctx);
    if rank != Some(access.map.num_results()) {
        return false;
    }
    let mut counters = Vec::new();
    for (k, expr) in access.map.results().iter().enumerate() {
        let AffineExpr::Dim(d) = expr else {
            return false;
        };
        let Some(counter) = access.operands.get(*d as usize).copied() else {
            return false;
        };
        if counters.contains(&counter) || !runs_over(ctx, nest, counter, access.memref, k) {
            return false;
        }
        counters.push(counter);
    }
    // Whatever else is around it runs too. The loops over the dimensions run as often as
    // there are elements.
    let mut at = store;
    loop {
        let Some(parent) = at.parent(ctx) else {
            return false;
        };
        let runs = match (parent.cast::<ForOp>(ctx), parent.cast::<ParallelOp>(ctx)) {
            (Some(l), _) => {
                counters.contains(&l.iv(ctx)) || l.constant_trip_count(ctx).is_some_and(|n| n > 0)
            }
            (_, Some(l)) => {
                l.ivs(ctx).iter().all(|v| counters.contains(v))
                    || l.constant_ranges(ctx)
                        .is_some_and(|r| r.iter().all(|n| *n > 0))
            }
            _ => false,
        };
        if !runs {
            return false;
        }
        if parent == nest {
            return true;
        }
        at = parent;
    }
}

/// Whether a loop of the nest counts by 1 over a dimension of an array.
fn runs_over(ctx: &Context, nest: Op, counter: Value, array: Value, dim: usize) -> bool {
    let Some(owner) = counter.arg_block().and_then(|b| b.parent_op(ctx)) else {
        return false;
    };
    if owner != nest && !nest.is_ancestor_of(ctx, owner) {
        return false;
    }
    let (lower, upper, operands, step) = if let Some(l) = owner.cast::<ForOp>(ctx) {
        if l.iv(ctx) != counter {
            return false;
        }
        let upper = l.upper_map(ctx).clone();
        (
            l.constant_lower(ctx),
            upper,
            l.upper_operands(ctx),
            l.step(ctx),
        )
    } else if let Some(l) = owner.cast::<ParallelOp>(ctx) {
        let Some(k) = l.ivs(ctx).iter().position(|v| *v == counter) else {
            return false;
        };
        let lower = l.lower_map_of(ctx, k).single_constant();
        let step = l.steps(ctx).get(k).copied().unwrap_or(0);
        (lower, l.upper_map_of(ctx, k), l.upper_operands(ctx), step)
    } else {
        return false;
    };
    lower == Some(0) && step == 1 && is_size(ctx, &upper, &operands, array, dim)
}

/// Whether a bound is the size of a dimension.
fn is_size(ctx: &Context, map: &AffineMap, operands: &[Value], array: Value, dim: usize) -> bool {
    let Some(size) = array.ty(ctx).shape(ctx).and_then(|s| s.get(dim).copied()) else {
        return false;
    };
    if size != DYNAMIC {
        return map.single_constant() == Some(size);
    }
    let at = match map.results() {
        [AffineExpr::Dim(d)] => *d as usize,
        [AffineExpr::Symbol(s)] => map.num_dims() as usize + *s as usize,
        _ => return false,
    };
    let bound = operands.get(at).map(|v| sizes::of_value(ctx, *v));
    bound.is_some() && bound == sizes::of_dim(ctx, array, dim)
}

/// Whether every other access in the nest that may read the array comes after the store
/// of the same element.
fn is_first(ctx: &Context, nest: Op, store: Op, access: &Access) -> bool {
    nest.pre_order(ctx).into_iter().all(|o| {
        if o == store {
            return true;
        }
        let other = Access::of(ctx, o);
        if let Some(other) = &other
            && other.memref == access.memref
        {
            let same = other.map == access.map && other.operands == access.operands;
            let behind = store
                .block(ctx)
                .and_then(|b| o.ancestor_in(ctx, b))
                .is_some_and(|a| store.is_before(ctx, a));
            return o.isa::<StoreOp>(ctx) || same && behind;
        }
        // Views and what may be another name of the array could read any of it.
        match own_effects(ctx, o) {
            Some(effects) => effects.iter().all(|e| {
                e.on.is_some_and(|v| !may_be_same(ctx, base(ctx, v), access.memref))
            }),
            None => {
                o.num_regions(ctx) > 0 && o.operands(ctx).iter().all(|v| !v.ty(ctx).is_memref(ctx))
            }
        }
    })
}
