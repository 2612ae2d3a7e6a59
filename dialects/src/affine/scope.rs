//! Which values may be dimensions and symbols of affine maps.
//!
//! A symbol does not change within its *scope*: the region of the closest enclosing
//! op with the `AFFINE_SCOPE` trait, such as a function. A dimension is a symbol, an
//! induction variable of an affine loop, or affine in such.

use super::{ApplyOp, ForOp};
use terrace_ir::opdef::{Verified, traits};
use terrace_ir::{Context, Op, Region, Type, TypeData, Value, effects};

/// The region that is the scope of symbols used by `op`; `None` outside of any.
pub fn affine_scope(ctx: &Context, op: Op) -> Option<Region> {
    let mut op = op;
    while let Some(parent) = op.parent(ctx) {
        if parent.has_trait(ctx, traits::AFFINE_SCOPE) {
            return op.region_of(ctx);
        }
        op = parent;
    }
    None
}

/// The outermost region around `op` with only affine loops and conditions between:
/// what an analysis of affine loops can see.
pub fn analysis_scope(ctx: &Context, op: Op) -> Option<Region> {
    let mut op = op;
    while let Some(parent) = op.parent(ctx) {
        if !matches!(
            parent.name(ctx),
            "affine.for" | "affine.if" | "affine.parallel"
        ) {
            return op.region_of(ctx);
        }
        op = parent;
    }
    None
}

/// Whether `v` is defined directly in the body of an op with the `AFFINE_SCOPE`
/// trait.
pub(crate) fn is_top_level(ctx: &Context, v: Value) -> bool {
    v.block(ctx)
        .filter(|b| b.region(ctx).is_some())
        .and_then(|b| b.parent_op(ctx))
        .and_then(|op| op.def(ctx))
        .is_some_and(|d| d.has(traits::AFFINE_SCOPE))
}

/// Whether `v` is defined directly in `region`, or above it in what it can see.
fn is_top_level_or_above(ctx: &Context, v: Value, region: Region) -> bool {
    let Some(home) = v.block(ctx).and_then(|b| b.region(ctx)) else {
        return false;
    };
    let mut region = region;
    loop {
        if region == home {
            return true;
        }
        let op = region.parent_op(ctx);
        if op.has_trait(ctx, traits::ISOLATED) {
            return false;
        }
        match op.region_of(ctx) {
            Some(r) => region = r,
            None => return false,
        }
    }
}

/// The `affine.for` whose induction variable `v` is.
pub fn for_of_iv(ctx: &Context, v: Value) -> Option<ForOp> {
    let block = v.arg_block()?;
    let op = block.region(ctx).and_then(|_| block.parent_op(ctx))?;
    let f = op.cast::<ForOp>(ctx)?;
    (v.index(ctx) == 0).then_some(f)
}

/// The `affine.parallel` one of whose induction variables `v` is.
pub fn parallel_of_iv(ctx: &Context, v: Value) -> Option<Op> {
    let block = v.arg_block()?;
    let op = block.region(ctx).and_then(|_| block.parent_op(ctx))?;
    (op.name(ctx) == "affine.parallel").then_some(op)
}

/// Whether `v` is an induction variable of an `affine.for` or `affine.parallel`.
pub fn is_induction_var(ctx: &Context, v: Value) -> bool {
    for_of_iv(ctx, v).is_some() || parallel_of_iv(ctx, v).is_some()
}

/// Whether `op` gives the size of a dimension: its operands are the shaped value
/// and the number of the dimension.
fn is_dim_op(ctx: &Context, op: Op) -> bool {
    matches!(op.name(ctx), "memref.dim" | "tensor.dim") && op.num_operands(ctx) == 2
}

/// Whether `v` may be a symbol in `region`; without one, only what would be a symbol
/// in any scope qualifies.
pub fn is_valid_symbol(ctx: &Context, v: Value, region: Option<Region>) -> bool {
    // All of these must hold; what an op is computed from is put off to the list.
    let mut todo = vec![v];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(v) = todo.pop() {
        if !v.ty(ctx).is_index(ctx) {
            return false;
        }
        if region.is_some_and(|r| is_top_level_or_above(ctx, v, r)) || !seen.insert(v) {
            continue;
        }
        let Some(op) = v.def_op() else { return false };
        if ctx.constant_value(op).is_some() {
            continue;
        }
        if is_dim_op(ctx, op) {
            match dim_source(ctx, op) {
                DimSource::Known => {}
                DimSource::Size(size) => todo.push(size),
                DimSource::Unknown => return false,
            }
        } else if effects::is_pure(ctx, op) {
            todo.extend(op.operands(ctx));
        } else {
            return false;
        }
    }
    true
}

/// What the size that a dim op gives is, as far as symbols go.
enum DimSource {
    /// Static, or that of a value that the whole scope sees.
    Known,
    /// Equal to this operand of the op that made the memref.
    Size(Value),
    Unknown,
}

fn dim_source(ctx: &Context, dim: Op) -> DimSource {
    let shaped = dim.operand(ctx, 0);
    if is_top_level(ctx, shaped) {
        return DimSource::Known;
    }
    let Some(index) = ctx
        .constant_int(dim.operand(ctx, 1))
        .and_then(|i| usize::try_from(i).ok())
    else {
        return DimSource::Unknown;
    };
    let Some(mut source) = shaped.def_op() else {
        return DimSource::Unknown;
    };
    while source.name(ctx) == "memref.cast" && source.num_operands(ctx) == 1 {
        let from = source.operand(ctx, 0);
        match from.def_op() {
            Some(op) if from.ty(ctx).is_memref(ctx) => source = op,
            _ => return DimSource::Unknown,
        }
    }
    let group = match source.name(ctx) {
        "memref.alloc" => "dynamicSizes",
        "memref.view" | "memref.subview" => "sizes",
        _ => return DimSource::Unknown,
    };
    let ty = source.result(ctx, 0).ty(ctx);
    let Some(shape) = ty.shape(ctx) else {
        return DimSource::Unknown;
    };
    match shape.get(index) {
        None => DimSource::Unknown,
        Some(&size) if size != terrace_ir::types::DYNAMIC => DimSource::Known,
        Some(_) => {
            let before = shape[..index]
                .iter()
                .filter(|s| **s == terrace_ir::types::DYNAMIC);
            match source.operand_group(ctx, group).get(before.count()) {
                Some(v) => DimSource::Size(*v),
                None => DimSource::Unknown,
            }
        }
    }
}

/// Whether `v` may be a dimension in `region`; see [`is_valid_symbol`].
pub fn is_valid_dim(ctx: &Context, v: Value, region: Option<Region>) -> bool {
    let mut todo = vec![v];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(v) = todo.pop() {
        if !v.ty(ctx).is_index(ctx) {
            return false;
        }
        if is_induction_var(ctx, v) || !seen.insert(v) || is_valid_symbol(ctx, v, region) {
            continue;
        }
        let Some(op) = v.def_op() else { return false };
        match op.name(ctx) {
            "affine.apply" | "affine.delinearize_index" | "affine.linearize_index" => {
                todo.extend(op.operands(ctx));
            }
            _ if is_dim_op(ctx, op) && is_top_level(ctx, op.operand(ctx, 0)) => {}
            _ => return false,
        }
    }
    true
}

/// Whether `v` may be a symbol where it is defined.
pub fn is_symbol(ctx: &Context, v: Value) -> bool {
    if !v.ty(ctx).is_index(ctx) {
        return false;
    }
    is_top_level(ctx, v)
        || v.def_op()
            .is_some_and(|op| is_valid_symbol(ctx, v, affine_scope(ctx, op)))
}

/// Whether `v` may be a dimension where it is defined.
pub fn is_dim(ctx: &Context, v: Value) -> bool {
    if !v.ty(ctx).is_index(ctx) {
        return false;
    }
    match v.def_op() {
        Some(op) => is_valid_dim(ctx, v, affine_scope(ctx, op)),
        None => is_induction_var(ctx, v) || is_top_level(ctx, v),
    }
}

/// Check the operands of a map with `num_dims` dimensions used by `op`.
///
/// # Errors
///
/// Names the first operand that is in the wrong place.
pub(super) fn verify_operands(
    ctx: &Context,
    op: Op,
    operands: &[Value],
    num_dims: u32,
) -> Verified {
    if operands.is_empty() {
        return Ok(());
    }
    let scope = affine_scope(ctx, op);
    for (i, v) in operands.iter().enumerate() {
        if i < num_dims as usize {
            if !is_valid_dim(ctx, *v, scope) {
                return Err("operand cannot be used as a dimension id".into());
            }
        } else if !is_valid_symbol(ctx, *v, scope) {
            return Err("operand cannot be used as a symbol".into());
        }
    }
    Ok(())
}

/// Whether every operand may be a dimension or symbol where `op` stands.
pub(super) fn all_affine(ctx: &Context, op: Op, operands: &[Value]) -> bool {
    let scope = affine_scope(ctx, op);
    operands.iter().all(|v| is_valid_dim(ctx, *v, scope))
}

/// Element type of a ranked memref type.
pub(super) fn memref_element(ctx: &Context, t: Type) -> Option<Type> {
    match t.data(ctx) {
        TypeData::MemRef { elem, .. } => Some(*elem),
        _ => None,
    }
}

/// Whether `v` is the result of an `affine.apply`.
pub(super) fn apply_of(ctx: &Context, v: Value) -> Option<ApplyOp> {
    v.def_op()?.cast::<ApplyOp>(ctx)
}
