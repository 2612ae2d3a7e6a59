//! The least and the greatest value that an index can have in a nest, computed in
//! front of it.
//!
//! Interval arithmetic on the ops that compute the value: sums and differences as
//! linear forms, so that what is on both sides cancels; minima, maxima, selections and
//! divisions by constants, which are monotone. Where a value has another form it has
//! no bound.

use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use rustc_hash::FxHashMap;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_ir::{Builder, Context, Op, Type, Value};

/// Ops that one bound may look at. Expressions of subscripts have a handful.
const BUDGET: usize = 200;

/// The bounds of the counters of a nest.
pub(super) struct Extremes {
    root: Op,
    /// Least and greatest value of each counter, where known.
    counters: FxHashMap<Value, Option<(Value, Value)>>,
}

impl Extremes {
    pub(super) fn new(root: Op) -> Extremes {
        Extremes {
            root,
            counters: FxHashMap::default(),
        }
    }

    /// Whether `v` may differ from one iteration to another.
    pub(super) fn varies(&self, ctx: &Context, v: Value) -> bool {
        is_inside(ctx, self.root, v)
    }

    /// Make the bounds of a counter known, where its bounds have some.
    pub(super) fn add(&mut self, b: &mut Builder, iv: Value, lower: Value, upper: Value) {
        let mut budget = BUDGET;
        let low = self.extreme(b, lower, false, &mut budget);
        let high = self.extreme(b, upper, true, &mut budget);
        let bounds = low.zip(high).map(|(low, high)| {
            let one = arith::constant_index(b, 1);
            let index = b.ctx.index();
            (low, b.value::<arith::SubIOp>(&[high, one], index, &[]))
        });
        self.counters.insert(iv, bounds);
    }

    /// The most iterations of a loop with these bounds, at least 0; `None` where they
    /// have no bound or the step is not known in front of the nest.
    pub(super) fn trips(
        &mut self,
        b: &mut Builder,
        lower: Value,
        upper: Value,
        step: Value,
    ) -> Option<Value> {
        if self.varies(b.ctx, step) {
            return None;
        }
        let index = b.ctx.index();
        let mut length = if self.varies(b.ctx, lower) || self.varies(b.ctx, upper) {
            let mut l = Linear::of_value(b.ctx, upper)?;
            l.add_value(b.ctx, lower, -1)?;
            let mut budget = BUDGET;
            self.of_linear(b, l, index, true, &mut budget)?
        } else if b.ctx.constant_int(lower) == Some(0) {
            upper
        } else {
            match (b.ctx.constant_int(lower), b.ctx.constant_int(upper)) {
                (Some(l), Some(u)) => {
                    let n = u.checked_sub(l)?;
                    arith::constant_index(b, n)
                }
                _ => b.value::<arith::SubIOp>(&[upper, lower], index, &[]),
            }
        };
        length = match b.ctx.constant_int(length) {
            Some(n) if n >= 0 => length,
            Some(_) => arith::constant_index(b, 0),
            None => {
                let zero = arith::constant_index(b, 0);
                b.value::<arith::MaxSIOp>(&[length, zero], index, &[])
            }
        };
        Some(super::divide_up(b, length, step))
    }

    /// The greatest (`most`) or least value of `v`.
    fn extreme(&self, b: &mut Builder, v: Value, most: bool, budget: &mut usize) -> Option<Value> {
        *budget = budget.checked_sub(1)?;
        if let Some(bounds) = self.counters.get(&v) {
            return bounds.map(|(low, high)| if most { high } else { low });
        }
        if !self.varies(b.ctx, v) {
            return Some(v);
        }
        let op = v.def_op()?;
        let ty = v.ty(b.ctx);
        let name = op.name(b.ctx).to_string();
        let operand = |b: &Builder, i: usize| op.operand(b.ctx, i);
        match name.as_str() {
            arith::AddIOp::NAME | arith::SubIOp::NAME | arith::MulIOp::NAME => {
                let l = Linear::of_value(b.ctx, v)?;
                // A product of two varying values is its own only term.
                if l.terms.iter().any(|t| t.0 == v) {
                    return None;
                }
                self.of_linear(b, l, ty, most, budget)
            }
            arith::MinSIOp::NAME | arith::MaxSIOp::NAME => {
                let (x, y) = (operand(b, 0), operand(b, 1));
                let x = self.extreme(b, x, most, budget)?;
                let y = self.extreme(b, y, most, budget)?;
                Some(if name == arith::MinSIOp::NAME {
                    b.value::<arith::MinSIOp>(&[x, y], ty, &[])
                } else {
                    b.value::<arith::MaxSIOp>(&[x, y], ty, &[])
                })
            }
            arith::SelectOp::NAME => {
                let (x, y) = (operand(b, 1), operand(b, 2));
                let x = self.extreme(b, x, most, budget)?;
                let y = self.extreme(b, y, most, budget)?;
                let p = if most {
                    CmpIPredicate::Sgt
                } else {
                    CmpIPredicate::Slt
                };
                let c = arith::CmpIOp::build(b, p, x, y);
                Some(arith::SelectOp::build(b, c, x, y))
            }
            arith::DivSIOp::NAME | arith::FloorDivSIOp::NAME | arith::CeilDivSIOp::NAME => {
                let (x, n) = (operand(b, 0), operand(b, 1));
                b.ctx.constant_int(n).filter(|c| *c > 0)?;
                let x = self.extreme(b, x, most, budget)?;
                Some(match name.as_str() {
                    arith::DivSIOp::NAME => b.value::<arith::DivSIOp>(&[x, n], ty, &[]),
                    arith::FloorDivSIOp::NAME => b.value::<arith::FloorDivSIOp>(&[x, n], ty, &[]),
                    _ => b.value::<arith::CeilDivSIOp>(&[x, n], ty, &[]),
                })
            }
            arith::RemSIOp::NAME => {
                let n = operand(b, 1);
                let c = b.ctx.constant_int(n).filter(|c| *c > 0)?;
                let extreme = if most { c - 1 } else { 1 - c };
                Some(arith::constant_int(b, extreme, ty))
            }
            // Signed widening and indices keep the order; numbers that do not fit an
            // index are none.
            arith::IndexCastOp::NAME | arith::ExtSIOp::NAME => {
                let x = operand(b, 0);
                let x = self.extreme(b, x, most, budget)?;
                Some(if name == arith::ExtSIOp::NAME {
                    b.value::<arith::ExtSIOp>(&[x], ty, &[])
                } else {
                    b.value::<arith::IndexCastOp>(&[x], ty, &[])
                })
            }
            _ => None,
        }
    }

    fn of_linear(
        &self,
        b: &mut Builder,
        l: Linear,
        ty: Type,
        most: bool,
        budget: &mut usize,
    ) -> Option<Value> {
        let mut sum: Option<Value> = None;
        for (v, f) in l.terms {
            let end = if f > 0 { most } else { !most };
            let mut x = self.extreme(b, v, end, budget)?;
            if f != 1 {
                let c = arith::constant_int(b, f, ty);
                x = b.value::<arith::MulIOp>(&[x, c], ty, &[]);
            }
            sum = Some(match sum {
                Some(s) => b.value::<arith::AddIOp>(&[s, x], ty, &[]),
                None => x,
            });
        }
        if l.constant == 0
            && let Some(s) = sum
        {
            return Some(s);
        }
        let c = arith::constant_int(b, l.constant, ty);
        Some(match sum {
            Some(s) => b.value::<arith::AddIOp>(&[s, c], ty, &[]),
            None => c,
        })
    }
}
