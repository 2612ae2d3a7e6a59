//! Accesses of all lanes, in a vectorised nest.

use super::Padding;
use super::emit::Emit;
use crate::analysis::bounds::difference;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, LoadOp, MinOp, StoreOp};
use terrace_dialects::arith::{self, SelectOp};
use terrace_dialects::attributes::TERRACE_IN_BOUNDS;
use terrace_dialects::ub::PoisonOp;
use terrace_dialects::vector::{
    CreateMaskOp, ExtractOp, FromElementsOp, ShuffleOp, TransferReadOp, TransferWriteOp, mask_type,
};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::builder::OpState;
use terrace_ir::{Attr, Builder, Context, OpKind, Type, Value};

/// Where the first lane of an access is, and how the others follow.
struct Place {
    memref: Value,
    indices: Vec<Value>,
    attrs: Vec<(&'static str, Attr)>,
    /// The first lane is the last one in memory.
    reversed: bool,
}

/// A map whose last result is larger by `n`.
fn behind(map: &AffineMap, n: i64) -> AffineMap {
    let mut results = map.results().to_vec();
    if let Some(last) = results.last_mut() {
        *last = last.clone() + n;
    }
    AffineMap::new(map.num_dims(), map.num_symbols(), results)
}

/// The subscripts of an access as values.
fn indices(b: &mut Builder, map: &AffineMap, operands: Vec<Value>) -> Vec<Value> {
    let rank = u32::try_from(map.num_results()).unwrap_or(u32::MAX);
    if *map == AffineMap::identity(rank) {
        return operands;
    }
    let (dims, symbols) = (map.num_dims(), map.num_symbols());
    let each = map.results().iter();
    each.map(|e| {
        let map = AffineMap::new(dims, symbols, vec![e.clone()]);
        ApplyOp::build(b, map, &operands)
    })
    .collect()
}

impl Place {
    fn num_indices(&self) -> i32 {
        i32::try_from(self.indices.len()).unwrap_or(i32::MAX)
    }

    /// Gives a transfer its attributes.
    fn describe(&self, ctx: &Context, s: &mut OpState, sizes: &[i32]) {
        let sizes = ctx.i32_array(sizes);
        s.set_attr(ctx, "operandSegmentSizes", sizes);
        for (name, value) in &self.attrs {
            s.set_attr(ctx, name, *value);
        }
    }
}

impl Emit<'_> {
    /// An access of each lane on its own, in the order of the lanes.
    pub(super) fn by_lane(&mut self, b: &mut Builder, a: &Access) {
        let value = a.stored(b.ctx).map(|v| self.widened(b, v));
        b.loc = a.op.loc(b.ctx);
        let memref = self.scalars.value(a.memref);
        let composed = a.composed(b.ctx);
        let operands = self.scalar_operands(&composed.operands);
        let iv = self.around.last().map(|(_, new)| new.iv(b.ctx));
        let (dims, symbols) = (composed.map.num_dims(), composed.map.num_symbols());
        let mut elements = Vec::new();
        for lane in 0..self.strategy.sizes[0] {
            let ahead: Vec<AffineExpr> = (0..dims)
                .map(|d| match Some(operands[d as usize]) == iv {
                    true => AffineExpr::dim(d) + lane,
                    false => AffineExpr::dim(d),
                })
                .collect();
            let own: Vec<AffineExpr> = (0..symbols).map(AffineExpr::symbol).collect();
            let map = composed
                .map
                .replace_dims_and_symbols(&ahead, &own, dims, symbols);
            match value {
                Some(value) => {
                    let x = ExtractOp::build(b, value, &[lane]);
                    StoreOp::build(b, x, memref, map, &operands);
                }
                None => elements.push(LoadOp::build(b, memref, map, &operands)),
            }
        }
        if value.is_none() {
            let result = a.op.result(b.ctx, 0);
            let ty = self.vector_of(b.ctx, result.ty(b.ctx));
            let all = b.value::<FromElementsOp>(&elements, ty, &[]);
            self.vectors.insert(result, all);
        }
    }

    pub(super) fn access(&mut self, b: &mut Builder, a: &Access) {
        let value = a.stored(b.ctx).map(|v| self.widened(b, v));
        b.loc = a.op.loc(b.ctx);
        let memref = self.scalars.value(a.memref);
        let operands = self.scalar_operands(&a.operands);
        let rank = u32::try_from(a.map.num_results()).unwrap_or(u32::MAX);
        let reversed = self.checked.reversed.contains(&a.op);
        let mut place_of = a.map.clone();
        if reversed {
            // From the last lane on, which is the first in memory.
            place_of = behind(&place_of, 1 - self.strategy.sizes[0]);
        }
        let indices = indices(b, &place_of, operands);
        let moves = &self.checked.moves[&a.op];
        let results = moves.iter().map(|m| match m {
            Some(i) => AffineExpr::dim(u32::try_from(*i).unwrap_or(u32::MAX)),
            None => AffineExpr::constant(0),
        });
        let map = AffineMap::new(rank, 0, results.collect());
        let in_bounds = self.padding == Padding::InBounds;
        let attrs = self.transfer(b.ctx, &map, in_bounds);
        let place = Place {
            memref,
            indices,
            attrs,
            reversed,
        };
        let Some(value) = value else {
            let result = a.op.result(b.ctx, 0);
            let element = result.ty(b.ctx);
            let ty = self.vector_of(b.ctx, element);
            let read = self.read(b, &place, ty);
            self.vectors.insert(result, read);
            return;
        };
        let value = match self.lanes_that_run {
            Some(lanes) => {
                let ty = value.ty(b.ctx);
                let old = self.read(b, &place, ty);
                b.value::<SelectOp>(&[lanes, value, old], ty, &[])
            }
            None => value,
        };
        let value = match reversed {
            true => self.reverse(b, value),
            false => value,
        };
        let masked = self.checked.masked_stores.contains(&a.op);
        let mask = masked.then(|| self.mask_along(b, &map));
        let mut s = b.state::<TransferWriteOp>().operands(&[value, memref]);
        s.operands.extend(place.indices.iter().copied());
        s.operands.extend(mask);
        let sizes = [1, 1, place.num_indices(), i32::from(masked)];
        place.describe(b.ctx, &mut s, &sizes);
        b.create(s);
    }

    /// The attributes of a transfer along `map`.
    fn transfer(
        &self,
        ctx: &Context,
        map: &AffineMap,
        in_bounds: bool,
    ) -> Vec<(&'static str, Attr)> {
        let in_bounds = vec![ctx.bool_attr(in_bounds); map.num_results()];
        let mut attrs = vec![
            ("permutation_map", ctx.map_attr(map.clone())),
            ("in_bounds", ctx.array_attr(in_bounds)),
        ];
        if self.strategy.checked {
            attrs.push((TERRACE_IN_BOUNDS, ctx.unit()));
        }
        attrs
    }

    /// A vector of type `ty` of elements from a place on.
    fn read(&self, b: &mut Builder, place: &Place, ty: Type) -> Value {
        let element = ty.element_or_self(b.ctx);
        let padding = self.pad(b, element);
        let mut s = b
            .state::<TransferReadOp>()
            .operands(&[place.memref])
            .results(&[ty]);
        s.operands.extend(place.indices.iter().copied());
        s.operands.push(padding);
        place.describe(b.ctx, &mut s, &[1, place.num_indices(), 1, 0]);
        let read = b.create(s).result(b.ctx, 0);
        match place.reversed {
            true => self.reverse(b, read),
            false => read,
        }
    }

    /// A vector of type `ty` of elements along the last dimension, from these indices on.
    pub(super) fn read_row(
        &self,
        b: &mut Builder,
        memref: Value,
        indices: Vec<Value>,
        ty: Type,
    ) -> Value {
        let rank = u32::try_from(indices.len()).unwrap_or(u32::MAX);
        let last = AffineMap::new(rank, 0, vec![AffineExpr::dim(rank - 1)]);
        let place = Place {
            memref,
            indices,
            attrs: self.transfer(b.ctx, &last, true),
            reversed: false,
        };
        self.read(b, &place, ty)
    }

    /// The lanes the other way round.
    fn reverse(&self, b: &mut Builder, v: Value) -> Value {
        let order: Vec<i64> = (0..self.strategy.sizes[0]).rev().collect();
        ShuffleOp::build(b, v, v, &order)
    }

    /// A load of every few elements, out of a vector that holds all of them; the first in the text
    /// loads it for all.
    pub(super) fn in_turn(&mut self, b: &mut Builder, a: &Access) {
        let turn = self.checked.in_turn[&a.op];
        let lanes = self.strategy.sizes[0];
        let result = a.op.result(b.ctx, 0);
        if turn.leader == a.op
            && let Some(base) = Access::of(b.ctx, turn.base)
        {
            let composed = base.composed(b.ctx);
            let operands = self.scalar_operands(&composed.operands);
            let memref = self.scalars.value(a.memref);
            let indices = indices(b, &composed.map, operands);
            let ty = b.ctx.vector(&[lanes * turn.step], result.ty(b.ctx));
            let all = self.read_row(b, memref, indices, ty);
            self.whole.insert(a.op, all);
        }
        let Some(all) = self.whole.get(&turn.leader).copied() else {
            return;
        };
        let order: Vec<i64> = (0..lanes).map(|i| turn.offset + i * turn.step).collect();
        let own = ShuffleOp::build(b, all, all, &order);
        self.vectors.insert(result, own);
    }

    fn pad(&self, b: &mut Builder, element: Type) -> Value {
        let zero = b.ctx.zero_attr(element);
        match (self.padding, zero) {
            (Padding::InBounds, Some(zero)) => arith::constant(b, zero),
            _ => b.value::<PoisonOp>(&[], element, &[]),
        }
    }

    /// The mask for a write along `map`: its dimensions are those of the memref, in the
    /// memref's order.
    fn mask_along(&mut self, b: &mut Builder, map: &AffineMap) -> Value {
        let mut loops: Vec<(u32, (ForOp, ForOp))> = Vec::new();
        for (old, new) in &self.around {
            let d = self.strategy.dim_of[&old.op()];
            if let Some(AffineExpr::Dim(i)) = map.result(d) {
                loops.push((*i, (*old, *new)));
            }
        }
        loops.sort_by_key(|(i, _)| *i);
        let loops: Vec<(ForOp, ForOp)> = loops.into_iter().map(|l| l.1).collect();
        self.mask_of(b, &loops)
    }

    /// The lanes that are iterations, along each of these loops.
    pub(super) fn mask_of(&mut self, b: &mut Builder, loops: &[(ForOp, ForOp)]) -> Value {
        let (mut left, mut sizes) = (Vec::new(), Vec::new());
        for (old, new) in loops {
            sizes.push(self.strategy.sizes[self.strategy.dim_of[&old.op()]]);
            let (map, operands) = (new.upper_map(b.ctx).clone(), new.upper_operands(b.ctx));
            let iv = [new.iv(b.ctx)];
            let one = AffineMap::dim_identity();
            let rest = if map.num_results() == 1 {
                difference(b.ctx, (&map, &operands), (&one, &iv))
            } else {
                let end = MinOp::build(b, map, &operands);
                difference(b.ctx, (&one, &[end]), (&one, &iv))
            };
            left.push(ApplyOp::build(b, rest.map, &rest.operands));
        }
        let rank = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
        let vector = b.ctx.vector(&sizes, b.ctx.i1());
        let ty = mask_type(b.ctx, vector, &AffineMap::identity(rank));
        b.value::<CreateMaskOp>(&left, ty, &[])
    }
}
