//! Loop nests over the elements of a tile, and accesses in them.
//!
//! Loops and accesses are of the affine dialect where their operands may stand there, and of scf
//! and memref where not.

use crate::lower::expand::expand_map;
use terrace_dialects::affine::scope::{affine_scope, is_valid_dim, is_valid_symbol};
use terrace_dialects::tile::Bound;
use terrace_dialects::{affine, arith, memref, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Block, Builder, InsertPoint, Op, Region, Value};

/// A nest that is being filled: ops go into its innermost body until it is closed.
pub(super) struct Loops {
    /// The coordinates of the element.
    pub counters: Vec<Value>,
    before: InsertPoint,
}

impl Loops {
    /// Over all elements of a shape, in the order of their coordinates.
    pub fn all(b: &mut Builder, shape: &[i64]) -> Loops {
        Loops::within(b, shape, &[])
    }

    /// Over those within bounds.
    pub fn within(b: &mut Builder, shape: &[i64], bounds: &[Bound]) -> Loops {
        let before = b.at;
        let mut counters = Vec::new();
        for (d, size) in shape.iter().enumerate() {
            let bound = bounds.get(d).copied().unwrap_or_default();
            counters.push(open(b, *size, bound));
        }
        Loops { counters, before }
    }

    /// Ends the nest: ops go behind it.
    pub fn close(self, b: &mut Builder) {
        b.at = self.before;
    }
}

/// A loop from the lower bound or 0 to the upper one or `size`, whichever is closer. What is
/// built next goes into it.
fn open(b: &mut Builder, size: i64, bound: Bound) -> Value {
    let scope = scope(b);
    let given = [bound.lower, bound.upper];
    let mut given = given.iter().flatten();
    let (body, end) = match given.all(|v| is_valid_dim(b.ctx, *v, scope)) {
        true => open_affine(b, size, bound),
        false => open_scf(b, size, bound),
    };
    b.at = InsertPoint::Before(end);
    body.arg(b.ctx, 0)
}

fn open_affine(b: &mut Builder, size: i64, bound: Bound) -> (Block, Op) {
    let side = |limit: Option<Value>, own: i64| -> (AffineMap, Vec<Value>) {
        match limit {
            None => (AffineMap::constant(own), vec![]),
            Some(v) => {
                let results = vec![AffineExpr::constant(own), AffineExpr::dim(0)];
                (AffineMap::new(1, 0, results), vec![v])
            }
        }
    };
    let (lower, upper) = (side(bound.lower, 0), side(bound.upper, size));
    let (lower, upper) = ((lower.0, &lower.1[..]), (upper.0, &upper.1[..]));
    let op = affine::ForOp::build_open(b, lower, upper, 1, &[]);
    let body = op.body(b.ctx);
    let end = b.with_point(InsertPoint::End(body), |b| {
        b.op::<affine::YieldOp>(&[], &[], &[])
    });
    (body, end)
}

fn open_scf(b: &mut Builder, size: i64, bound: Bound) -> (Block, Op) {
    let index = b.ctx.index();
    let mut lower = arith::constant_index(b, 0);
    let mut upper = arith::constant_index(b, size);
    let step = arith::constant_index(b, 1);
    if let Some(v) = bound.lower {
        lower = b.value::<arith::MaxSIOp>(&[lower, v], index, &[]);
    }
    if let Some(v) = bound.upper {
        upper = b.value::<arith::MinSIOp>(&[upper, v], index, &[]);
    }
    let (_, body) = scf::ForOp::build(b, lower, upper, step, &[]);
    let end = b.with_point(InsertPoint::End(body), |b| scf::YieldOp::build(b, &[]));
    (body, end)
}

/// The region in which values may be symbols at the builder's place.
fn scope(b: &Builder) -> Option<Region> {
    match b.at {
        InsertPoint::Before(op) | InsertPoint::After(op) => affine_scope(b.ctx, op),
        _ => None,
    }
}

/// Elements of a memref: at the results of the map for the coordinates of an element.
pub(super) struct Place {
    pub memref: Value,
    pub map: AffineMap,
    /// The symbols of the map.
    pub symbols: Vec<Value>,
}

impl Place {
    /// Each element of a buffer of this rank at its coordinates.
    pub fn whole(memref: Value, rank: usize) -> Place {
        Place::at(memref, AffineMap::identity(rank as u32))
    }

    /// At the results of a map without symbols.
    pub fn at(memref: Value, map: AffineMap) -> Place {
        Place {
            memref,
            map,
            symbols: Vec::new(),
        }
    }

    /// The map with operands that may stand in the affine dialect, dimensions first.
    fn affine(&self, b: &Builder, counters: &[Value]) -> Option<(AffineMap, Vec<Value>)> {
        let scope = scope(b);
        let is_dim = |v: &Value| is_valid_dim(b.ctx, *v, scope);
        if !counters.iter().chain(&self.symbols).all(is_dim) {
            return None;
        }
        let (mut dims, mut symbols) = (counters.to_vec(), Vec::new());
        let mut exprs = Vec::new();
        for v in &self.symbols {
            match is_valid_symbol(b.ctx, *v, scope) {
                true => {
                    exprs.push(AffineExpr::symbol(symbols.len() as u32));
                    symbols.push(*v);
                }
                false => {
                    exprs.push(AffineExpr::dim(dims.len() as u32));
                    dims.push(*v);
                }
            }
        }
        let own: Vec<_> = (0..counters.len() as u32).map(AffineExpr::dim).collect();
        let sizes = (dims.len() as u32, symbols.len() as u32);
        let map = (self.map).replace_dims_and_symbols(&own, &exprs, sizes.0, sizes.1);
        let is_affine = map.results().iter().all(AffineExpr::is_pure_affine);
        is_affine.then(|| (map, [dims, symbols].concat()))
    }

    /// The subscripts as numbers.
    fn subscripts(&self, b: &mut Builder, counters: &[Value]) -> Result<Vec<Value>, String> {
        expand_map(b, &self.map, &[counters, &self.symbols].concat())
    }
}

/// The element at the coordinates.
pub(super) fn load(b: &mut Builder, p: &Place, counters: &[Value]) -> Result<Value, String> {
    if let Some((map, operands)) = p.affine(b, counters) {
        return Ok(affine::LoadOp::build(b, p.memref, map, &operands));
    }
    let at = p.subscripts(b, counters)?;
    Ok(memref::LoadOp::build(b, p.memref, &at))
}

/// Stores the element at the coordinates.
pub(super) fn store(
    b: &mut Builder,
    value: Value,
    p: &Place,
    counters: &[Value],
) -> Result<(), String> {
    match p.affine(b, counters) {
        Some((map, operands)) => {
            affine::StoreOp::build(b, value, p.memref, map, &operands);
        }
        None => {
            let at = p.subscripts(b, counters)?;
            memref::StoreOp::build(b, value, p.memref, &at);
        }
    }
    Ok(())
}
