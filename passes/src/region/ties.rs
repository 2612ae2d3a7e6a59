//! Greatest and least floats of parallel loops, to the bit of what the loop in order finds.
//!
//! Parallel iterations find the greatest value in any order, with -0 below 0 and, where a NaN may
//! take the place of a number, NaN above all. Unless that is a zero or a NaN, it is what the loop
//! finds. Where it is, the result mostly tells still: a greatest value of -0 means that there was no
//! other zero. Else the loop runs as it was written:
//!
//! ```text
//! %r = affine.for iter_args(%m = %t) {     %p = affine.parallel reduce ("maxnumf") { ... }
//!   if (x > %m) x else %m             =>   %n = select (%p > %t), %p, %t
//! }                                        %r = scf.if (%p is 0, not -0, and %p > %t) { the loop } else { %n }
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{self, AndIOp, OrIOp};
use terrace_dialects::arith::{
    AtomicRmwKind as K, BitcastOp, CmpFOp, CmpFPredicate as F, CmpIOp, CmpIPredicate, MaximumFOp,
    MinimumFOp, SelectOp,
};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::own_effects;
use terrace_ir::num::Float;
use terrace_ir::opdef::{Effect, EffectKind};
use terrace_ir::{AttrData, Block, Builder, Context, InsertPoint, Op, OpKind, Value};

use super::verdict::Decision;
use crate::analysis::accumulate::{
    Accumulation, Choice, Ties, accumulation, extrema, inner_loops, is_nonnegative,
    sign_of_zero_counts,
};
use crate::analysis::captured::is_inside;
use crate::analysis::loop_like::Loop;
use crate::analysis::memory::{base, may_be_same};

/// Whether the order of the iterations decides about what value `i` of `l` is in the end: about the
/// sign of a zero, or what a NaN leaves.
pub(super) fn order_counts(ctx: &Context, l: Loop, i: usize, a: Accumulation) -> bool {
    let Some(c) = a.choice else { return false };
    let init = l.inits(ctx)[i];
    let beyond = match is_greatest(a) {
        true => is_nonnegative(ctx, init),
        false => is_nonpositive(ctx, init),
    };
    let replaced = !(beyond && c.ties == Some(Ties::First));
    let result = l.op().result(ctx, i);
    c.nan_replaces || (c.zeros && replaced && sign_of_zero_counts(ctx, result))
}

fn is_greatest(a: Accumulation) -> bool {
    matches!(a.kind, K::MaxNumF | K::MaximumF)
}

fn is_nonpositive(ctx: &Context, v: Value) -> bool {
    let value = ctx.constant_of(v).map(|c| c.data(ctx));
    matches!(value, Some(AttrData::Float { value, .. }) if value.is_zero() || value.is_negative())
}

/// Whether a loop may run a second time to find value `i`, without what it writes: the value is made
/// of nothing that the loop writes.
pub(super) fn may_run_again(ctx: &Context, l: Loop, i: usize) -> bool {
    let mut written: Vec<Value> = Vec::new();
    for op in l.op().post_order(ctx) {
        let Some(effects) = own_effects(ctx, op) else {
            return false;
        };
        for e in effects.iter().filter(|e| e.kind != EffectKind::Read) {
            match e.on {
                Some(v) if is_own(ctx, l, v) => {}
                Some(v) if is_store(ctx, op) => written.push(base(ctx, v)),
                _ => return false,
            }
        }
    }
    let reads_none = |op: &Op| {
        let of = own_effects(ctx, *op).unwrap_or_default();
        of.iter().all(|e| {
            let apart = |v: Value| written.iter().all(|w| !may_be_same(ctx, base(ctx, v), *w));
            e.on.map_or(written.is_empty(), |v| is_own(ctx, l, v) || apart(v))
        })
    };
    needed(ctx, l, i).iter().all(reads_none)
}

fn is_store(ctx: &Context, op: Op) -> bool {
    op.num_results(ctx) == 0 && op.num_regions(ctx) == 0
}

/// Memory that is had within the loop.
fn is_own(ctx: &Context, l: Loop, v: Value) -> bool {
    is_inside(ctx, l.op(), base(ctx, v))
}

/// The ops in `l` that make its value `i`.
fn needed(ctx: &Context, l: Loop, i: usize) -> FxHashSet<Op> {
    let yielded = l.yielded(ctx);
    let mut open = vec![yielded[i]];
    // What it reads of its own memory it has stored there.
    for op in l
        .op()
        .post_order(ctx)
        .into_iter()
        .filter(|o| is_store(ctx, *o))
    {
        let effects = own_effects(ctx, op).unwrap_or_default();
        if effects
            .iter()
            .any(|e| e.on.is_some_and(|v| is_own(ctx, l, v)))
        {
            open.extend(op.operands(ctx));
        }
    }
    let mut found: FxHashSet<Op> = FxHashSet::default();
    let mut seen: FxHashSet<Value> = FxHashSet::default();
    while let Some(v) = open.pop() {
        if !seen.insert(v) {
            continue;
        }
        // Other values that the loop carries are made in it, too.
        if let Some(n) = l.iter_args(ctx).iter().position(|a| *a == v) {
            open.push(yielded[n]);
        }
        let Some(op) = v.def_op().filter(|op| l.op().is_ancestor_of(ctx, *op)) else {
            continue;
        };
        if !found.insert(op) {
            continue;
        }
        open.extend(op.operands(ctx));
        for inside in op.post_order(ctx).into_iter().filter(|o| *o != op) {
            let ends = inside.results(ctx).is_empty() && !is_store_of_memory(ctx, inside);
            if ends || inside.num_regions(ctx) > 0 {
                open.extend(inside.operands(ctx));
            }
        }
    }
    found
}

fn is_store_of_memory(ctx: &Context, op: Op) -> bool {
    let effects = own_effects(ctx, op).unwrap_or_default();
    effects.iter().any(|e| e.kind == EffectKind::Write)
}

/// A loop without what it writes, but to memory that it has within.
fn without_writes(ctx: &mut Context, copy: Op) {
    let Some(l) = Loop::of(ctx, copy) else { return };
    for op in copy.post_order(ctx) {
        let effects = own_effects(ctx, op).unwrap_or_default();
        let elsewhere = |v: Option<Value>| v.is_none_or(|v| !is_own(ctx, l, v));
        let writes = |e: &&Effect| e.kind == EffectKind::Write && elsewhere(e.on);
        if is_store(ctx, op) && effects.iter().any(|e| writes(&e)) {
            op.erase(ctx);
        }
    }
}

/// The kind that combines what iterations of a checked value contribute.
pub(super) fn checked(a: Accumulation) -> Accumulation {
    let nan_replaces = a.choice.is_some_and(|c| c.nan_replaces);
    let kind = match (nan_replaces, a.kind) {
        (true, K::MaxNumF) => K::MaximumF,
        (true, K::MinNumF) => K::MinimumF,
        (_, kind) => kind,
    };
    Accumulation {
        kind,
        checked: true,
        ..a
    }
}

/// The loops as they were written, for where the result of the parallel one does not tell.
#[derive(Default)]
pub(super) struct Written {
    /// Copies, which stand in front of their loops.
    copies: Vec<(Op, Op)>,
    /// Values of inner loops that an outer one looks after.
    covered: FxHashSet<(Op, usize)>,
}

impl Written {
    /// Copies the loops that have to be checked, before any is changed. `kept` are those that
    /// become parallel, outer ones first.
    pub fn of(ctx: &mut Context, kept: &[&Decision]) -> Written {
        let mut w = Written::default();
        for d in kept {
            let checked: Vec<usize> = d.checked().collect();
            let open = |i: &&usize| !w.covered.contains(&(d.l.op(), **i));
            if checked.iter().filter(open).count() > 0 {
                let copy = clone_op(ctx, d.l.op(), &mut IrMapping::new());
                copy.move_before(ctx, d.l.op());
                without_writes(ctx, copy);
                w.copies.push((d.l.op(), copy));
            }
            for i in checked {
                w.covered.extend(inner_loops(ctx, d.l, i));
            }
        }
        for d in kept {
            for i in d.checked() {
                keep_nans(ctx, d.l, i);
            }
        }
        w
    }

    /// Whether the result of value `i` of `l` is final with no look at it.
    fn is_covered(&self, l: Loop, i: usize) -> bool {
        self.covered.contains(&(l.op(), i))
    }

    /// What the values that `d` accumulates come to, given what its parallel iterations do, and what
    /// came in.
    pub fn outcome(&self, b: &mut Builder, d: &Decision, found: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        let mut doubts: Vec<(usize, Value)> = Vec::new();
        for (n, (i, a)) in d.accumulations.iter().enumerate() {
            let (init, v) = (d.l.inits(b.ctx)[*i], found[n]);
            let covered = self.is_covered(d.l, *i);
            let Some(c) = a.choice.filter(|_| !covered) else {
                out.push(combined(b, *a, init, v));
                continue;
            };
            let (value, doubt) = chosen(b, *a, c, init, v);
            out.push(value);
            if a.checked {
                doubts.push((n, doubt));
            }
        }
        let copy = self.copies.iter().find(|(l, _)| *l == d.l.op());
        if let (Some((_, copy)), [(_, first), rest @ ..]) = (copy, &doubts[..]) {
            let bit = b.ctx.i1();
            let any = rest.iter().fold(*first, |a, (_, doubt)| {
                b.value::<OrIOp>(&[a, *doubt], bit, &[])
            });
            run_again(b, d, *copy, any, &doubts, &mut out);
        }
        out
    }
}

/// The values that came in and that were found, as one.
fn combined(b: &mut Builder, a: Accumulation, init: Value, v: Value) -> Value {
    if is_neutral(b.ctx, a, init) {
        return v;
    }
    a.kind.combine(b, init, v, v.ty(b.ctx))
}

/// Whether nothing that changes the value came in, as where the loop is in another one that accumulates.
fn is_neutral(ctx: &Context, a: Accumulation, init: Value) -> bool {
    let neutral = a.neutral(ctx, init.ty(ctx));
    neutral.is_some() && ctx.constant_of(init) == neutral
}

/// The same by the comparisons of the loop, and whether it may be another one.
fn chosen(b: &mut Builder, a: Accumulation, c: Choice, init: Value, v: Value) -> (Value, Value) {
    // The contributions are no NaN then: what is none replaced the neutral value in each. Without an op
    // behind it the loop is all that the one around has, and both are threads.
    if is_neutral(b.ctx, a, init) && !c.nan_replaces && !a.checked {
        return (v, v);
    }
    let greatest = is_greatest(a);
    let predicate = match (greatest, c.ties) {
        (true, Some(Ties::First)) => F::Ogt,
        (true, _) => F::Oge,
        (false, Some(Ties::First)) => F::Olt,
        (false, _) => F::Ole,
    };
    let replaces = CmpFOp::build(b, predicate, v, init);
    let value = SelectOp::build(b, replaces, v, init);
    if !a.checked {
        return (value, replaces);
    }
    let bit = b.ctx.i1();
    let zero = is_doubtful_zero(b, greatest, c, v);
    let mut doubt = b.value::<AndIOp>(&[replaces, zero], bit, &[]);
    if c.nan_replaces {
        let nan = CmpFOp::build(b, F::Uno, v, init);
        doubt = b.value::<OrIOp>(&[doubt, nan], bit, &[]);
    }
    (value, doubt)
}

/// Whether what was found is a zero that may stand for one of the other sign. With -0 below 0 a
/// greatest value of -0 was the only one, and so was a least of 0, if the comparisons agree.
fn is_doubtful_zero(b: &mut Builder, greatest: bool, c: Choice, v: Value) -> Value {
    let ty = v.ty(b.ctx);
    let kind = ty.float_kind(b.ctx);
    let bits = kind
        .map(|k| k.width())
        .filter(|w| matches!(w, 16 | 32 | 64));
    let (Some(kind), Some(bits), Some(_)) = (kind, bits, c.ties) else {
        let zero = b.ctx.float_attr(ty, 0.0);
        let zero = arith::constant(b, zero);
        return CmpFOp::build(b, F::Oeq, v, zero);
    };
    let zero = match greatest {
        true => Float::zero(kind),
        false => Float::zero(kind).neg(),
    };
    let int = b.ctx.int(bits);
    let zero = b.ctx.attr(AttrData::Float { ty, value: zero });
    let zero = arith::constant(b, zero);
    let [x, y] = [v, zero].map(|v| b.value::<BitcastOp>(&[v], int, &[]));
    CmpIOp::build(b, CmpIPredicate::Eq, x, y)
}

/// The loop as it was written where `doubt` holds, in place of the values of `doubts`.
fn run_again(
    b: &mut Builder,
    d: &Decision,
    copy: Op,
    doubt: Value,
    doubts: &[(usize, Value)],
    out: &mut [Value],
) {
    let results: Vec<usize> = doubts.iter().map(|(n, _)| *n).collect();
    let types: Vec<_> = results.iter().map(|n| out[*n].ty(b.ctx)).collect();
    let (chosen, then, other) = scf::IfOp::build(b, doubt, &types, true);
    let written: Vec<Value> = results
        .iter()
        .map(|n| copy.result(b.ctx, d.accumulations[*n].0))
        .collect();
    let found: Vec<Value> = results.iter().map(|n| out[*n]).collect();
    let end = yields(b, then, &written);
    copy.move_before(b.ctx, end);
    if let Some(other) = other {
        yields(b, other, &found);
    }
    for (i, n) in results.into_iter().enumerate() {
        out[n] = chosen.op().result(b.ctx, i);
    }
}

fn yields(b: &mut Builder, block: Block, values: &[Value]) -> Op {
    b.with_point(InsertPoint::End(block), |b| scf::YieldOp::build(b, values))
}

/// Lets a NaN go through all comparisons of value `i` of `l`, where any may put one in the place of
/// a number, so that the result tells.
fn keep_nans(ctx: &mut Context, l: Loop, i: usize) {
    let replaces = |a: &Accumulation| a.choice.is_some_and(|c| c.nan_replaces);
    let Some(a) = accumulation(ctx, l, i).filter(replaces) else {
        return;
    };
    let mut new: FxHashMap<Value, Value> = FxHashMap::default();
    for e in extrema(ctx, l, i) {
        let Some(op) = e.chosen.def_op() else {
            continue;
        };
        let old = new.get(&e.old).copied().unwrap_or(e.old);
        let ty = e.chosen.ty(ctx);
        let mut b = Builder::before(ctx, op);
        let v = match is_greatest(a) {
            true => b.value::<MaximumFOp>(&[old, e.new], ty, &[]),
            false => b.value::<MinimumFOp>(&[old, e.new], ty, &[]),
        };
        e.chosen.replace_all_uses(ctx, v);
        new.insert(e.chosen, v);
    }
}
