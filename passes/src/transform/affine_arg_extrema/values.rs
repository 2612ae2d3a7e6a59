//! Bounds and subscripts as values.

use terrace_dialects::affine::scope::{is_dim, is_symbol};
use terrace_dialects::affine::{Access, ApplyOp, LoadOp};
use terrace_dialects::arith::{self, MaxSIOp, MinSIOp};
use terrace_dialects::memref;
use terrace_ir::affine::AffineMap;
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Op, OpKind, Value};

use crate::lower::expand::expand_map;

/// A bound as a value: the greatest of lower, the least of upper ones.
pub(super) fn value_of(
    b: &mut Builder,
    (map, operands): &(AffineMap, Vec<Value>),
    lower: bool,
) -> Value {
    let index = b.ctx.index();
    let mut best: Option<Value> = None;
    for i in 0..map.num_results() {
        let v = ApplyOp::build(b, map.sub_map(&[i]), operands);
        best = Some(match best {
            None => v,
            Some(o) if lower => b.value::<MaxSIOp>(&[o, v], index, &[]),
            Some(o) => b.value::<MinSIOp>(&[o, v], index, &[]),
        });
    }
    best.unwrap_or_else(|| arith::constant_index(b, 0))
}

/// An op whose subscripts become values, where one of them is no dimension and no symbol any more: a place that was
/// found within a loop.
pub(super) fn on_values(b: &mut Builder, op: Op, map: &IrMapping) -> Option<Value> {
    let is_load = op.isa::<LoadOp>(b.ctx);
    if !is_load && !op.isa::<ApplyOp>(b.ctx) {
        return None;
    }
    let operands: Vec<Value> = op
        .operands(b.ctx)
        .into_iter()
        .map(|v| map.value(v))
        .collect();
    let (memref, operands) = operands.split_at(usize::from(is_load));
    let fits = |v: &Value| is_dim(b.ctx, *v) || is_symbol(b.ctx, *v);
    if operands.iter().all(fits) {
        return None;
    }
    let of = match is_load {
        true => Access::of(b.ctx, op)?.map,
        false => ApplyOp::wrap(op).map(b.ctx).clone(),
    };
    let values = expand_map(b, &of, operands).ok()?;
    match memref.first() {
        Some(m) => Some(memref::LoadOp::build(b, *m, &values)),
        None => values.first().copied(),
    }
}
