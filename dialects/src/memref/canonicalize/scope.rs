//! Patterns of alloca_scope.

use crate::memref::alloc::AllocaOp;
use crate::memref::scope::AllocaScopeOp;
use terrace_ir::opdef::traits;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Context, Op};

pub(crate) fn alloca_scope(p: &mut PatternSet) {
    p.add::<AllocaScopeOp>(inline_scope);
    p.add::<AllocaScopeOp>(hoist_allocations);
}

fn is_scope(ctx: &Context, op: Op) -> bool {
    op.has_trait(ctx, traits::ALLOCATION_SCOPE)
}

/// Whether `op` by itself may allocate on the stack. An op whose effects are those of
/// what it holds does not; one that says nothing of its effects may.
fn may_allocate(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return true };
    if def.has(traits::RECURSIVE_EFFECTS) {
        return false;
    }
    op.isa::<AllocaOp>(ctx) || terrace_ir::effects::own_effects(ctx, op).is_none()
}

/// Whether anything directly under `op`, not counting what nested scopes hold, may
/// allocate on the stack.
fn holds_allocation(ctx: &Context, op: Op) -> bool {
    op.blocks(ctx)
        .into_iter()
        .flat_map(|b| b.ops(ctx))
        .any(|o| may_allocate(ctx, o) || (!is_scope(ctx, o) && holds_allocation(ctx, o)))
}

/// Whether only the terminator follows `op` in a region of one block: what lives to
/// the end of `op` may as well live to the end of the region.
fn is_last(ctx: &Context, op: Op) -> bool {
    let Some(block) = op.block(ctx) else {
        return false;
    };
    let Some(end) = block.terminator(ctx) else {
        return false;
    };
    op.next(ctx) == Some(end) && block.region(ctx).is_some_and(|r| r.has_one_block(ctx))
}

/// A scope without allocations, or at the end of another one, is not needed.
fn inline_scope(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    if holds_allocation(ctx, op) {
        let in_scope = op.parent(ctx).is_some_and(|p| is_scope(ctx, p));
        if !in_scope || !is_last(ctx, op) {
            return false;
        }
    }
    let Some(body) = op.region(ctx, 0).entry(ctx) else {
        return false;
    };
    let Some(end) = body.terminator(ctx) else {
        return false;
    };
    let results = end.operands(ctx);
    rw.inline_block_before(body, op, &[]);
    rw.replace_op(op, &results);
    rw.erase(end);
    true
}

/// Allocations of a scope at the end of nested regions move out to the end of the
/// enclosing scope's own region, where their sizes are known there.
fn hoist_allocations(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(mut outer) = op.parent(ctx).filter(|p| !is_scope(ctx, *p)) else {
        return false;
    };
    if !is_last(ctx, op) || !is_last(ctx, outer) {
        return false;
    }
    loop {
        let Some(parent) = outer.parent(ctx) else {
            return false;
        };
        if is_scope(ctx, parent) {
            break;
        }
        outer = parent;
        if !is_last(ctx, outer) {
            return false;
        }
    }
    let mut found = Vec::new();
    op.walk(ctx, &mut |o| {
        let outside = || {
            o.operands(ctx).iter().all(|v| {
                v.block(ctx)
                    .and_then(|b| b.parent_op(ctx))
                    .is_some_and(|p| !outer.is_ancestor_of(ctx, p))
            })
        };
        // Not those in loops inside: each iteration has its own.
        if o.isa::<AllocaOp>(ctx) && o.parent(ctx) == Some(op) && outside() {
            found.push(o);
        }
    });
    for o in &found {
        o.move_before(rw.ctx, outer);
        rw.modified(*o);
    }
    !found.is_empty()
}
