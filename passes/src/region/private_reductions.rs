//! `offload-private-reductions`: what a reduction clause promises, where the program does not show it.
//!
//! ```text
//! %r = affine.for ... iter_args(%s = %s0) {       %r = affine.for ... iter_args(%s = %s0) {
//!   %t = scf.while (%u = %s) { ... }         =>     %t = scf.while (%u = 0) { ... }
//!   affine.yield %t                                 %v = arith.addi %s, %t
//! } {acc.reductions = array<i64: 1>}                affine.yield %v
//!                                                 }
//! ```
//!
//! Most reductions are seen from the operations on the way. Of others a clause names the operator:
//! by OpenACC (3.3, 2.9.11) each iteration may work on a copy that begins with what the operator
//! leaves alone, and the copies are combined behind.
//!
//! Only where the value flows into nothing but its own next one: a program that uses it otherwise in
//! the loop means the order, and stays as it is. The C front end says which values the clauses
//! name by `acc.reductions`; nothing reads it behind this pass.

use crate::analysis::accumulate::accumulation;
use crate::analysis::directive::LoopClauses;
use crate::analysis::loop_like::Loop;
use rustc_hash::FxHashSet;
use terrace_dialects::arith::{AtomicRmwKind, materialize};
use terrace_dialects::attributes::ACC_REDUCTIONS;
use terrace_dialects::{affine, func, scf};
use terrace_ir::effects::{is_pure, only_reads};
use terrace_ir::num::Float;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Attr, AttrData, Builder, Context, Op, Type, Value};

pub static INFO: PassInfo = PassInfo {
    name: "offload-private-reductions",
    title: "OffloadPrivateReductions",
    summary: "Give iterations copies of what reduction clauses name, where nothing else tells how it is reduced",
    description: "Begins each iteration of a loop with acc.reductions with the value that the operator of a clause leaves alone, and combines what the iteration makes of it, where the way from one iteration to the next is not that operator's already and leads nowhere else.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-values",
        "Number of carried values that iterations have copies of",
    )],
    make: |_| Ok(Box::new(PrivateReductions)),
    ..PassInfo::EMPTY
};

struct PrivateReductions;

impl Pass for PrivateReductions {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        // Loops inside first, which those around see then.
        for op in function.post_order(ctx) {
            let Some(kinds) = op
                .attr(ctx, ACC_REDUCTIONS)
                .and_then(|a| a.as_i64_array(ctx))
            else {
                continue;
            };
            op.remove_attr(ctx, ACC_REDUCTIONS);
            let l = Loop::of(ctx, op);
            let Some(l) = l.filter(|l| l.iter_args(ctx).len() == kinds.len()) else {
                continue;
            };
            for (i, kind) in kinds.into_iter().enumerate() {
                let Some(kind) = AtomicRmwKind::from_i64(kind) else {
                    continue;
                };
                if accumulation(ctx, l, i).is_some() || !flows_into_itself(ctx, l, i) {
                    continue;
                }
                let inner = innermost(ctx, l, i);
                let made = copies(ctx, inner, kind);
                ctx.count("num-values", u64::from(made));
            }
        }
        Ok(())
    }
}

/// The innermost of the loops that a directive collapses which carries the value on, and where.
fn innermost(ctx: &Context, l: Loop, i: usize) -> (Loop, usize) {
    let collapse = LoopClauses::of(ctx, l.op()).map(|c| c.collapse);
    let depth = collapse.unwrap_or(1);
    let mut at = (l, i);
    for _ in 1..depth {
        let arg = at.0.iter_args(ctx)[at.1];
        let mut inner = arg.users(ctx).into_iter().filter_map(|u| Loop::of(ctx, u));
        let next = inner.find_map(|l| {
            let j = l.inits(ctx).iter().position(|v| *v == arg)?;
            (!matches!(l, Loop::While(_))).then_some((l, j))
        });
        let Some(next) = next else {
            break;
        };
        at = next;
    }
    at
}

/// What leaves any value of the type alone, also one that comparisons choose.
fn neutral(ctx: &Context, kind: AtomicRmwKind, ty: Type) -> Option<Attr> {
    let infinity = |sign| {
        let value = Float::infinity(ty.float_kind(ctx)?, sign);
        Some(ctx.attr(AttrData::Float { ty, value }))
    };
    match kind {
        AtomicRmwKind::MaxNumF => infinity(true),
        AtomicRmwKind::MinNumF => infinity(false),
        _ => kind.identity(ctx, ty),
    }
}

/// Begins iterations with the neutral value, and combines what they make of it.
fn copies(ctx: &mut Context, (l, i): (Loop, usize), kind: AtomicRmwKind) -> bool {
    let carried = l.iter_args(ctx)[i];
    let ty = carried.ty(ctx);
    let Some(end) = l.body(ctx).last_op(ctx) else {
        return false;
    };
    let Some(start) = neutral(ctx, kind, ty) else {
        return false;
    };
    let mut b = Builder::before(ctx, l.op());
    b.loc = l.op().loc(b.ctx);
    let Some(start) = materialize(&mut b, start, ty).map(|c| c.result(b.ctx, 0)) else {
        return false;
    };
    carried.replace_all_uses(ctx, start);
    let own = l.yielded(ctx)[i];
    let mut b = Builder::before(ctx, end);
    b.loc = l.op().loc(b.ctx);
    let both = kind.combine(&mut b, carried, own, ty);
    end.set_operand(ctx, i, both);
    true
}

/// Whether a carried value is used for nothing but the next one of itself: by ops without effects, and by
/// conditions of choices that only choose it.
fn flows_into_itself(ctx: &Context, l: Loop, i: usize) -> bool {
    if matches!(l, Loop::While(_)) {
        return false;
    }
    let end = l.body(ctx).last_op(ctx);
    let mut seen = FxHashSet::default();
    let mut work = vec![l.iter_args(ctx)[i]];
    while let Some(v) = work.pop() {
        if !seen.insert(v) {
            continue;
        }
        for u in v.uses(ctx) {
            if Some(u.op) == end {
                if u.index != i {
                    return false;
                }
                continue;
            }
            let Some(next) = goes_on(ctx, u.op, u.index) else {
                return false;
            };
            work.extend(next);
        }
    }
    true
}

/// The values that an operand of an op flows into; `None` where it may do something else.
fn goes_on(ctx: &Context, op: Op, index: usize) -> Option<Vec<Value>> {
    match op.name(ctx) {
        scf::IfOp::NAME => {
            let reads = |o: Op| is_pure(ctx, o) || o.num_regions(ctx) == 0 && only_reads(ctx, o);
            let is_choice = |o: &Op| *o == op || reads(*o) || ends_region(ctx, *o);
            let all = op.pre_order(ctx);
            all.iter().all(is_choice).then(|| op.results(ctx))
        }
        scf::YieldOp::NAME | affine::YieldOp::NAME => {
            let around = op.parent(ctx)?;
            let mut next = vec![*around.results(ctx).get(index)?];
            if let Some(inner) = Loop::of(ctx, around) {
                next.extend(inner.iter_args(ctx).get(index));
            }
            Some(next)
        }
        scf::ConditionOp::NAME => {
            // The first operand decides how often the loop runs.
            let k = index.checked_sub(1)?;
            let around = op.parent(ctx)?;
            let after = around.region(ctx, 1).entry(ctx)?;
            Some(vec![*around.results(ctx).get(k)?, after.arg(ctx, k)])
        }
        scf::WhileOp::NAME => {
            let before = op.region(ctx, 0).entry(ctx)?;
            Some(vec![before.arg(ctx, index)])
        }
        affine::ForOp::NAME | scf::ForOp::NAME => {
            let inner = Loop::of(ctx, op)?;
            let inits = inner.inits(ctx).len();
            let k = (index + inits).checked_sub(op.num_operands(ctx))?;
            Some(vec![inner.iter_args(ctx)[k], op.result(ctx, k)])
        }
        _ if op.num_regions(ctx) == 0 && is_pure(ctx, op) => Some(op.results(ctx)),
        _ => None,
    }
}

fn ends_region(ctx: &Context, op: Op) -> bool {
    matches!(op.name(ctx), scf::YieldOp::NAME | affine::YieldOp::NAME)
}
