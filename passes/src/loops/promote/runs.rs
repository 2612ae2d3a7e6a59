//! What is done before or behind a loop only where the loop runs.

use crate::analysis::bounds::trip_count_of_all_bounds;
use crate::analysis::captured::is_inside;
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::{Access, ForOp, IfOp};
use terrace_dialects::arith;
use terrace_ir::affine::{AffineExpr, Constraint, IntegerSet, ValueMap};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// When a loop runs.
pub enum Runs {
    Always,
    /// Where these numbers of iterations are all positive.
    If(ValueMap<Value>),
}

impl Runs {
    /// When `l` runs at least `times`, which decides only whether that is `Always`;
    /// `None` where its step is not positive.
    pub fn of(ctx: &Context, l: ForOp, times: i64) -> Option<Runs> {
        let count = trip_count_of_all_bounds(ctx, l)?;
        let ranges = Ranges::default().of_results(ctx, &count.map, &count.operands);
        if ranges.iter().all(|r| r.lo.is_some_and(|lo| lo >= times)) {
            return Some(Runs::Always);
        }
        if is_asked_around(ctx, l, &count) {
            return Some(Runs::Always);
        }
        Some(Runs::If(count))
    }

    /// As [`Runs::of`], where what loops around do alike, and do nothing but this loop for, is asked
    /// in front of them: it is `Always` then. A condition in a loop keeps it from lanes.
    pub fn around(ctx: &mut Context, l: ForOp) -> Option<Runs> {
        let runs = Runs::of(ctx, l, 1)?;
        if let Runs::If(count) = &runs
            && let Some(top) = nothing_but(ctx, l, &count.operands)
        {
            let mut b = Builder::before(ctx, top);
            b.loc = top.loc(b.ctx);
            let asked = IfOp::build(
                &mut b,
                positive(count),
                &count.operands,
                &[],
                |_| Vec::new(),
                None,
            );
            if let Some(end) = asked.then_block(ctx).last_op(ctx) {
                top.move_before(ctx, end);
            }
            return Some(Runs::Always);
        }
        Some(runs)
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

/// Whether `l` stands where it is known to run, as [`Runs::around`] leaves it.
fn is_asked_around(ctx: &Context, l: ForOp, count: &ValueMap<Value>) -> bool {
    let condition = positive(count);
    let mut at = l.op();
    while let Some(around) = at.parent(ctx) {
        if let Some(i) = around.cast::<IfOp>(ctx)
            && at.block(ctx) == Some(i.then_block(ctx))
            && *i.set(ctx) == condition
            && around.operands(ctx) == count.operands
        {
            return true;
        }
        at = around;
    }
    false
}

/// The outermost of the loops around `l` that do nothing but it and what has no effect, and in which
/// none of the operands is made.
fn nothing_but(ctx: &Context, l: ForOp, operands: &[Value]) -> Option<Op> {
    let mut top = l.op();
    while let Some(around) = top.parent(ctx).and_then(|p| p.cast::<ForOp>(ctx)) {
        let makes = |v: &Value| is_inside(ctx, around.op(), *v);
        let body = around.body(ctx).ops(ctx);
        let (_, body) = body.split_last()?;
        let beside = body.iter().all(|op| *op == top || is_pure(ctx, *op));
        if !beside || around.op().num_results(ctx) > 0 || operands.iter().any(makes) {
            break;
        }
        top = around.op();
    }
    (top != l.op()).then_some(top)
}

fn positive(count: &ValueMap<Value>) -> IntegerSet {
    let is_given = |e: &AffineExpr| e.as_constant().is_some_and(|n| n >= 0);
    let least = count.map.results().iter().map(|e| e.clone() - 1);
    let asked = least.filter(|e| !is_given(e));
    let conditions = asked.map(|expr| Constraint { expr, is_eq: false });
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
