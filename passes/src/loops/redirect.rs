//! Accesses of one memref made accesses of another.

use terrace_dialects::affine::{Access, compose::compose};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Context, Op, Value};

/// What `a` is as an access of `to`. The subscripts become the results of `remap`, a map
/// of dimensions alone: first one for each of `extra`, then one for each subscript that
/// there was.
pub fn redirected(
    ctx: &Context,
    a: &Access,
    to: Value,
    remap: &AffineMap,
    extra: &[Value],
) -> Access {
    let n = u32::try_from(extra.len()).unwrap_or(u32::MAX);
    let mut dims: Vec<AffineExpr> = (0..n).map(AffineExpr::dim).collect();
    dims.extend(a.map.results().iter().map(|e| e.shift_dims(n, 0)));
    let results = remap
        .results()
        .iter()
        .map(|e| e.replace_dims(&dims))
        .collect();
    let map = AffineMap::new(
        a.map.num_dims().saturating_add(n),
        a.map.num_symbols(),
        results,
    );
    let operands = [extra, &a.operands[..]].concat();
    let c = compose(ctx, &map, &operands);
    let c = compose(ctx, &c.map.simplify(), &c.operands);
    Access {
        memref: to,
        map: c.map,
        operands: c.operands,
        ..a.clone()
    }
}

/// Let an access go to `to` instead of its memref, as [`redirected`] says. Returns whether
/// `op` is an access.
pub fn redirect(ctx: &Context, op: Op, to: Value, remap: &AffineMap, extra: &[Value]) -> bool {
    let Some(a) = Access::of(ctx, op) else {
        return false;
    };
    let new = redirected(ctx, &a, to, remap, extra);
    op.set_operand(ctx, new.memref_index, to);
    Access::set_subscripts(ctx, op, new.map, &new.operands);
    true
}
