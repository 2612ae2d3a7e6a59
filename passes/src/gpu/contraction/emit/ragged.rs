//! Slabs of k of which some rows or columns lack a part.
//!
//! What a row has not is not multiplied, not even by zero: the other factor may be
//! infinite there. So elements are added one by one.

use super::elements;
use super::slabs::Slab;
use super::units::Threads;
use crate::gpu::contraction::shape::{Contraction, Slope};
use crate::loops::build::index::*;
use terrace_dialects::{math, memref, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// A slab of k from `first` on.
pub struct Ragged<'x> {
    pub x: &'x Contraction,
    pub slope: Slope,
    /// First row and column of the tile.
    pub corner: [Value; 2],
    pub first: Value,
    pub depth: i64,
}

/// Whether a row or column has that number k.
pub fn has(b: &mut Builder, x: &Contraction, slope: Slope, outer: Value, k: Value) -> Value {
    let counter = if slope.by_col { x.col } else { x.row };
    let end = match slope.at_end {
        true => &x.depth.hi,
        false => &x.depth.lo,
    };
    let end = linear(b, end, &[(counter, outer)]);
    match slope.at_end {
        true => less(b, k, end),
        false => {
            let over = sub(b, k, end);
            not_negative(b, over)
        }
    }
}

impl Ragged<'_> {
    /// The sums with the products of the slab added.
    pub fn multiply(
        &self,
        b: &mut Builder,
        t: &Threads,
        factors: [(&Slab, Value); 2],
        stage: Value,
        sums: &[Value],
    ) -> Vec<Value> {
        let (zero, one, depth) = (constant(b, 0), constant(b, 1), constant(b, self.depth));
        let all = scf::ForOp::build_with(b, (zero, depth, one), sums, |b, deep, sums| {
            let k = add(b, self.first, deep);
            let [rows, cols] = [&t.rows, &t.cols].map(|places| places.clone());
            let a = self.line(b, factors[0], stage, &rows, deep);
            let c = self.line(b, factors[1], stage, &cols, deep);
            let mut elements: Vec<Value> = t.places.iter().map(|p| t.unpack(b, sums, p)).collect();
            let own = if self.slope.by_col { &cols } else { &rows };
            let corner = self.corner[usize::from(self.slope.by_col)];
            for (i, place) in own.iter().enumerate() {
                let mine: Vec<usize> = (0..t.places.len())
                    .filter(|e| match self.slope.by_col {
                        true => t.places[*e].col == i,
                        false => t.places[*e].row == i,
                    })
                    .collect();
                let outer = add(b, corner, *place);
                let some = has(b, self.x, self.slope, outer, k);
                let types: Vec<_> = mine.iter().map(|e| elements[*e].ty(b.ctx)).collect();
                let (op, then, other) = scf::IfOp::build(b, some, &types, true);
                b.with_point(InsertPoint::End(then), |b| {
                    let added: Vec<Value> = (mine.iter())
                        .map(|e| {
                            let p = &t.places[*e];
                            let operands = [a[p.row], c[p.col], elements[*e]];
                            let ty = elements[*e].ty(b.ctx);
                            b.value::<math::FmaOp>(&operands, ty, &[])
                        })
                        .collect();
                    scf::YieldOp::build(b, &added);
                });
                if let Some(other) = other {
                    b.with_point(InsertPoint::End(other), |b| {
                        let same: Vec<Value> = mine.iter().map(|e| elements[*e]).collect();
                        scf::YieldOp::build(b, &same);
                    });
                }
                for (e, v) in mine.iter().zip(op.op().results(b.ctx)) {
                    elements[*e] = v;
                }
            }
            t.pack(b, &elements)
        });
        all.op().results(b.ctx)
    }

    /// A factor at some places of the tile, for one k.
    fn line(
        &self,
        b: &mut Builder,
        (slab, view): (&Slab, Value),
        stage: Value,
        places: &[Value],
        deep: Value,
    ) -> Vec<Value> {
        let one = |place: &Value| {
            let at = slab.at(stage, *place, deep);
            let loaded = memref::LoadOp::build(b, view, &at);
            elements::factor(b, self.x, slab.factor, loaded)
        };
        places.iter().map(one).collect()
    }
}
