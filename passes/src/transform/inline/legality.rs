//! Whether a body may stand where a call stands.

use terrace_dialects::affine;
use terrace_dialects::func;
use terrace_dialects::memref;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{RegionKind, traits};
use terrace_ir::{Context, Op, Region, Value};

/// Whether the body of `callee` may replace `call`: all of it is known, and allowed
/// where the call is.
pub(super) fn is_legal(ctx: &Context, call: Op, callee: Op) -> bool {
    let (Some(dest), src) = (call.region_of(ctx), callee.region(ctx, 0)) else {
        return false;
    };
    let Some(entry) = src.entry(ctx) else {
        return false;
    };
    let args = call.operands(ctx);
    let refused = |op: Op| op.attr(ctx, "no_inline").is_some();
    !refused(call)
        && !refused(callee)
        && call.operand_types(ctx) == entry.arg_types(ctx)
        && ends_in_returns(ctx, src, &call.result_types(ctx))
        && (src.has_one_block(ctx) || may_branch_in(ctx, dest, callee))
        && place_takes(ctx, dest, src, &args)
        && ops_allowed(ctx, dest, src)
}

/// Every block ends in a return of what the call gives, or goes on to another block.
fn ends_in_returns(ctx: &Context, src: Region, types: &[terrace_ir::Type]) -> bool {
    src.blocks(ctx).into_iter().all(|b| match b.last_op(ctx) {
        Some(t) if t.isa::<func::ReturnOp>(ctx) => t.operand_types(ctx) == types,
        Some(t) => t.is_terminator(ctx),
        None => false,
    })
}

/// Whether a region may have the blocks of `callee` among its own.
fn may_branch_in(ctx: &Context, dest: Region, callee: Op) -> bool {
    let parent = dest.parent_op(ctx);
    if parent.name(ctx) == callee.name(ctx) {
        return true;
    }
    let Some(def) = parent.def(ctx) else {
        return false;
    };
    let one_block = def
        .regions
        .iter()
        .any(|r| matches!(r.kind, RegionKind::OneBlock | RegionKind::AtMostOneBlock));
    !def.has(traits::SINGLE_BLOCK) && !one_block
}

/// Whether the op around the call takes the ops of functions.
fn place_takes(ctx: &Context, dest: Region, src: Region, args: &[Value]) -> bool {
    let parent = dest.parent_op(ctx);
    if parent.def(ctx).is_none() {
        return false;
    }
    match parent.dialect(ctx) {
        "func" | "scf" | "gpu" | "memref" => true,
        "affine" => affine_takes(ctx, dest, src, args),
        _ => false,
    }
}

/// Loops and conditions of affine take what they can analyse: ops without effects,
/// and accesses whose subscripts remain dimensions and symbols.
fn affine_takes(ctx: &Context, dest: Region, src: Region, args: &[Value]) -> bool {
    let Some(entry) = src.entry(ctx).filter(|_| src.has_one_block(ctx)) else {
        return false;
    };
    entry.ops(ctx).into_iter().all(|op| {
        let inputs = match op.cast::<affine::ApplyOp>(ctx) {
            Some(a) => Some((a.map(ctx).clone(), a.operands(ctx))),
            None => affine::Access::of(ctx, op).map(|a| (a.map, a.operands)),
        };
        match inputs {
            Some((map, operands)) => operands.iter().enumerate().all(|(i, v)| {
                let dim = i < map.num_dims() as usize;
                stays_valid(ctx, *v, src, dest, args, dim)
            }),
            None => op.num_regions(ctx) == 0 && own_effects(ctx, op).is_some_and(|e| e.is_empty()),
        }
    })
}

/// Whether `v`, a dimension or symbol of `src`, is one when its user is in `dest`.
fn stays_valid(
    ctx: &Context,
    v: Value,
    src: Region,
    dest: Region,
    args: &[Value],
    dim: bool,
) -> bool {
    let at_top = v.block(ctx).and_then(|b| b.region(ctx)) == Some(src);
    if !at_top {
        return true;
    }
    match v.def_op() {
        // What takes the argument's place must do for the scope around the loop.
        None => args.get(v.index(ctx)).is_some_and(|a| {
            let scope = affine::scope::affine_scope(ctx, dest.parent_op(ctx));
            match dim {
                true => affine::scope::is_valid_dim(ctx, *a, scope),
                false => affine::scope::is_valid_symbol(ctx, *a, scope),
            }
        }),
        // No longer at the top of a scope, but these may be anywhere.
        Some(op) => ctx.constant_value(op).is_some() || op.name(ctx) == memref::DimOp::NAME,
    }
}

/// Whether every op of `src` may be in `dest`. Ops of unknown kinds may not move, and
/// those of affine only into affine's loops or to the top of a scope for symbols.
fn ops_allowed(ctx: &Context, dest: Region, src: Region) -> bool {
    let parent = dest.parent_op(ctx);
    let affine_place =
        parent.dialect(ctx) == "affine" || parent.has_trait(ctx, traits::AFFINE_SCOPE);
    all_ops(ctx, src, &mut |op| {
        op.def(ctx).is_some() && (affine_place || op.dialect(ctx) != "affine")
    })
}

/// Whether `f` holds for all ops in `region`, without those in scopes of their own.
fn all_ops(ctx: &Context, region: Region, f: &mut dyn FnMut(Op) -> bool) -> bool {
    region.blocks(ctx).into_iter().all(|b| {
        b.ops(ctx).into_iter().all(|op| {
            let scope = op.has_trait(ctx, traits::AFFINE_SCOPE);
            f(op) && (scope || op.regions(ctx).into_iter().all(|r| all_ops(ctx, r, f)))
        })
    })
}
