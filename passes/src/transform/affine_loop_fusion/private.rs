//! Private memrefs: what the fused source writes for the destination alone goes to a
//! buffer of the size of what one iteration writes.

use crate::analysis::memref_region::{Region, RegionOptions, element_bytes};
use crate::loops::redirect::{redirect, redirected};
use crate::loops::stage::space_attr;
use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp};
use terrace_dialects::memref::AllocOp;
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::{Block, Builder, Context, OpKind, Value};

/// Where buffers go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffers {
    /// Buffers up to this size go to the fast memory.
    pub threshold: u64,
    pub fast_space: Option<u64>,
}

/// Let the accesses of `memref` in a nest go to a memref of its own, of the size of what
/// the stores write in one iteration of the `depth` outer loops. What comes before the
/// first op of `block` that stores stays as it is: it reads what was there before. `None`,
/// with nothing changed, where stores have different subscripts, that size is not a
/// constant, or something is read that may lie outside of it: an element that nobody
/// writes has any value, but it has a place.
pub(super) fn privatise(
    ctx: &mut Context,
    nest: ForOp,
    memref: Value,
    (block, depth): (Block, usize),
    buffers: Buffers,
) -> Option<Value> {
    let mut all: Vec<Access> = Access::all(ctx, nest.op())
        .into_iter()
        .filter(|a| a.memref == memref)
        .collect();
    let mut stores = all.iter().filter(|a| a.kind == AccessKind::Write);
    let store = stores.next()?;
    if stores.any(|s| s.composed(ctx) != store.composed(ctx)) {
        return None;
    }
    let first = store.op.ancestor_in(ctx, block)?;
    let store = store.clone();
    all.retain(|a| {
        let at = a.op.ancestor_in(ctx, block);
        at.is_some_and(|at| at == first || first.is_before(ctx, at))
    });
    let options = RegionOptions {
        depth,
        within_memref: true,
        keep_divisions: true,
    };
    let region = Region::of(ctx, &store, options)?;
    let bounds = region.bounding_box(ctx)?;
    let ty = memref.ty(ctx);
    let (_, old_space) = ty.memref_parts(ctx)?;
    let elem = ty.element(ctx)?;
    let bytes = element_bytes(ctx, elem)?.checked_mul(bounds.elements)?;
    let small = u64::try_from(bytes).is_ok_and(|b| b <= buffers.threshold);
    let space = match buffers.fast_space {
        Some(s) if small => space_attr(ctx, s),
        _ => old_space,
    };
    let outer = region.symbols();
    let n = u32::try_from(outer.len()).ok()?;
    let dims: Vec<AffineExpr> = (0..n).map(AffineExpr::dim).collect();
    let mut results = Vec::new();
    for (d, side) in (0..).zip(&bounds.sides) {
        let offset = side.lower.result(0)?.replace_symbols(&dims);
        let e = AffineExpr::dim(n + d) - offset;
        let count = n + u32::try_from(bounds.sides.len()).ok()?;
        results.push(simplify_affine_expr(&e, count, 0));
    }
    let rank = u32::try_from(bounds.sides.len()).ok()?;
    let remap = AffineMap::new(n + rank, 0, results);

    let new_type = ctx.memref_in(&bounds.shape(), elem, space);
    let block = nest.op().block(ctx)?;
    let entry = block
        .region(ctx)
        .and_then(|r| r.entry(ctx))
        .unwrap_or(block);
    let mut b = Builder::at_start(ctx, entry, nest.op().loc(ctx));
    let new = AllocOp::build(&mut b, new_type, &[]);
    let fits = |a: &Access| {
        let all_loops = RegionOptions {
            depth: usize::MAX,
            within_memref: false,
            keep_divisions: true,
        };
        a.composed(ctx) == store.composed(ctx)
            || Region::of(ctx, &redirected(ctx, a, new, &remap, &outer), all_loops)
                .is_some_and(|r| r.is_within_memref(ctx))
    };
    if !all.iter().all(fits) {
        new.def_op()?.erase(ctx);
        return None;
    }
    for a in all {
        keep_subscripts(ctx, &a);
        redirect(ctx, a.op, new, &remap, &outer);
    }
    Some(new)
}

/// Compute the subscripts that an access had where it stands, each by an op of its own,
/// as MLIR leaves them; those that nothing uses go with the next canonicalization.
fn keep_subscripts(ctx: &mut Context, a: &Access) {
    if a.map.is_identity() && a.map.num_symbols() == 0 {
        return;
    }
    for i in 0..a.map.num_results() {
        let mut b = Builder::before(ctx, a.op);
        ApplyOp::build(&mut b, a.map.sub_map(&[i]), &a.operands);
    }
}
