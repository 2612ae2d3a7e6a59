//! The least and the greatest value that an index can have in a nest, computed in
//! front of it.
//!
//! Interval arithmetic on the ops that compute the value: sums and differences as
//! linear forms, so that what is on both sides cancels; minima, maxima, selections and
//! divisions by constants, which are monotone. Where a value has another form it has
//! no bound.

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

/// `constant + sum of factor * value`.
#[derive(Default)]
pub(super) struct Linear {
    pub constant: i64,
    pub terms: Vec<(Value, i64)>,
}

impl Linear {
    /// `v` as a linear form over values that are no sums, differences or multiples;
    /// `None` where numbers overflow or it is too long.
    pub(super) fn of(ctx: &Context, v: Value) -> Option<Linear> {
        let mut l = Linear::default();
        l.add(ctx, v, 1)?;
        Some(l)
    }

    /// Add `factor` times `v`.
    fn add(&mut self, ctx: &Context, v: Value, factor: i64) -> Option<()> {
        let mut work = vec![(v, factor)];
        let mut steps = 0usize;
        while let Some((v, f)) = work.pop() {
            steps += 1;
            if steps > BUDGET {
                return None;
            }
            if let Some(c) = ctx.constant_int(v) {
                self.constant = self.constant.checked_add(c.checked_mul(f)?)?;
                continue;
            }
            let op = v.def_op();
            let name = op.map_or("", |o| o.name(ctx));
            let operand = |i: usize| op.map(|o| o.operand(ctx, i));
            match name {
                "arith.addi" => work.extend([(operand(0)?, f), (operand(1)?, f)]),
                "arith.subi" => work.extend([(operand(0)?, f), (operand(1)?, f.checked_neg()?)]),
                "arith.muli" => {
                    let (a, b) = (operand(0)?, operand(1)?);
                    match (ctx.constant_int(a), ctx.constant_int(b)) {
                        (_, Some(c)) => work.push((a, f.checked_mul(c)?)),
                        (Some(c), _) => work.push((b, f.checked_mul(c)?)),
                        _ => self.term(v, f)?,
                    }
                }
                _ => self.term(v, f)?,
            }
        }
        self.terms.retain(|t| t.1 != 0);
        Some(())
    }

    fn term(&mut self, v: Value, f: i64) -> Option<()> {
        match self.terms.iter_mut().find(|t| t.0 == v) {
            Some(t) => t.1 = t.1.checked_add(f)?,
            None => self.terms.push((v, f)),
        }
        Some(())
    }
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
        let owner = v
            .def_op()
            .or_else(|| v.arg_block().and_then(|b| b.parent_op(ctx)));
        owner.is_some_and(|o| self.root.is_ancestor_of(ctx, o))
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
            let mut l = Linear::of(b.ctx, upper)?;
            l.add(b.ctx, lower, -1)?;
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
        Some(super::band::divide_up(b, length, step))
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
            "arith.addi" | "arith.subi" | "arith.muli" => {
                let l = Linear::of(b.ctx, v)?;
                // A product of two varying values is its own only term.
                if l.terms.iter().any(|t| t.0 == v) {
                    return None;
                }
                self.of_linear(b, l, ty, most, budget)
            }
            "arith.minsi" | "arith.maxsi" => {
                let (x, y) = (operand(b, 0), operand(b, 1));
                let x = self.extreme(b, x, most, budget)?;
                let y = self.extreme(b, y, most, budget)?;
                Some(if name == "arith.minsi" {
                    b.value::<arith::MinSIOp>(&[x, y], ty, &[])
                } else {
                    b.value::<arith::MaxSIOp>(&[x, y], ty, &[])
                })
            }
            "arith.select" => {
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
            "arith.divsi" | "arith.floordivsi" | "arith.ceildivsi" => {
                let (x, n) = (operand(b, 0), operand(b, 1));
                b.ctx.constant_int(n).filter(|c| *c > 0)?;
                let x = self.extreme(b, x, most, budget)?;
                Some(match name.as_str() {
                    "arith.divsi" => b.value::<arith::DivSIOp>(&[x, n], ty, &[]),
                    "arith.floordivsi" => b.value::<arith::FloorDivSIOp>(&[x, n], ty, &[]),
                    _ => b.value::<arith::CeilDivSIOp>(&[x, n], ty, &[]),
                })
            }
            "arith.remsi" => {
                let n = operand(b, 1);
                let c = b.ctx.constant_int(n).filter(|c| *c > 0)?;
                let extreme = if most { c - 1 } else { 1 - c };
                Some(arith::constant_int(b, extreme, ty))
            }
            // Signed widening and indices keep the order; numbers that do not fit an
            // index are none.
            "arith.index_cast" | "arith.extsi" => {
                let x = operand(b, 0);
                let x = self.extreme(b, x, most, budget)?;
                Some(if name == "arith.extsi" {
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
