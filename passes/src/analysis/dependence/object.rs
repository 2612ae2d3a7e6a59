//! Which memory an access touches, through views of it.

use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::memref::{
    AllocOp, AllocaOp, AssumeAlignmentOp, AtomicRmwOp, CastOp, CopyOp, DeallocOp, DimOp,
    GetGlobalOp, LoadOp, MemorySpaceCastOp, PrefetchOp, ReinterpretCastOp, StoreOp, SubViewOp,
    TransposeOp,
};
use terrace_dialects::offsets::Mixed;
use terrace_dialects::{affine, gpu, vector, xfer};
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, Value};

use super::linear::System;
use super::params::Params;
use super::poly::Poly;
use super::values::{Reason, View};
use crate::analysis::memory::{base, is_root, is_view, may_be_same};

/// Subscripts into a memref, followed through the views it is of.
pub(crate) struct Element {
    /// The memref that the subscripts are of: no view that can be seen through.
    pub memref: Value,
    pub subscripts: Vec<Poly>,
}

/// Rewrites subscripts of a view as subscripts of what it is a view of.
pub(crate) fn through_views(
    view: View,
    params: &mut Params,
    system: &mut System,
    memref: Value,
    subscripts: Vec<Poly>,
) -> Result<Element, Reason> {
    let ctx = view.ctx;
    let mut place = Element { memref, subscripts };
    while let Some(op) = place.memref.def_op().filter(|op| is_view(ctx, *op)) {
        let source = op.operand(ctx, 0);
        match op.name(ctx) {
            CastOp::NAME | AssumeAlignmentOp::NAME | MemorySpaceCastOp::NAME
                if source.ty(ctx).rank(ctx) == Some(place.subscripts.len()) => {}
            SubViewOp::NAME => {
                let Some(s) = subview(view, params, system, op, &place.subscripts)? else {
                    break;
                };
                place.subscripts = s;
            }
            TransposeOp::NAME => {
                let Some(s) = transpose(ctx, op, &place.subscripts) else {
                    break;
                };
                place.subscripts = s;
            }
            _ => break,
        }
        place.memref = source;
    }
    Ok(place)
}

/// Offset plus stride times subscript; dropped dimensions are at their offset.
fn subview(
    view: View,
    params: &mut Params,
    system: &mut System,
    op: Op,
    subscripts: &[Poly],
) -> Result<Option<Vec<Poly>>, Reason> {
    let ctx = view.ctx;
    let Some(this) = op.cast::<SubViewOp>(ctx) else {
        return Ok(None);
    };
    let (Some(slice), Some(dropped)) = (this.slice(ctx), this.dropped_dims(ctx)) else {
        return Ok(None);
    };
    let mut mixed = |m: Mixed| match m {
        Mixed::Static(c) => Ok(Poly::constant(c)),
        Mixed::Value(v) => view.index(params, system, v, op),
    };
    let mut next = subscripts.iter();
    let mut out = Vec::new();
    for ((offset, stride), dropped) in slice.offsets.iter().zip(&slice.strides).zip(dropped) {
        let offset = mixed(*offset)?;
        if dropped {
            out.push(offset);
            continue;
        }
        let Some(s) = next.next() else {
            return Ok(None);
        };
        let Some(scaled) = mixed(*stride)?.times(s) else {
            return Ok(None);
        };
        out.push(offset.plus(1, &scaled));
    }
    Ok(next.next().is_none().then_some(out))
}

fn transpose(ctx: &Context, op: Op, subscripts: &[Poly]) -> Option<Vec<Poly>> {
    let map = op.cast::<TransposeOp>(ctx)?.permutation(ctx)?.clone();
    let mut out = vec![Poly::default(); subscripts.len()];
    // Dimension `i` of the view is dimension `map(i)` of the source.
    for (e, s) in map.results().iter().zip(subscripts) {
        let AffineExpr::Dim(d) = e else { return None };
        *out.get_mut(*d as usize)? = s.clone();
    }
    Some(out)
}

/// How the memory of two memrefs is related.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// The same object, whose elements their subscripts name alike.
    Same,
    /// No common element.
    Disjoint,
    /// Perhaps the same memory.
    Maybe(Reason),
}

/// How memory `a` and memory `b`, neither of which is seen through further, are
/// related. `arguments_alias`: two arguments of a function may be the same memory.
pub(crate) fn overlap(view: View, a: Value, b: Value, arguments_alias: bool) -> Overlap {
    let ctx = view.ctx;
    let (x, y) = (base(ctx, a), base(ctx, b));
    let maybe = |message: String| Overlap::Maybe(Reason::new(a.loc(ctx), message));
    if a == b {
        if !view.is_fixed(a) && !allocated(ctx, a) {
            return maybe("which memory this is may change from iteration to iteration".into());
        }
        return match a.def_op().map(|op| op.name(ctx)) {
            Some(ReinterpretCastOp::NAME) if !is_injective(ctx, a) => {
                maybe("elements of a 'memref.reinterpret_cast' may overlap".into())
            }
            _ => Overlap::Same,
        };
    }
    let global = |v: Value| v.def_op().is_some_and(|o| o.name(ctx) == GetGlobalOp::NAME);
    if x == y || (global(x) && global(y) && may_be_same(ctx, x, y)) {
        if a == x && b == y {
            return Overlap::Same;
        }
        return maybe("both are views of the same memory".into());
    }
    if may_be_same(ctx, x, y) {
        return maybe("the two memrefs may be the same memory".into());
    }
    if arguments_alias && !allocated(ctx, x) && !allocated(ctx, y) && is_root(ctx, x) {
        return maybe("the two arguments may be the same memory".into());
    }
    Overlap::Disjoint
}

/// Whether elements with different subscripts are surely different: rows one behind the other,
/// or static strides, each past all that the smaller ones reach.
fn is_injective(ctx: &Context, memref: Value) -> bool {
    let cast = memref
        .def_op()
        .and_then(|op| op.cast::<ReinterpretCastOp>(ctx));
    if cast.is_some_and(|c| c.is_row_major(ctx)) {
        return true;
    }
    let ty = memref.ty(ctx);
    let (Some(layout), Some(shape)) = (strides_and_offset(ctx, ty), ty.shape(ctx)) else {
        return false;
    };
    let is_known = |n: &i64| *n != DYNAMIC && *n > 0;
    if !shape.iter().chain(&layout.strides).all(is_known) {
        return false;
    }
    let mut dims: Vec<(i64, i64)> = layout.strides.into_iter().zip(shape.to_vec()).collect();
    dims.sort_unstable();
    let mut reach: i64 = 0;
    for (stride, size) in dims {
        if stride <= reach {
            return false;
        }
        let span = (size - 1).checked_mul(stride);
        let Some(sum) = span.and_then(|s| reach.checked_add(s)) else {
            return false;
        };
        reach = sum;
    }
    true
}

/// Whether the value is memory made by an op of this function.
pub(crate) fn allocated(ctx: &Context, v: Value) -> bool {
    v.def_op().is_some_and(|op| {
        matches!(
            op.name(ctx),
            AllocOp::NAME | AllocaOp::NAME | gpu::AllocOp::NAME | xfer::AllocOp::NAME
        )
    })
}

/// Whether something else than the accesses that can be seen may reach memory that
/// this function made: it is passed on, stored or returned.
pub(crate) fn escapes(ctx: &Context, memref: Value) -> bool {
    let mut todo = vec![memref];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(v) = todo.pop() {
        if !seen.insert(v) {
            continue;
        }
        for u in v.uses(ctx) {
            let harmless = match u.op.name(ctx) {
                affine::LoadOp::NAME
                | LoadOp::NAME
                | affine::VectorLoadOp::NAME
                | affine::PrefetchOp::NAME
                | PrefetchOp::NAME
                | DimOp::NAME
                | CopyOp::NAME
                | DeallocOp::NAME
                | vector::LoadOp::NAME
                | vector::TransferReadOp::NAME => true,
                // Operand 0 is the value stored.
                affine::StoreOp::NAME
                | StoreOp::NAME
                | affine::VectorStoreOp::NAME
                | vector::StoreOp::NAME
                | AtomicRmwOp::NAME => u.index != 0,
                _ if is_view(ctx, u.op) && u.index == 0 => {
                    todo.extend(u.op.results(ctx));
                    true
                }
                _ => false,
            };
            if !harmless {
                return true;
            }
        }
    }
    false
}
