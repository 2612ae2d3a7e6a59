//! The numbers of a step: what is added to bounds of loops and what these are multiplied
//! by.

use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::attr::AttrData;
use terrace_ir::{Attr, Context, Op};

/// The greatest number a step may have, and its negative the least. Bounds are computed in
/// 64 bits: those of loops that any memory has room for stay within them, whatever a few
/// steps with such numbers do to them.
pub(crate) const MAX: i64 = i32::MAX as i64;

/// The first number of a step that is none for it.
pub(crate) fn too_large(ctx: &Context, step: Op) -> Option<i64> {
    let attrs = step.attrs(ctx).into_iter();
    let mut all = Vec::new();
    for (_, a) in attrs {
        numbers(ctx, a, &mut all);
    }
    all.into_iter().find(|n| !(-MAX..=MAX).contains(n))
}

fn numbers(ctx: &Context, a: Attr, out: &mut Vec<i64>) {
    if let Some(list) = a.as_i64_array(ctx) {
        out.extend(list);
        return;
    }
    match a.data(ctx) {
        // What has no 64 bits is no number of a step.
        AttrData::Integer { value, .. } => out.extend(value.to_i64()),
        AttrData::AffineMap(map) => constants(map, out),
        AttrData::Array(all) => {
            for a in all {
                numbers(ctx, *a, out);
            }
        }
        _ => {}
    }
}

fn constants(map: &AffineMap, out: &mut Vec<i64>) {
    for e in map.results() {
        e.walk(|e| {
            if let AffineExpr::Constant(n) = e {
                out.push(*n);
            }
        });
    }
}
