//! Running values that become `a * x + b`: exponential means, filters of first order, Horner's
//! rule.

use super::find::MatchFailure;
use super::shape::Scan;
use crate::analysis::source;
use crate::gpu::match_failure::no_match;
use crate::loops::recurrence::Recurrence;
use terrace_dialects::affine::{Access, ForOp};
use terrace_dialects::arith::{SelectOp, fastmath, fastmath_of};
use terrace_ir::{Context, Op, OpKind, Value};

/// What `l` makes of `value` in an iteration, which is `next`.
pub fn recurrence(ctx: &Context, l: ForOp, value: Value, next: Value) -> Option<Recurrence> {
    let r = Recurrence::between(ctx, l, (value, next), &[]).ok()?;
    // All of it must be computed in the body itself, as a kernel has no other loops.
    let own = |o: &Op| o.block(ctx) == Some(l.body(ctx));
    r.path().iter().all(own).then_some(r)
}

/// The values that the steps of a recurrence are made of besides the running value.
pub fn given(ctx: &Context, r: &Recurrence) -> Vec<Value> {
    let made = |v: &Value| *v == r.value || v.def_op().is_some_and(|d| r.path().contains(&d));
    let all = r.path().iter().flat_map(|o| o.operands(ctx));
    all.filter(|v| !made(v)).collect()
}

/// The ops of the way from one running value to the next that something else uses, too, and those
/// that these are made of.
pub fn used_beside(ctx: &Context, r: &Recurrence, ops: &[Op]) -> Vec<Op> {
    let last = r.next.def_op();
    let mut found: Vec<Op> = Vec::new();
    let mut wanted: Vec<Value> = Vec::new();
    for op in ops.iter().filter(|o| !r.path().contains(o)) {
        op.walk(ctx, &mut |o| wanted.extend(o.operands(ctx)));
    }
    for op in r.path().iter().rev().filter(|o| Some(**o) != last) {
        if wanted.contains(&op.result(ctx, 0)) {
            wanted.extend(op.operands(ctx));
            found.push(*op);
        }
    }
    found
}

/// Whether each op says that it may be done in another order.
pub fn reassociates(ctx: &Context, r: &Recurrence) -> bool {
    let any_order =
        |o: &Op| o.isa::<SelectOp>(ctx) || fastmath_of(ctx, *o) & fastmath::REASSOC != 0;
    !r.value.ty(ctx).is_float(ctx) || r.path().iter().all(any_order)
}

/// A product of as many factors as there are iterations must stay a number where the running value
/// does.
///
/// # Errors
///
/// Each iteration multiplies by a constant beyond 1.
pub fn stays_small(ctx: &Context, r: &Recurrence, combiner: Op) -> Result<(), MatchFailure> {
    match r.greatest_factor(ctx) {
        Some(f) if f > 1.0 && r.value.ty(ctx).is_float(ctx) => no_match(
            combiner,
            format!(
                "makes the running value {f} times as large, whose powers may leave the range of \
                 {} where the value does not",
                ctx.type_text(r.value.ty(ctx))
            ),
        ),
        _ => Ok(()),
    }
}

/// Rows that all go along the same elements have a thread each, which reads them along with its
/// neighbours, and nothing is gained by several threads a row.
///
/// # Errors
///
/// What is read does not change from row to row.
pub fn rows_differ(ctx: &Context, s: &Scan) -> Result<(), MatchFailure> {
    if !s.only_last || s.rows.is_empty() {
        return Ok(());
    }
    let differs = |op: &Op| {
        let at = Access::of(ctx, *op).map(|a| a.composed(ctx).operands);
        at.is_some_and(|v| {
            v.contains(&s.l.iv(ctx)) && s.rows.iter().any(|r| v.contains(&r.iv(ctx)))
        })
    };
    match s.slice.iter().any(differs) {
        true => Ok(()),
        false => no_match(
            s.l.op(),
            format!(
                "makes {} of the same elements in all rows, so that each has a thread",
                source::value(ctx, s.combiner.result(ctx, 0))
            ),
        ),
    }
}
