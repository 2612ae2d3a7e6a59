//! Folds along axes: a buffer of what is folded so far, which starts as `init`.

use super::memory::shape_of;
use super::nest::{Loops, Place, load, store};
use super::{Tiles, buffer_like, copy};
use terrace_dialects::arith;
use terrace_dialects::tile::ReduceOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Builder, Op, OpKind};

/// The loops go through the elements in the order of their coordinates, so each element of the
/// result is folded in ascending order of the axes.
pub(super) fn reduce(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let reduce = ReduceOp::wrap(op);
    let kind = reduce.kind(b.ctx).ok_or("has no kind")?;
    let (value, init) = (reduce.value(b.ctx), reduce.init(b.ctx));
    let (axes, bounds) = (reduce.axes(b.ctx), reduce.bounds(b.ctx));
    let shape = shape_of(b, value);
    let elem = value.ty(b.ctx).element_or_self(b.ctx);
    let result = op.result(b.ctx, 0);
    let is_tile = result.ty(b.ctx).is_vector(b.ctx);
    let sums = match is_tile {
        true => tiles.make(b, result),
        false => buffer_like(b, elem),
    };
    match is_tile {
        true => copy(b, tiles.of(init)?, sums)?,
        false => store(b, init, &Place::whole(sums, 0), &[])?,
    }
    let kept = (0..shape.len()).filter(|d| !axes.contains(d));
    let kept = kept.map(|d| AffineExpr::dim(d as u32)).collect();
    let sum = Place::at(sums, AffineMap::new(shape.len() as u32, 0, kept));
    let loops = Loops::within(b, &shape, &bounds);
    let from = Place::whole(tiles.of(value)?, shape.len());
    let x = load(b, &from, &loops.counters)?;
    let so_far = load(b, &sum, &loops.counters)?;
    let next = kind.combine(b, so_far, x, elem);
    if let (Some(combining), Some(flags)) = (next.def_op(), op.attr(b.ctx, "fastmath"))
        && arith::fastmath_of(b.ctx, op) != 0
    {
        combining.set_attr(b.ctx, "fastmath", flags);
    }
    store(b, next, &sum, &loops.counters)?;
    loops.close(b);
    if !is_tile {
        let last = load(b, &Place::whole(sums, 0), &[])?;
        result.replace_all_uses(b.ctx, last);
    }
    Ok(())
}
