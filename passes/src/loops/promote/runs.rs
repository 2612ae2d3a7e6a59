//! What is done before or behind a loop only where the loop runs.

use crate::analysis::bounds::trip_count_map;
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{Access, ForOp, IfOp};
use terrace_dialects::arith;
use terrace_ir::affine::{Constraint, IntegerSet, ValueMap};
use terrace_ir::{Builder, Context, OpKind, Value};

/// When a loop runs.
pub enum Runs {
    Always,
    /// Where these numbers of iterations are all positive.
    If(ValueMap<Value>),
}

impl Runs {
    /// When `l` runs at least `times`, which decides only whether that is `Always`;
    /// `None` where its lower bound is a maximum.
    pub fn of(ctx: &Context, l: ForOp, times: i64) -> Option<Runs> {
        let count = trip_count_map(ctx, l)?;
        let ranges = Ranges::default().of_results(ctx, &count.map, &count.operands);
        if ranges.iter().all(|r| r.lo.is_some_and(|lo| lo >= times)) {
            return Some(Runs::Always);
        }
        Some(Runs::If(count))
    }

    /// Do `make` where the loop runs; its only value is 0 where it does not.
    pub fn value(
        &self,
        b: &mut Builder,
        make: impl FnOnce(&mut Builder) -> Value,
        ty: terrace_ir::Type,
    ) -> Option<Value> {
        let Runs::If(count) = self else {
            return Some(make(b));
        };
        let zero = b.ctx.zero_attr(ty)?;
        let op = IfOp::build(
            b,
            positive(count),
            &count.operands,
            &[ty],
            |b| vec![make(b)],
            Some(&mut |b| vec![arith::constant(b, zero)]),
        );
        Some(OpKind::op(op).result(b.ctx, 0))
    }

    /// Do `make` where the loop runs.
    pub fn effect(&self, b: &mut Builder, make: impl FnOnce(&mut Builder)) {
        match self {
            Runs::Always => make(b),
            Runs::If(count) => {
                let then = |b: &mut Builder| {
                    make(b);
                    Vec::new()
                };
                IfOp::build(b, positive(count), &count.operands, &[], then, None);
            }
        }
    }
}

fn positive(count: &ValueMap<Value>) -> IntegerSet {
    let conditions = count.map.results().iter().map(|e| Constraint {
        expr: e.clone() - 1,
        is_eq: false,
    });
    IntegerSet::new(
        count.map.num_dims(),
        count.map.num_symbols(),
        conditions.collect(),
    )
}

/// Whether subscripts are known to be within a memref.
pub fn is_within(ctx: &Context, a: &Access, subscripts: &ValueMap<Value>) -> bool {
    let ranges = Ranges::default().of_results(ctx, &subscripts.map, &subscripts.operands);
    let shape = a.memref.ty(ctx).shape(ctx).unwrap_or(&[]);
    ranges.len() == shape.len()
        && ranges
            .iter()
            .zip(shape)
            .all(|(r, size)| r.lo.is_some_and(|lo| lo >= 0) && r.hi.is_some_and(|hi| hi < *size))
}
