//! `tile`.

use super::{Decoder, attrs};
use crate::interp::code::{Inst, Limit, OpClass, Promise, TileAccess, TileInst};
use crate::interp::error::Run;
use terrace_dialects::tile::{
    Bound, ConvertOp, LoadOp, MaskOp, ReduceOp, StoreOp, TileAccess as Access,
};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Op, OpKind, Type};

impl Decoder<'_> {
    pub(super) fn tile(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        if op.isa::<ConvertOp>(ctx) {
            let (to, from) = (self.results(op), self.operands_from(op, 0));
            self.moves(&to, &from);
            return Ok(());
        }
        let (class, inst) = if let Some(load) = op.cast::<LoadOp>(ctx) {
            let ty = op.result(ctx, 0).ty(ctx);
            let (_, elem) = self.vector_type(ty)?;
            let access = self.tile_access(op, ty)?;
            let pad = load.pad(ctx).map(|v| self.slot(v));
            let dst = self.result(op, 0)?;
            let inst = TileInst::Load {
                access,
                elem,
                pad,
                dst,
            };
            (OpClass::Load, inst)
        } else if let Some(store) = op.cast::<StoreOp>(ctx) {
            let value = store.value(ctx);
            let access = self.tile_access(op, value.ty(ctx))?;
            let value = self.slot(value);
            (OpClass::Store, TileInst::Store { access, value })
        } else if let Some(reduce) = op.cast::<ReduceOp>(ctx) {
            (OpClass::Vector, self.tile_reduce(reduce)?)
        } else if let Some(mask) = op.cast::<MaskOp>(ctx) {
            let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
            let limits = self.limits(&mask.bounds(ctx));
            let dst = self.result(op, 0)?;
            (OpClass::Vector, TileInst::Mask { shape, limits, dst })
        } else {
            return Err(self.unknown(op));
        };
        self.emit(class, Inst::Tile(Box::new(inst)));
        Ok(())
    }

    fn tile_access(&mut self, op: Op, tile: Type) -> Run<TileAccess> {
        let access = Access::of(self.ctx, op).ok_or("lacks a memref or a map")?;
        let (shape, _) = self.vector_type(tile)?;
        let memref = self.slot(access.memref);
        let coordinates: Vec<_> = shape.iter().map(|_| self.temp()).collect();
        let symbols = self.slots(&access.operands);
        let inputs = [coordinates.clone(), symbols].concat();
        let indices = self.map(&access.map, &inputs)?;
        let fastest = fastest(&access.map);
        let promise = |multiple| {
            let dim = fastest.filter(|_| multiple > 0)?;
            Some(Promise { dim, multiple })
        };
        Ok(TileAccess {
            memref,
            shape,
            coordinates: coordinates.into(),
            indices,
            limits: self.limits(&access.bounds),
            mask: access.mask.map(|v| self.slot(v)),
            granule: promise(access.granule),
            alignment: promise(access.alignment),
        })
    }

    fn limits(&mut self, bounds: &[Bound]) -> Box<[Limit]> {
        let mut limit = |b: &Bound| Limit {
            lower: b.lower.map(|v| self.slot(v)),
            upper: b.upper.map(|v| self.slot(v)),
        };
        bounds.iter().map(&mut limit).collect()
    }

    fn tile_reduce(&mut self, reduce: ReduceOp) -> Run<TileInst> {
        let ctx = self.ctx;
        let kind = reduce.kind(ctx).ok_or("lacks a kind")?;
        Ok(TileInst::Reduce {
            combine: attrs::atomic_kind(kind as i64)?,
            value: self.slot(reduce.value(ctx)),
            init: self.slot(reduce.init(ctx)),
            axes: reduce.axes(ctx).into(),
            limits: self.limits(&reduce.bounds(ctx)),
            dst: self.result(reduce.op(), 0)?,
        })
    }
}

/// The dimension of the tile along which memory is contiguous: the one that the last subscript
/// has as it is.
fn fastest(map: &AffineMap) -> Option<usize> {
    let mut parts = vec![map.results().last()?];
    while let Some(e) = parts.pop() {
        match e {
            AffineExpr::Dim(d) => return Some(*d as usize),
            AffineExpr::Binary(b) if b.op() == AffineOp::Add => parts.extend([b.lhs(), b.rhs()]),
            _ => {}
        }
    }
    None
}
