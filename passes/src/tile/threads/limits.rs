//! Which of a thread's elements are within the limits of an access.
//!
//! Where registers go along a dimension, its limit is cut to the tile and compared in 32 bits. What is
//! left of it behind the thread's place is computed once, so that a register costs one comparison with a
//! constant. Cutting it costs as much as a few comparisons of the limit as it is.

use super::registers::coordinates;
use crate::loops::build::index::{constant, max, min, sub};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::tile::Bound;
use terrace_ir::{Builder, Value};
use terrace_layout::{Layout, Resource};

/// Coordinates of registers along a dimension from which on its limits are cut.
const MANY: usize = 8;

/// The limits of a tile, as seen from the thread's place.
pub(super) struct Limits<'p> {
    place: &'p [Value],
    /// For each dimension its lower and its upper limit.
    all: Vec<[Limit; 2]>,
}

#[derive(Clone, Copy)]
enum Limit {
    None,
    Whole(Value),
    /// What is left of it behind the place, in 32 bits.
    Cut(Value),
}

impl Limits<'_> {
    /// Those of a tile with this layout, of which the thread's elements begin at `place`.
    pub fn new<'p>(
        b: &mut Builder,
        place: &'p [Value],
        bounds: &[Bound],
        layout: &Layout,
    ) -> Limits<'p> {
        let mut all = Vec::new();
        for (d, (own, bound)) in place.iter().zip(bounds).enumerate() {
            let many = along(layout, d) >= MANY;
            let extent = layout.shape()[d];
            let limit = |b: &mut Builder, v: Option<Value>| match v {
                None => Limit::None,
                Some(v) if many => Limit::Cut(left(b, v, *own, extent)),
                Some(v) => Limit::Whole(v),
            };
            all.push([limit(b, bound.lower), limit(b, bound.upper)]);
        }
        Limits { place, all }
    }

    /// Whether the element at `at` behind the thread's place is within them; `None` where all are.
    pub fn hold(&self, b: &mut Builder, at: &[i64]) -> Option<Value> {
        let mut parts = Vec::new();
        for ((own, at), limits) in self.place.iter().zip(at).zip(&self.all) {
            let predicates = [CmpIPredicate::Sge, CmpIPredicate::Slt];
            for (limit, p) in limits.iter().zip(predicates) {
                match limit {
                    Limit::None => {}
                    Limit::Cut(left) => {
                        let i32 = b.ctx.i32();
                        let at = arith::constant_int(b, *at, i32);
                        parts.push(CmpIOp::build(b, p, at, *left));
                    }
                    Limit::Whole(v) => {
                        // What does not differ between threads is computed once for all of them.
                        let by = constant(b, *at);
                        let limit = sub(b, *v, by);
                        parts.push(CmpIOp::build(b, p, *own, limit));
                    }
                }
            }
        }
        let i1 = b.ctx.i1();
        let parts = parts.into_iter();
        parts.reduce(|x, y| b.value::<arith::AndIOp>(&[x, y], i1, &[]))
    }
}

/// How many coordinates a thread's registers have along a dimension.
fn along(layout: &Layout, d: usize) -> usize {
    let all = 0..layout.size(Resource::Reg);
    let mut all: Vec<i64> = all.map(|i| coordinates(layout, i)[d]).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// What is left of a limit behind a place in a tile that has so many elements along the dimension.
fn left(b: &mut Builder, limit: Value, place: Value, extent: i64) -> Value {
    let (zero, end) = (constant(b, 0), constant(b, extent));
    let limit = max(b, limit, zero);
    let limit = min(b, limit, end);
    let (limit, place) = (word(b, limit), word(b, place));
    let i32 = b.ctx.i32();
    b.value::<arith::SubIOp>(&[limit, place], i32, &[])
}

fn word(b: &mut Builder, v: Value) -> Value {
    let i32 = b.ctx.i32();
    b.value::<arith::IndexCastOp>(&[v], i32, &[])
}
