//! Tiles whose elements are those of smaller ones.

use super::Unable;
use super::body::Body;
use super::registers::{Registers, coordinates};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_ir::{Builder, Op};
use terrace_layout::{Layout, Resource};

impl Body<'_> {
    /// `vector.broadcast` of a number or of a tile with fewer dimensions, or with some of one
    /// element. The layout of the result without the others is that of the operand, so that each
    /// thread has what it needs.
    pub(super) fn broadcast(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let (from, to) = (op.operand(b.ctx, 0), op.result(b.ctx, 0));
        if !from.ty(b.ctx).is_vector(b.ctx) {
            let v = self.scalar(from);
            self.tiles.insert(to, Registers::All(v));
            return Ok(());
        }
        let value = self.registers(b, op, from)?;
        let Registers::Each(own, held) = &value else {
            self.tiles.insert(to, value);
            return Ok(());
        };
        let layout = self.layouts.of(b.ctx, op)?;
        if !same_threads(&layout, held) {
            return Err(Unable::new(
                op,
                "spreads a tile whose threads do not have what they need of it",
            ));
        }
        let lead = layout.rank() - held.rank();
        let given: FxHashMap<Vec<i64>, usize> =
            (0..own.len()).map(|i| (coordinates(held, i), i)).collect();
        let mut all = Vec::new();
        for i in 0..layout.size(Resource::Reg) {
            let at = coordinates(&layout, i);
            let at: Vec<i64> = (at[lead..].iter().zip(held.shape()))
                .map(|(c, n)| if *n == 1 { 0 } else { *c })
                .collect();
            let found = given.get(&at).map(|i| own[*i]);
            all.push(found.ok_or_else(|| {
                Unable::new(
                    op,
                    "spreads a tile whose threads do not have what they need of it",
                )
            })?);
        }
        self.tiles.insert(to, Registers::Each(all, layout));
        Ok(())
    }

    /// `vector.shape_cast` that adds dimensions of one element.
    pub(super) fn shape_cast(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let (from, to) = (op.operand(b.ctx, 0), op.result(b.ctx, 0));
        let value = self.registers(b, op, from)?;
        let Registers::Each(own, held) = value else {
            self.tiles.insert(to, value);
            return Ok(());
        };
        let wanted = to.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec();
        let layout = with_units(&held, &wanted).ok_or_else(|| {
            Unable::new(
                op,
                "changes a shape in another way than by dimensions of one element",
            )
        })?;
        self.tiles.insert(to, Registers::Each(own, Rc::new(layout)));
        Ok(())
    }
}

/// Whether each thread has of `held` what it has of `layout` without the dimensions that `held`
/// lacks, or has one element of.
fn same_threads(layout: &Layout, held: &Layout) -> bool {
    let lead = layout.rank() - held.rank();
    let mut left = layout.clone();
    for axis in (0..layout.rank()).rev() {
        let unit = axis >= lead && held.shape()[axis - lead] == 1;
        if axis >= lead && !unit {
            continue;
        }
        let dropped = left.drop_axis(axis);
        let again = dropped.and_then(|l| if unit { l.broadcast(axis, 1) } else { Ok(l) });
        match again {
            Ok(l) => left = l,
            Err(_) => return false,
        }
    }
    let agrees = |r| left.agrees(held, r);
    left.shape() == held.shape() && agrees(Resource::Lane) && agrees(Resource::Warp)
}

/// The layout with dimensions of one element more, so that its shape is `wanted`.
fn with_units(layout: &Layout, wanted: &[i64]) -> Option<Layout> {
    let mut out = layout.clone();
    for (axis, n) in wanted.iter().enumerate() {
        if out.shape().get(axis) == Some(n) {
            continue;
        }
        if *n != 1 {
            return None;
        }
        out = out.broadcast(axis, 1).ok()?;
    }
    (out.shape() == wanted).then_some(out)
}
