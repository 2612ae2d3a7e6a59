//! The running value of a loop: what carries it, and what makes the next one.

use super::choice::choice;
use super::find::{MatchFailure, computing};
use super::linear;
use super::restart::Restart;
use super::shape::{Combining, Init};
use crate::analysis::linear::Linear;
use crate::analysis::reduction::kind_of;
use crate::gpu::match_failure::no_match_at_all;
use terrace_dialects::affine::{self, Access, ForOp};
use terrace_ir::{Context, Op, OpKind, Value};

/// The running value of a loop.
pub struct Running {
    pub how: Combining,
    pub combiner: Op,
    pub before: Vec<Value>,
    pub after: Vec<Value>,
    pub init: Init,
    /// Loads that stand for the running value.
    pub loads: Vec<Op>,
    /// The store of it, and whether it is to the same element in each iteration.
    pub store: Option<Op>,
    pub stays: bool,
}

/// The two operands of a combiner, if one of them is `known`: that one and the other.
fn operands(ctx: &Context, op: Op, known: impl Fn(Value) -> bool) -> Option<(Value, Value)> {
    if op.num_operands(ctx) != 2 {
        return None;
    }
    let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
    match (known(a), known(b)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}

/// The running value of `l`.
///
/// # Errors
///
/// It has none, several, or one of which no scan is known.
pub fn running(ctx: &Context, l: ForOp) -> Result<Running, MatchFailure> {
    match &l.iter_args(ctx)[..] {
        [] => in_memory(ctx, l),
        [s] => carried(ctx, l, *s),
        _ => no_match_at_all(l.op(), "carries several values"),
    }
}

fn carried(ctx: &Context, l: ForOp, s: Value) -> Result<Running, MatchFailure> {
    let next = l.yielded(ctx).first().and_then(|v| v.def_op());
    let combiner = next.filter(|o| o.block(ctx) == Some(l.body(ctx)));
    let found = combiner.and_then(|op| {
        let kind = kind_of(op.name(ctx))?;
        let (_, contribution) = operands(ctx, op, |v| v == s)?;
        Some((op, Combining::Op(kind, contribution)))
    });
    let Some((combiner, how)) = (match found {
        Some((op, how)) => Some((op, or_linear(ctx, l, s, op.result(ctx, 0), how))),
        None => combiner.and_then(|op| {
            let next = l.yielded(ctx).first().copied()?;
            let restart = || Restart::of(ctx, l, s, next).map(Combining::Restart);
            let linear = || linear::recurrence(ctx, l, s, next).map(Combining::Linear);
            let how = restart()
                .or_else(|| choice(ctx, l, s, op))
                .or_else(linear)?;
            Some((op, how))
        }),
    }) else {
        return no_match_at_all(
            l.op(),
            "carries a value that is no sum, product, greatest or least, nor a * x + b",
        );
    };
    let Some(init) = l.inits(ctx).first().copied() else {
        return no_match_at_all(l.op(), "has no first value");
    };
    Ok(Running {
        how,
        combiner,
        before: vec![s],
        after: vec![combiner.result(ctx, 0)],
        init: Init::Value(init),
        loads: Vec::new(),
        store: None,
        stays: false,
    })
}

/// The other way to see what makes `next` of `value`, where that is combined with something that is
/// computed from it: `s + c * s`.
fn or_linear(ctx: &Context, l: ForOp, value: Value, next: Value, how: Combining) -> Combining {
    let Combining::Op(_, contribution) = how else {
        return how;
    };
    let mut values = vec![contribution];
    computing(ctx, &l.body(ctx).ops(ctx), &mut values);
    let steps = values
        .contains(&value)
        .then(|| linear::recurrence(ctx, l, value, next));
    steps.flatten().map_or(how, Combining::Linear)
}

/// A running value in memory: `b[i] = b[i - 1] + x`, or `s = s + x`.
fn in_memory(ctx: &Context, l: ForOp) -> Result<Running, MatchFailure> {
    let ops = l.body(ctx).ops(ctx);
    for store in ops.iter().filter(|o| o.name(ctx) == affine::StoreOp::NAME) {
        let Some(combiner) = store.operand(ctx, 0).def_op() else {
            continue;
        };
        if combiner.block(ctx) != Some(l.body(ctx)) {
            continue;
        }
        let Some(stored) = Element::of(ctx, *store) else {
            continue;
        };
        let read_before = |v: Value| {
            let load = v.def_op()?;
            let place = Element::of(ctx, load).filter(|p| p.memref == stored.memref)?;
            let next = place.after(l.iv(ctx), l.step(ctx))?;
            (load.name(ctx) == affine::LoadOp::NAME
                && load.block(ctx) == Some(l.body(ctx))
                && next.same(&stored))
            .then_some((load, place))
        };
        let found = kind_of(combiner.name(ctx)).and_then(|kind| {
            let (value, other) = operands(ctx, combiner, |v| read_before(v).is_some())?;
            Some((value, Combining::Op(kind, other)))
        });
        let next = combiner.result(ctx, 0);
        let Some((value, how)) = (match found {
            Some((value, how)) => Some((value, or_linear(ctx, l, value, next, how))),
            None => ops.iter().find_map(|o| {
                let value = o.results(ctx).first().copied()?;
                read_before(value)?;
                let restart = || Restart::of(ctx, l, value, next).map(Combining::Restart);
                let linear = || linear::recurrence(ctx, l, value, next).map(Combining::Linear);
                Some((value, restart().or_else(linear)?))
            }),
        }) else {
            continue;
        };
        let Some((load, first)) = read_before(value) else {
            continue;
        };
        let stays = stored.same(&first);
        // Reads of the same elements stand for the running value too, those behind the
        // store for that of this iteration.
        let (mut before, mut after, mut loads) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_stored = false;
        for op in &ops {
            is_stored |= op == store;
            let place = Element::of(ctx, *op).filter(|p| p.memref == stored.memref);
            let Some(place) = place.filter(|_| op.name(ctx) == affine::LoadOp::NAME) else {
                continue;
            };
            let value = op.result(ctx, 0);
            match (place.same(&first), place.same(&stored)) {
                (true, _) if !stays || !is_stored => before.push(value),
                (_, true) if is_stored => after.push(value),
                _ => continue,
            }
            loads.push(*op);
        }
        after.push(combiner.result(ctx, 0));
        return Ok(Running {
            how,
            combiner,
            before,
            after,
            init: Init::Load(load),
            loads,
            store: Some(*store),
            stays,
        });
    }
    no_match_at_all(l.op(), "has no running value")
}

/// An element by linear subscripts.
pub struct Element {
    memref: Value,
    pub at: Vec<Linear>,
}

impl Element {
    pub fn of(ctx: &Context, op: Op) -> Option<Element> {
        let a = Access::of(ctx, op).filter(|a| a.vector.is_none())?;
        let m = a.composed(ctx);
        Some(Element {
            memref: a.memref,
            at: Linear::of_map(&m.map, &m.operands)?,
        })
    }

    /// That of the iteration `step` later.
    fn after(&self, iv: Value, step: i64) -> Option<Element> {
        let next = Linear::value(iv).plus(step)?;
        let at = self.at.iter().map(|l| l.with(iv, &next));
        Some(Element {
            memref: self.memref,
            at: at.collect::<Option<_>>()?,
        })
    }

    fn same(&self, other: &Element) -> bool {
        self.memref == other.memref
            && self.at.len() == other.at.len()
            && self.at.iter().zip(&other.at).all(|(x, y)| x.equals(y))
    }
}
