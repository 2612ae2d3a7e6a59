//! Copies by DMA: one transfer for a whole box, and a wait for it.

use super::copy::CopyPlan;
use super::{function_start, space_attr};
use crate::analysis::constraints::System;
use crate::analysis::memref_region::{BoundingBox, Region};
use crate::analysis::staging::Footprint;
use terrace_dialects::affine::{DmaStartOp, DmaWaitOp, scope};
use terrace_dialects::arith::constant_index;
use terrace_dialects::memref::AllocOp;
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap, flatten};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, Value};

/// Where a transfer starts in the memref.
pub(super) struct Corner(ValueMap<Value>);

impl CopyPlan {
    /// Copy the box. Errors say why that cannot be done.
    pub fn by_dma(
        ctx: &Context,
        f: &Footprint,
        bounds: &BoundingBox,
    ) -> Result<CopyPlan, &'static str> {
        let region = &f.region;
        let mut plan = Self::of_box(region, bounds);
        if !(0..region.rank()).all(|d| box_is_within(ctx, f, bounds, d)) {
            return Err("cannot stage by DMA what may reach over the end of the memref");
        }
        let shape = region.memref.ty(ctx).shape(ctx).unwrap_or(&[]);
        plan.stride = match strides(shape, &plan.shape)[..] {
            [] => None,
            [one] => Some(one),
            _ => return Err("cannot stage by DMA what has more than one level of strides"),
        };
        Ok(plan)
    }

    /// The subscripts of the corner, with the constants they need.
    pub fn corner(&self, b: &mut Builder, wanted: bool) -> Corner {
        let mut c = self.corner_map(b.ctx);
        if wanted && c.map.constant_results().is_some() && self.bounds.is_empty() {
            // Constants are values, as everything in a transfer is.
            let values = c.map.constant_results().unwrap_or_default();
            let operands = values.into_iter().map(|v| constant(b, v)).collect();
            c = identity(operands);
        }
        Corner(c)
    }

    /// A memref of one element for the state of a transfer.
    pub fn tag(&self, b: &mut Builder, space: u64) -> Value {
        let elem = b.ctx.i32();
        let space = space_attr(b.ctx, space);
        let ty = b.ctx.memref_in(&[1], elem, space);
        AllocOp::build(b, ty, &[])
    }

    /// Start a transfer from the memref to the buffer or back and wait for it. Returns the
    /// op that starts it.
    pub fn dma(
        &self,
        b: &mut Builder,
        memref: Value,
        buffer: Value,
        corner: &Corner,
        tag: Value,
        out: bool,
    ) -> Op {
        let zero = constant(b, 0);
        let elements = constant(b, self.elements);
        let stride = self
            .stride
            .map(|(s, each)| [constant(b, s), constant(b, each)]);
        let in_buffer = identity(vec![zero; self.shape.len()]);
        let in_tag = identity(vec![zero]);
        let (from, to) = if out {
            ((buffer, &in_buffer), (memref, &corner.0))
        } else {
            ((memref, &corner.0), (buffer, &in_buffer))
        };
        let mut operands = vec![from.0];
        operands.extend(&from.1.operands);
        operands.push(to.0);
        operands.extend(&to.1.operands);
        operands.push(tag);
        operands.push(zero);
        operands.push(elements);
        operands.extend(stride.into_iter().flatten());
        let attrs = [
            ("src_map", b.ctx.map_attr(from.1.map.clone())),
            ("dst_map", b.ctx.map_attr(to.1.map.clone())),
            ("tag_map", b.ctx.map_attr(in_tag.map.clone())),
        ];
        let start = b.op::<DmaStartOp>(&operands, &[], &attrs);
        let tag_map = b.ctx.map_attr(in_tag.map);
        b.op::<DmaWaitOp>(&[tag, zero, elements], &[], &[("tag_map", tag_map)]);
        start
    }
}

fn identity(operands: Vec<Value>) -> ValueMap<Value> {
    ValueMap {
        map: AffineMap::identity(u32::try_from(operands.len()).unwrap_or(0)),
        operands,
    }
}

/// A constant at the start of the function.
fn constant(b: &mut Builder, v: i64) -> Value {
    match b.block() {
        Some(block) => {
            let start = function_start(b.ctx, block);
            b.with_point(start, |b| constant_index(b, v))
        }
        None => constant_index(b, v),
    }
}

/// The strides of a transfer of a box out of a memref, the innermost first: the distance
/// of one run of elements to the next, and how many there are in a run.
fn strides(memref: &[i64], shape: &[i64]) -> Vec<(i64, i64)> {
    let mut all = Vec::new();
    let (mut each, mut stride) = (1i64, 1i64);
    for d in (1..shape.len().min(memref.len())).rev() {
        stride = stride.saturating_mul(memref[d]);
        each = each.saturating_mul(shape[d]);
        if shape[d] < memref[d] && shape[d - 1] > 1 {
            all.push((stride, each));
        }
    }
    all
}

/// Whether the box around a region lies in the memref along dimension `d`: it is known
/// to, or its first and last element are touched.
fn box_is_within(ctx: &Context, f: &Footprint, bounds: &BoundingBox, d: usize) -> bool {
    let region = &f.region;
    let single = |m: &AffineMap| m.num_results() == 1;
    if f.certain
        && region
            .bounds(d)
            .is_some_and(|(l, u)| single(&l) && single(&u))
    {
        return true;
    }
    let shape = region.memref.ty(ctx).shape(ctx).unwrap_or(&[]);
    let (Some(side), Some(size)) = (bounds.sides.get(d), shape.get(d)) else {
        return false;
    };
    if *size == DYNAMIC {
        return false;
    }
    let Some(last) = size.checked_sub(side.size) else {
        return false;
    };
    if let Some(c) = side.lower.single_constant() {
        return (0..=last).contains(&c);
    }
    // The lower bound wherever the loops are that it depends on.
    let mut set = System::over(&[], &region.symbols());
    for v in region.symbols() {
        if let Some(l) = scope::for_of_iv(ctx, v)
            && set.add_loop(ctx, l).is_none()
        {
            return false;
        }
    }
    let lower = side.lower.result(0);
    never_at_least(region, &set, lower, -1, 1)
        && never_at_least(region, &set, lower, 1, last.saturating_add(1))
}

/// Whether `sign * lower` is less than `limit` wherever `set` holds.
fn never_at_least(
    region: &Region,
    set: &System,
    lower: Option<&AffineExpr>,
    sign: i64,
    limit: i64,
) -> bool {
    let rank = region.rank();
    let Ok(symbols) = u32::try_from(region.symbols().len()) else {
        return false;
    };
    let Some(Ok(flat)) = lower.map(|e| flatten(e, 0, symbols)) else {
        return false;
    };
    if !flat.is_linear() {
        return false;
    }
    // sign * lower - limit >= 0 has to be impossible.
    let width = set.num_columns();
    let mut row = vec![0i128; width + 1];
    for s in 0..symbols {
        let c = flat.symbol_coefficient(s);
        if c == 0 {
            continue;
        }
        let value = region
            .set
            .values()
            .get(rank + s as usize)
            .copied()
            .flatten();
        let Some(column) = value.and_then(|v| set.find(v)) else {
            return false;
        };
        row[column] = i128::from(sign) * i128::from(c);
    }
    row[width] = i128::from(sign) * i128::from(flat.constant()) - i128::from(limit);
    let mut s = set.clone();
    s.add_inequality(row);
    s.is_empty()
}
