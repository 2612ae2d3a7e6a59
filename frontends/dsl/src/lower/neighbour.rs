//! Elements beside the place that is computed, and places brought back into an array.

use super::{Lowering, from_memory, subscripts, with_part};
use crate::element::ElementType;
use crate::lower::scalar::{constant, number_type};
use crate::op::{Edge, Part};
use terrace_dialects::affine::{IfOp, LoadOp};
use terrace_dialects::arith::{self, CmpIPredicate, SelectOp};
use terrace_dialects::memref;
use terrace_ir::affine::{AffineExpr, AffineMap, Constraint, IntegerSet};
use terrace_ir::{Builder, OpKind, Value};

impl Lowering<'_> {
    /// The element some way off where there is one, and what the edge says elsewhere.
    pub(super) fn neighbour(
        &self,
        b: &mut Builder,
        (array, ty, part): (Value, ElementType, Part),
        offsets: &[i64],
        edge: Edge,
    ) -> Value {
        let rank = offsets.len() as u32;
        let moved: Vec<AffineExpr> = (offsets.iter().zip(0..))
            .map(|(d, k)| AffineExpr::dim(k) + *d)
            .collect();
        let mut conditions = Vec::new();
        for ((e, d), k) in moved.iter().zip(offsets).zip(0..) {
            if *d < 0 {
                conditions.push(Constraint {
                    expr: e.clone(),
                    is_eq: false,
                });
            }
            if *d > 0 {
                conditions.push(Constraint {
                    expr: AffineExpr::symbol(k) - 1 - e.clone(),
                    is_eq: false,
                });
            }
        }
        let inside = AffineMap::new(rank, 0, with_part(moved, part));
        if conditions.is_empty() {
            let loaded = LoadOp::build(b, array, inside, &self.places);
            return from_memory(b, loaded, ty);
        }
        let set = IntegerSet::new(rank, rank, conditions);
        let operands = [&self.places[..], self.sizes].concat();
        let number = ty.part().unwrap_or(ty).computed();
        let t = number_type(b.ctx, number);
        let mut beside = |b: &mut Builder| match edge {
            Edge::Constant(bits) => vec![constant(b, number, bits)],
            Edge::Clamp | Edge::Wrap => {
                let at: Vec<Value> = (offsets.iter().enumerate())
                    .map(|(k, d)| brought_in(b, self.places[k], self.sizes[k], *d, edge))
                    .collect();
                let at = subscripts(b, &at, part);
                let loaded = memref::LoadOp::build(b, array, &at);
                vec![from_memory(b, loaded, ty)]
            }
        };
        let made = IfOp::build(
            b,
            set,
            &operands,
            &[t],
            |b| {
                let loaded = LoadOp::build(b, array, inside, &self.places);
                vec![from_memory(b, loaded, ty)]
            },
            Some(&mut beside),
        );
        made.op().result(b.ctx, 0)
    }
}

/// A place `d` further on, brought back into an axis.
fn brought_in(b: &mut Builder, place: Value, size: Value, d: i64, edge: Edge) -> Value {
    if d == 0 {
        return place;
    }
    let index = b.ctx.index();
    let zero = arith::constant_index(b, 0);
    let by = arith::constant_index(b, d);
    let moved = b.value::<arith::AddIOp>(&[place, by], index, &[]);
    match edge {
        Edge::Wrap => {
            let rest = b.value::<arith::RemSIOp>(&[moved, size], index, &[]);
            let up = b.value::<arith::AddIOp>(&[rest, size], index, &[]);
            let negative = arith::CmpIOp::build(b, CmpIPredicate::Slt, rest, zero);
            SelectOp::build(b, negative, up, rest)
        }
        _ => nearest(b, moved, size),
    }
}

/// The place nearest to one that there is along an axis of this size.
pub(super) fn nearest(b: &mut Builder, place: Value, size: Value) -> Value {
    let index = b.ctx.index();
    let (zero, one) = (arith::constant_index(b, 0), arith::constant_index(b, 1));
    let last = b.value::<arith::SubIOp>(&[size, one], index, &[]);
    let least = b.value::<arith::MinSIOp>(&[place, last], index, &[]);
    b.value::<arith::MaxSIOp>(&[least, zero], index, &[])
}
