//! Tiles from memory and back, and masks: what is within limits, and what is not. Where an access
//! has a mask, each element has a condition.

use super::nest::{self, Loops, Place};
use super::{Tiles, fill};
use terrace_dialects::tile::{Bound, LoadOp, MaskOp, StoreOp, TileAccess};
use terrace_dialects::{arith, scf, vector};
use terrace_ir::{Builder, InsertPoint, Op, OpKind, Value};

/// The pad first, where elements may be left out, then those that are not.
pub(super) fn load(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let access = TileAccess::of(b.ctx, op).ok_or("has no memref or no map")?;
    let result = op.result(b.ctx, 0);
    let buffer = tiles.make(b, result);
    if is_limited(&access.bounds) || access.mask.is_some() {
        let pad = LoadOp::wrap(op).pad(b.ctx).ok_or("has no pad")?;
        fill(b, buffer, pad)?;
    }
    let shape = shape_of(b, result);
    let loops = Loops::within(b, &shape, &access.bounds);
    masked(tiles, b, &access, &loops)?;
    let x = nest::load(b, &place(&access), &loops.counters)?;
    let to = Place::whole(buffer, shape.len());
    nest::store(b, x, &to, &loops.counters)?;
    loops.close(b);
    Ok(())
}

pub(super) fn store(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let access = TileAccess::of(b.ctx, op).ok_or("has no memref or no map")?;
    let value = StoreOp::wrap(op).value(b.ctx);
    let shape = shape_of(b, value);
    let from = Place::whole(tiles.of(value)?, shape.len());
    let loops = Loops::within(b, &shape, &access.bounds);
    masked(tiles, b, &access, &loops)?;
    let x = nest::load(b, &from, &loops.counters)?;
    nest::store(b, x, &place(&access), &loops.counters)?;
    loops.close(b);
    Ok(())
}

/// Goes into a condition on the element of the access's mask, where it has one.
fn masked(
    tiles: &Tiles,
    b: &mut Builder,
    access: &TileAccess,
    loops: &Loops,
) -> Result<(), String> {
    let Some(mask) = access.mask else {
        return Ok(());
    };
    let from = Place::whole(tiles.of(mask)?, loops.counters.len());
    let holds = nest::load(b, &from, &loops.counters)?;
    let (_, then, _) = scf::IfOp::build(b, holds, &[], false);
    let end = b.with_point(InsertPoint::End(then), |b| scf::YieldOp::build(b, &[]));
    b.at = InsertPoint::Before(end);
    Ok(())
}

/// False everywhere first, where there are limits, then true within them.
pub(super) fn mask(tiles: &mut Tiles, b: &mut Builder, op: Op) -> Result<(), String> {
    let result = op.result(b.ctx, 0);
    let shape = shape_of(b, result);
    let bounds = mask_bounds(b, op, shape.len())?;
    let buffer = tiles.make(b, result);
    if is_limited(&bounds) {
        let no = arith::constant_bool(b, false);
        fill(b, buffer, no)?;
    }
    let yes = arith::constant_bool(b, true);
    let loops = Loops::within(b, &shape, &bounds);
    let to = Place::whole(buffer, shape.len());
    nest::store(b, yes, &to, &loops.counters)?;
    loops.close(b);
    Ok(())
}

/// Where a mask is set.
fn mask_bounds(b: &mut Builder, op: Op, rank: usize) -> Result<Vec<Bound>, String> {
    if let Some(mask) = op.cast::<MaskOp>(b.ctx) {
        return Ok(mask.bounds(b.ctx));
    }
    if rank == 0 {
        return Err("has no dimension that could be limited".into());
    }
    let below = |upper| Bound {
        lower: None,
        upper: Some(upper),
    };
    if op.isa::<vector::CreateMaskOp>(b.ctx) {
        return Ok(op.operands(b.ctx).into_iter().map(below).collect());
    }
    let sizes = op.attr(b.ctx, "mask_dim_sizes");
    let sizes = sizes.and_then(|a| a.as_i64_array(b.ctx));
    let sizes = sizes.ok_or("has no sizes")?.into_iter();
    Ok(sizes.map(|n| below(arith::constant_index(b, n))).collect())
}

fn is_limited(bounds: &[Bound]) -> bool {
    bounds.iter().any(|b| !b.is_none())
}

fn place(access: &TileAccess) -> Place {
    Place {
        memref: access.memref,
        map: access.map.clone(),
        symbols: access.operands.clone(),
    }
}

/// The shape of a tile.
pub(super) fn shape_of(b: &Builder, v: Value) -> Vec<i64> {
    v.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec()
}
