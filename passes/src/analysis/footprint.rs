//! How much memory a loop nest touches.

use super::ranges::Ranges;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, OpKind, Type, Value};

/// The bytes that the affine accesses inside `root` touch: of each memref, the smallest
/// box around all subscripts. `None` where some bound or size is not a constant.
pub fn footprint_bytes(ctx: &Context, root: ForOp) -> Option<u64> {
    let mut boxes: FxHashMap<Value, Vec<(i64, i64)>> = FxHashMap::default();
    let mut known = Ranges::default();
    for a in Access::all(ctx, root.op()) {
        if a.kind == AccessKind::Prefetch {
            continue;
        }
        let touched = box_of(ctx, &a, &mut known)?;
        let union = boxes.entry(a.memref).or_insert_with(|| touched.clone());
        for (whole, new) in union.iter_mut().zip(touched) {
            *whole = (whole.0.min(new.0), whole.1.max(new.1));
        }
    }
    let mut bytes: u64 = 0;
    for (memref, sides) in boxes {
        let mut size = element_bytes(ctx, memref.ty(ctx).element(ctx)?)?;
        for (lo, hi) in sides {
            size =
                size.checked_mul(u64::try_from(hi.checked_sub(lo)?.checked_add(1)?).unwrap_or(0))?;
        }
        bytes = bytes.checked_add(size)?;
    }
    Some(bytes)
}

/// The first and last subscript along each dimension, within the memref.
fn box_of(ctx: &Context, a: &Access, known: &mut Ranges) -> Option<Vec<(i64, i64)>> {
    let shape = a.memref.ty(ctx).shape(ctx)?;
    let c = a.composed(ctx);
    let mut sides = Vec::new();
    for (i, r) in known
        .of_results(ctx, &c.map, &c.operands)
        .into_iter()
        .enumerate()
    {
        let size = shape.get(i).copied().filter(|s| *s != DYNAMIC);
        let lo = r.lo.map_or(0, |l| l.max(0));
        let last = size.and_then(|s| s.checked_sub(1));
        let hi = match (r.hi, last) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        };
        sides.push((lo, hi));
    }
    Some(sides)
}

fn element_bytes(ctx: &Context, t: Type) -> Option<u64> {
    let scalar = u64::from(t.element_or_self(ctx).bit_width(ctx)?).div_ceil(8);
    let count = if t.is_vector(ctx) {
        u64::try_from(t.num_elements(ctx)?).ok()?
    } else {
        1
    };
    scalar.checked_mul(count)
}
