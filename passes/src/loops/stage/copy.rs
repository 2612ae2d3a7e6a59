//! Copies element by element between a memref and a buffer for a box of it.

use crate::analysis::memref_region::{BoundingBox, Region};
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp, compose::compose};
use terrace_dialects::{arith, memref::DimOp};
use terrace_ir::affine::{AffineExpr, AffineMap, ValueMap};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// What is copied, in terms of values known before the copy.
pub(super) struct CopyPlan {
    /// The values that everything else is over.
    pub symbols: Vec<Value>,
    /// The first element along each dimension, with a dimension for each symbol.
    pub offsets: Vec<AffineExpr>,
    /// Lower and upper bounds along each dimension.
    pub(super) bounds: Vec<(AffineMap, AffineMap)>,
    pub(super) shape: Vec<i64>,
    pub(super) elements: i64,
    /// Stride and elements for each stride of a DMA that is not contiguous.
    pub(super) stride: Option<(i64, i64)>,
}

impl CopyPlan {
    /// Copy what the region holds. Errors say what is missing.
    pub fn by_element(region: &Region, bounds: &BoundingBox) -> Result<CopyPlan, &'static str> {
        let mut plan = Self::of_box(region, bounds);
        for d in 0..region.rank() {
            let (lower, upper) = region
                .bounds(d)
                .filter(|(l, u)| l.num_results() > 0 && u.num_results() > 0)
                .ok_or("cannot stage what has no bounds along a dimension")?;
            plan.bounds.push((lower, upper));
        }
        Ok(plan)
    }

    pub(super) fn of_box(region: &Region, bounds: &BoundingBox) -> CopyPlan {
        let symbols = region.symbols();
        let n = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
        let dims: Vec<AffineExpr> = (0..n).map(AffineExpr::dim).collect();
        let offset = |m: &AffineMap| {
            let first = m.result(0).cloned();
            first
                .unwrap_or(AffineExpr::constant(0))
                .replace_symbols(&dims)
        };
        CopyPlan {
            offsets: bounds.sides.iter().map(|s| offset(&s.lower)).collect(),
            symbols,
            bounds: Vec::new(),
            shape: bounds.shape(),
            elements: bounds.elements,
            stride: None,
        }
    }

    fn map(&self, results: Vec<AffineExpr>) -> AffineMap {
        let n = u32::try_from(self.symbols.len()).unwrap_or(u32::MAX);
        AffineMap::new(n, 0, results)
    }

    /// The loops of a copy, from the memref to the buffer or back; the outermost.
    pub fn elements(&self, b: &mut Builder, memref: Value, buffer: Value, out: bool) -> Option<Op> {
        let at = b.at;
        let mut root = None;
        let mut ivs = Vec::new();
        let shape = memref.ty(b.ctx).shape(b.ctx).unwrap_or(&[]).to_vec();
        let mut sides = Vec::new();
        for (d, (lower, upper)) in self.bounds.iter().enumerate() {
            let lower = self.bound(b.ctx, lower);
            let upper = self.bound(b.ctx, upper);
            sides.push(clipped(b, memref, d, shape.get(d).copied()?, lower, upper));
        }
        for (lower, upper) in sides {
            let l = ForOp::build(
                b,
                (lower.map, &lower.operands),
                (upper.map, &upper.operands),
                1,
                &[],
                |_, _, _| Vec::new(),
            );
            root.get_or_insert(l.op());
            ivs.push(l.iv(b.ctx));
            b.at = InsertPoint::Start(l.body(b.ctx));
        }
        // In the buffer each subscript is taken from the corner.
        let n = self.symbols.len();
        let results = self.offsets.iter().enumerate().map(|(d, offset)| {
            AffineExpr::dim(u32::try_from(d).unwrap_or(u32::MAX))
                - offset.shift_dims(u32::try_from(ivs.len()).unwrap_or(u32::MAX), 0)
        });
        let dims = u32::try_from(n + ivs.len()).unwrap_or(u32::MAX);
        let map = AffineMap::new(dims, 0, results.collect());
        let operands = [&ivs[..], &self.symbols[..]].concat();
        let c = compose(b.ctx, &map, &operands);
        let c = compose(b.ctx, &c.map.simplify(), &c.operands);
        if out {
            let v = LoadOp::build(b, buffer, c.map, &c.operands);
            StoreOp::build_at(b, v, memref, &ivs);
        } else {
            let v = LoadOp::build_at(b, memref, &ivs);
            StoreOp::build(b, v, buffer, c.map, &c.operands);
        }
        b.at = at;
        root
    }

    /// A bound as a loop has it: over the symbols, canonical.
    fn bound(&self, ctx: &Context, map: &AffineMap) -> ValueMap<Value> {
        compose(ctx, map, &self.symbols)
    }

    /// The subscripts of the corner in the memref: constants as they are, all others as
    /// one map.
    pub(super) fn corner_map(&self, ctx: &Context) -> ValueMap<Value> {
        let map = self.map(self.offsets.clone());
        let c = compose(ctx, &map, &self.symbols);
        compose(ctx, &c.map.simplify(), &c.operands)
    }
}

/// The bounds of a copy along dimension `d` of a memref, within the memref: a box around
/// what loops touch may reach past its ends where some of them do not run.
fn clipped(
    b: &mut Builder,
    memref: Value,
    d: usize,
    size: i64,
    lower: ValueMap<Value>,
    upper: ValueMap<Value>,
) -> (ValueMap<Value>, ValueMap<Value>) {
    let ranges =
        |b: &Builder, m: &ValueMap<Value>| Ranges::default().of_results(b.ctx, &m.map, &m.operands);
    let starts_inside = ranges(b, &lower)
        .iter()
        .any(|r| r.lo.is_some_and(|lo| lo >= 0));
    let lower = match starts_inside {
        true => lower,
        false => with_result(lower, AffineExpr::constant(0), None),
    };
    if size >= 0 {
        let ends_inside = ranges(b, &upper)
            .iter()
            .any(|r| r.hi.is_some_and(|hi| hi <= size));
        return match ends_inside {
            true => (lower, upper),
            false => (lower, with_result(upper, AffineExpr::constant(size), None)),
        };
    }
    let is_size = |v: &Value| {
        let dim = v.def_op().and_then(|op| op.cast::<DimOp>(b.ctx));
        dim.is_some_and(|o| {
            o.op().operand(b.ctx, 0) == memref
                && b.ctx.constant_int(o.op().operand(b.ctx, 1)) == Some(d as i64)
        })
    };
    let ends_inside = upper.map.results().iter().any(|e| {
        let at = match e {
            AffineExpr::Dim(i) => Some(*i as usize),
            AffineExpr::Symbol(i) => Some((upper.map.num_dims() + i) as usize),
            _ => None,
        };
        at.and_then(|at| upper.operands.get(at))
            .is_some_and(is_size)
    });
    if ends_inside {
        return (lower, upper);
    }
    let index = b.ctx.index_attr(d as i64);
    let index = arith::constant(b, index);
    let size = DimOp::build(b, memref, index);
    let symbol = AffineExpr::symbol(upper.map.num_symbols());
    (lower, with_result(upper, symbol, Some(size)))
}

/// The map with one more result, which may need one more symbol.
fn with_result(m: ValueMap<Value>, result: AffineExpr, symbol: Option<Value>) -> ValueMap<Value> {
    let mut results = m.map.results().to_vec();
    if let AffineExpr::Constant(_) = result {
        // An end of the memref is tighter than any constant that reached past it.
        results.retain(|r| !matches!(r, AffineExpr::Constant(_)));
    }
    results.push(result);
    let symbols = m.map.num_symbols() + u32::from(symbol.is_some());
    let mut operands = m.operands;
    operands.extend(symbol);
    ValueMap {
        map: AffineMap::new(m.map.num_dims(), symbols, results),
        operands,
    }
}
