//! Accesses of a nest, and what is computed of them.

use super::super::shape::Element;
use crate::analysis::linear::Linear;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, AccessKind};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op};

/// Whether an op can be computed again elsewhere.
pub(crate) fn is_arithmetic(ctx: &Context, op: Op) -> bool {
    is_pure(ctx, op) && op.num_regions(ctx) == 0 && op.dialect(ctx) != "affine"
}

/// Whether from `load` to `store`, in the same block, nothing else is stored.
pub(crate) fn untouched(ctx: &Context, load: Op, store: Op) -> bool {
    let mut at = Some(load);
    while let Some(op) = at.filter(|o| *o != store) {
        let mut writes = false;
        op.walk(ctx, &mut |o| writes |= o.name(ctx) == affine::StoreOp::NAME);
        if writes {
            return false;
        }
        at = op.next(ctx);
    }
    at == Some(store)
}

/// The element that an access touches.
pub(crate) fn element(ctx: &Context, op: Op) -> Option<Element> {
    let a = Access::of(ctx, op)?;
    if a.vector.is_some() || a.kind == AccessKind::Prefetch {
        return None;
    }
    let m = a.composed(ctx);
    Some(Element {
        memref: a.memref,
        at: Linear::of_map(&m.map, &m.operands)?,
    })
}

pub(crate) fn same_element(a: &Element, b: &Element) -> bool {
    a.memref == b.memref
        && a.at.len() == b.at.len()
        && a.at.iter().zip(&b.at).all(|(x, y)| x.equals(y))
}
