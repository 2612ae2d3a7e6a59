//! Loops as parallel loops.
//!
//! An accumulated value starts at the neutral value in every iteration; what the
//! iteration makes of it is its contribution, and the loop combines those:
//!
//! ```text
//! %r = affine.for %i = 0 to %n iter_args(%s = %init) {    %p = affine.parallel (%i) = (0) to (%n) reduce ("addf") {
//!   %1 = arith.addf %s, %x                            =>    affine.yield %x
//!   affine.yield %1                                       }
//! }                                                       %r = arith.addf %init, %p
//! ```

use crate::lower::affine::copy_discardable;
use terrace_dialects::affine::{Access, ApplyOp};
use terrace_dialects::arith::{self, IndexCastOp};
use terrace_dialects::memref::AtomicRmwOp;
use terrace_dialects::scf;
use terrace_ir::{Block, Builder, Context, InsertPoint, OpKind, Value};

use super::parallelize::Reductions;
use super::private::Copies;
use super::ties::Written;
use super::verdict::{Decision, Update};
use crate::analysis::accumulate::Accumulation;
use crate::analysis::directive::LoopClauses;
use crate::analysis::loop_like::Loop;
use crate::analysis::source;
use crate::loops::parallelize::parallel_form;

/// Makes the loops that were decided to be parallel so, in the order of the text.
pub(crate) fn apply(ctx: &mut Context, decisions: &[Decision], reductions: Reductions) {
    let in_order = |d: &&Decision| {
        reductions == Reductions::Outermost && is_sum_of_a_thread(ctx, d, decisions)
    };
    let kept: Vec<&Decision> = decisions
        .iter()
        .filter(|d| d.parallel && !in_order(d))
        .collect();
    let written = Written::of(ctx, &kept);
    let mut copies = Copies::default();
    let mut updates: Vec<Update> = Vec::new();
    for d in kept {
        for m in &d.private {
            copies.privatise(ctx, d.l, *m);
        }
        for u in &d.atomic {
            // Several loops around may carry it.
            if !updates.contains(u) {
                updates.push(*u);
                update_atomically(ctx, *u);
            }
        }
        drop_dead(ctx, d);
        match d.l {
            Loop::Affine(_) => affine_parallel(ctx, d, &written),
            Loop::Scf(l) => scf_parallel(ctx, d, l, &written),
            Loop::While(_) => {}
        }
    }
    copies.tidy(ctx);
}

/// Whether a loop accumulates values in a parallel loop that does not, and no directive says
/// that the threads of a block share it.
fn is_sum_of_a_thread(ctx: &Context, d: &Decision, all: &[Decision]) -> bool {
    if LoopClauses::of(ctx, d.l.op()).is_some_and(|c| c.levels) {
        return false;
    }
    let is_around = |o: &Decision| o.l.op() != d.l.op() && o.l.op().is_ancestor_of(ctx, d.l.op());
    let threads = |o: &Decision| o.parallel && o.accumulations.is_empty();
    !d.accumulations.is_empty() && all.iter().any(|o| threads(o) && is_around(o))
}

/// Carried values that nothing uses: what comes in goes out.
fn drop_dead(ctx: &mut Context, d: &Decision) {
    let (inits, args) = (d.l.inits(ctx), d.l.iter_args(ctx));
    for i in &d.dead {
        args[*i].replace_all_uses(ctx, inits[*i]);
        d.l.op().result(ctx, *i).replace_all_uses(ctx, inits[*i]);
    }
}

/// What each iteration contributes to the accumulated values, with the neutral value
/// in their place.
fn contributions(ctx: &mut Context, d: &Decision) -> Vec<Value> {
    let (args, body) = (d.l.iter_args(ctx), d.l.body(ctx));
    let mut out = Vec::new();
    for (i, a) in &d.accumulations {
        let (arg, ty) = (args[*i], args[*i].ty(ctx));
        if let Some(op) = a.combiner {
            // What it contributes may be the result of a loop that was rewritten since.
            let at = usize::from(op.operand(ctx, 0) == arg);
            let v = op.operand(ctx, at);
            // The op and its use at the end of the body go with the body's end.
            let end = body.last_op(ctx);
            if let Some(end) = end {
                end.set_operand(ctx, *i, v);
            }
            op.erase(ctx);
            out.push(v);
            continue;
        }
        if let Some(neutral) = a.neutral(ctx, ty) {
            let loc = d.l.op().loc(ctx);
            let mut b = Builder::at_start(ctx, body, loc);
            let v = arith::constant(&mut b, neutral);
            arg.replace_all_uses(ctx, v);
        }
        out.push(d.l.yielded(ctx)[*i]);
    }
    out
}

fn affine_parallel(ctx: &mut Context, d: &Decision, written: &Written) {
    let Loop::Affine(l) = d.l else { return };
    let op = l.op();
    let values = contributions(ctx, d);
    let inits = l.inits(ctx);
    let kinds = d.accumulations.iter().map(|(_, a)| a.kind as i64);
    let contributions: Vec<_> = values.into_iter().zip(kinds).collect();
    let new = parallel_form(ctx, l, &contributions);
    copy_discardable(ctx, op, new.op());
    let body = new.body(ctx);
    let found = new.op().results(ctx);
    let mut b = Builder::after(ctx, new.op());
    let outcome = outcome(&mut b, d, written, inits, &found);
    while body.num_args(ctx) > 1 {
        body.erase_arg(ctx, body.num_args(ctx) - 1);
    }
    op.replace(ctx, &outcome);
}

/// What the loop's values are behind it.
fn outcome(
    b: &mut Builder,
    d: &Decision,
    written: &Written,
    inits: Vec<Value>,
    found: &[Value],
) -> Vec<Value> {
    let mut all = inits;
    let values = written.outcome(b, d, found);
    for ((i, _), v) in d.accumulations.iter().zip(values) {
        all[*i] = v;
    }
    all
}

fn scf_parallel(ctx: &mut Context, d: &Decision, l: scf::ForOp, written: &Written) {
    let op = l.op();
    let values = contributions(ctx, d);
    let inits = l.init_args(ctx);
    let old = l.body(ctx);
    let (iv, iv_loc) = (l.induction_var(ctx), old.arg_loc(ctx, 0));
    let narrow = iv.ty(ctx);
    let bounds = [l.lower_bound(ctx), l.upper_bound(ctx), l.step(ctx)];
    let index = ctx.index();
    let mut b = Builder::before(ctx, op);
    let bounds = bounds.map(|v| {
        if narrow == index {
            v
        } else {
            b.value::<IndexCastOp>(&[v], index, &[])
        }
    });
    let [lower, upper, step] = bounds;
    let carried = starts(&mut b, d, &inits);
    let (new, body) = scf::ParallelOp::build(&mut b, &[lower], &[upper], &[step], &carried);
    let new = new.op();
    copy_discardable(ctx, op, new);
    body.set_arg_loc(ctx, 0, iv_loc);
    let mut counter = body.arg(ctx, 0);
    if narrow != index {
        let mut b = Builder::at_start(ctx, body, iv_loc);
        counter = b.value::<IndexCastOp>(&[counter], narrow, &[]);
    }
    iv.replace_all_uses(ctx, counter);
    body.append_ops_of(ctx, old);
    end_parallel(ctx, d, body, &values);
    let found = new.results(ctx);
    let mut b = Builder::after(ctx, new);
    let outcome = outcome(&mut b, d, written, inits, &found);
    op.replace(ctx, &outcome);
}

/// What changes nothing when accumulated, for each value.
fn starts(b: &mut Builder, d: &Decision, inits: &[Value]) -> Vec<Value> {
    let mut start = |(i, a): &(usize, Accumulation)| {
        let neutral = a.neutral(b.ctx, inits[*i].ty(b.ctx));
        neutral.map_or(inits[*i], |n| arith::constant(b, n))
    };
    d.accumulations.iter().map(&mut start).collect()
}

/// `scf.reduce` in place of `scf.yield`.
fn end_parallel(ctx: &mut Context, d: &Decision, body: Block, values: &[Value]) {
    let Some(end) = body.last_op(ctx) else { return };
    let loc = end.loc(ctx);
    let mut b = Builder::before(ctx, end);
    let (_, blocks) = scf::ReduceOp::build(&mut b, values);
    for (block, (_, a)) in blocks.into_iter().zip(&d.accumulations) {
        let (l, r) = (block.arg(b.ctx, 0), block.arg(b.ctx, 1));
        let ty = l.ty(b.ctx);
        b.with_point(InsertPoint::End(block), |b| {
            b.loc = loc;
            let v = a.kind.combine(b, l, r, ty);
            b.op::<scf::ReduceReturnOp>(&[v], &[], &[]);
        });
    }
    end.erase(ctx);
}

/// `A[s] = A[s] op e` as one atomic op.
fn update_atomically(ctx: &mut Context, u: Update) {
    let a = Accumulation {
        kind: u.kind,
        combiner: None,
        reassociates: false,
        choice: None,
        checked: false,
    };
    let old = u.load.result(ctx, 0);
    let ty = old.ty(ctx);
    let Some(neutral) = a.neutral(ctx, ty) else {
        return;
    };
    let mut b = Builder::before(ctx, u.load);
    let v = arith::constant(&mut b, neutral);
    old.replace_all_uses(ctx, v);
    let Some((memref, operands)) = source::indices(ctx, u.store) else {
        return;
    };
    let access = Access::of(ctx, u.store);
    let value = u.store.operand(ctx, 0);
    let mut b = Builder::before(ctx, u.store);
    let indices: Vec<Value> = match access {
        Some(a) => (0..a.map.num_results())
            .map(|i| ApplyOp::build_composed(&mut b, &a.map.sub_map(&[i]), &a.operands))
            .collect(),
        None => operands,
    };
    let kind = b.ctx.i64_attr(u.kind as i64);
    let operands = [&[value, memref], indices.as_slice()].concat();
    b.value::<AtomicRmwOp>(&operands, ty, &[("kind", kind)]);
    u.store.erase(ctx);
    u.load.erase(ctx);
}
