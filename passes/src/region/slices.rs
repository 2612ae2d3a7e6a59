//! `offload-slices`: a region can be run a few iterations of its outermost loop at a time.
//!
//! ```text
//! func.func @f(%A, %n)                    func.func @f(%A, %n, %from, %to) attributes {acc.slices = array<i64>}
//!   affine.for %t = 0 to %n {       =>      affine.for %t = max(0, %from) to min(%n, %to) {
//!     ...                                     ...
//! ```
//!
//! A program that measures whether this code or the C statement is quicker runs some iterations by the
//! one and some by the other. Legal because what a call does is then what the statement does in those
//! iterations: all that one of them leaves for the next is in memory, or an argument that is returned.
//! Only loops that do the same again and again, as those over time do: their iterations have to keep their
//! order, and no loop inside depends on their variable. What becomes of other loops depends on
//! their bounds. The attribute has, for each result, the argument that it is the next value of.

use terrace_dialects::affine::{Access, AccessKind};
use terrace_dialects::arith::{IndexCastOp, MaxSIOp, MinSIOp};
use terrace_dialects::attributes::ACC_SLICES;
use terrace_dialects::xfer::handed::add_arguments;
use terrace_dialects::{affine, func, scf};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::effects::{is_pure, only_reads, own_effects};
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

use crate::analysis::loop_like::Loop;
use crate::analysis::memory::{base, may_be_same};
use crate::analysis::parallel::memory_obstacle;

/// `offload-slices`.
pub static INFO: PassInfo = PassInfo {
    name: "offload-slices",
    title: "OffloadSlices",
    summary: "Let a region be run a few iterations of its outermost loop at a time",
    description: "Gives a function that is one loop around loops, whose iterations keep their order, two more arguments between which the iterations are that it runs. acc.slices says that, and which argument each result is the next value of.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-functions",
        "Number of functions that can be run in slices",
    )],
    make: |_| Ok(Box::new(Slices)),
    ..PassInfo::EMPTY
};

struct Slices;

impl Pass for Slices {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if let Some((l, next)) = in_slices(ctx, function) {
            let index = ctx.index();
            let ends = add_arguments(ctx, function, &[index, index]);
            clamp(ctx, l, ends[0], ends[1]);
            function.set_attr(ctx, ACC_SLICES, ctx.i64_array(&next));
            ctx.count("num-functions", 1);
        }
        Ok(())
    }
}

/// The arguments whose next values a function's results are, if it can be run in slices.
pub fn slices_of(ctx: &Context, function: Op) -> Option<Vec<usize>> {
    let numbers = function.attr(ctx, ACC_SLICES)?.as_i64_array(ctx)?;
    numbers.iter().map(|n| usize::try_from(*n).ok()).collect()
}

/// Whether the iterations between the two ends of a function that was sliced and lowered are still
/// those of loops that stand in no other: each part of them then costs what it costs in all of them.
pub fn runs_in_parts(ctx: &Context, function: Op) -> bool {
    let Some(entry) = function.region(ctx, 0).entry(ctx) else {
        return false;
    };
    let Some(first) = entry.num_args(ctx).checked_sub(2) else {
        return false;
    };
    let mut known: Vec<Value> = (first..first + 2).map(|i| entry.arg(ctx, i)).collect();
    let mut seen = 0;
    while let Some(v) = known.get(seen).copied() {
        seen += 1;
        for user in v.uses(ctx).into_iter().map(|u| u.op) {
            if user.block(ctx) != Some(entry) {
                return false;
            }
            if user.num_regions(ctx) == 0 {
                known.extend(user.results(ctx));
            }
        }
    }
    true
}

/// The loop that a function is, and which arguments its results are the next values of.
fn in_slices(ctx: &Context, function: Op) -> Option<(Loop, Vec<i64>)> {
    let entry = function.region(ctx, 0).entry(ctx)?;
    let ops = entry.ops(ctx);
    let (end, ops) = ops.split_last()?;
    let mut nests = ops.iter().filter(|op| op.num_regions(ctx) > 0);
    let l = Loop::of(ctx, *nests.next()?)?;
    let is_alone = nests.next().is_none();
    let mut inside = Loop::all(ctx, l.op()).into_iter();
    if !is_alone || inside.next().is_none() || !counts_up(ctx, l) || !keeps_order(ctx, l) {
        return None;
    }
    if !l.iv(ctx).is_some_and(|iv| repeats(ctx, l, iv)) {
        return None;
    }
    let beside = ops.iter().filter(|op| **op != l.op());
    let written = written_in(ctx, l.op())?;
    if !beside
        .into_iter()
        .all(|op| is_pure(ctx, *op) || reads_fixed(ctx, *op, &written))
    {
        return None;
    }
    let args = entry.args(ctx);
    let results = l.op().results(ctx);
    let inits = l.inits(ctx);
    let returned = end.operands(ctx);
    if returned.len() != results.len() {
        return None;
    }
    let next = returned.iter().map(|v| {
        let i = results.iter().position(|r| r == v)?;
        let argument = args.iter().position(|a| *a == inits[i])?;
        (inits[i].uses(ctx).len() == 1).then_some(argument as i64)
    });
    let next = next.collect::<Option<Vec<i64>>>()?;
    Some((l, next))
}

/// Whether an op does no more than read memory that is not among the `written`.
fn reads_fixed(ctx: &Context, op: Op, written: &[Value]) -> bool {
    let effects = own_effects(ctx, op).unwrap_or_default();
    only_reads(ctx, op)
        && op.num_regions(ctx) == 0
        && !effects.is_empty()
        && effects.iter().all(|e| {
            let read = e.on.map(|memref| base(ctx, memref));
            read.is_some_and(|read| !written.iter().any(|w| may_be_same(ctx, read, *w)))
        })
}

/// From a number that is not negative, one at a time.
fn counts_up(ctx: &Context, l: Loop) -> bool {
    match l {
        Loop::Affine(l) => l.step(ctx) == 1 && l.constant_lower(ctx).is_some_and(|n| n >= 0),
        Loop::Scf(l) => {
            let number = |v: Value| ctx.constant_int(v);
            number(l.step(ctx)) == Some(1)
                && number(l.lower_bound(ctx)).is_some_and(|n| n >= 0)
                && !l.is_unsigned(ctx)
        }
        Loop::While(_) => false,
    }
}

/// Whether no loop inside `l` has bounds or subscripts that move with `value`, which does with the
/// variable of `l`.
fn repeats(ctx: &Context, l: Loop, value: Value) -> bool {
    value.uses(ctx).into_iter().all(|u| {
        let around = Loop::around(ctx, u.op);
        let is_inside = around.is_some_and(|a| a.op() != l.op());
        if let Some(a) = Access::of(ctx, u.op) {
            let is_subscript = u.index > a.memref_index;
            return !is_inside || !is_subscript;
        }
        let chooses = u.op.isa::<scf::IfOp>(ctx) || u.op.isa::<affine::IfOp>(ctx);
        // What a choice leaves out in some iterations others leave out as well, by and by.
        if chooses || !is_inside && u.op.num_regions(ctx) == 0 && !is_pure(ctx, u.op) {
            return true;
        }
        if !is_pure(ctx, u.op) || u.op.num_regions(ctx) > 0 {
            return false;
        }
        // Subscripts are not computed from floats.
        let mut results = u.op.results(ctx).into_iter();
        results.all(|r| r.ty(ctx).is_float(ctx) || repeats(ctx, l, r))
    })
}

fn keeps_order(ctx: &Context, l: Loop) -> bool {
    match l {
        Loop::Affine(a) => !a.inits(ctx).is_empty() || memory_obstacle(ctx, a).is_some(),
        _ => true,
    }
}

/// The memory that the ops in a loop write; nothing where one of them may write any.
fn written_in(ctx: &Context, l: Op) -> Option<Vec<Value>> {
    let mut written = Vec::new();
    for op in l.pre_order(ctx) {
        if let Some(a) = Access::of(ctx, op) {
            if a.kind == AccessKind::Write {
                written.push(base(ctx, a.memref));
            }
            continue;
        }
        // What is in it is looked at as well.
        if op.num_regions(ctx) > 0 {
            continue;
        }
        for e in own_effects(ctx, op)? {
            if matches!(e.kind, EffectKind::Write | EffectKind::Free) {
                written.push(base(ctx, e.on?));
            }
        }
    }
    Some(written)
}

/// Makes the loop begin no earlier than `from` and end no later than `to`.
fn clamp(ctx: &mut Context, l: Loop, from: Value, to: Value) {
    let l = match l {
        Loop::Affine(l) => {
            let add = |map: &AffineMap, operands: Vec<Value>, end: Value| {
                let (dims, symbols) = (map.num_dims(), map.num_symbols());
                let mut results = map.results().to_vec();
                results.push(AffineExpr::symbol(symbols));
                let map = AffineMap::new(dims, symbols + 1, results);
                (map, [operands, vec![end]].concat())
            };
            let (map, operands) = add(l.lower_map(ctx), l.lower_operands(ctx), from);
            l.set_lower(ctx, map, &operands);
            let (map, operands) = add(l.upper_map(ctx), l.upper_operands(ctx), to);
            return l.set_upper(ctx, map, &operands);
        }
        Loop::Scf(l) => l,
        Loop::While(_) => return,
    };
    let bounds = [l.lower_bound(ctx), l.upper_bound(ctx)];
    let ty = l.induction_var(ctx).ty(ctx);
    let index = ctx.index();
    let mut b = Builder::before(ctx, l.op());
    let cast = |b: &mut Builder, v: Value, ty| match v.ty(b.ctx) == ty {
        true => v,
        false => b.op::<IndexCastOp>(&[v], &[ty], &[]).result(b.ctx, 0),
    };
    let wide = bounds.map(|v| cast(&mut b, v, index));
    let first = b
        .op::<MaxSIOp>(&[wide[0], from], &[index], &[])
        .result(b.ctx, 0);
    let last = b
        .op::<MinSIOp>(&[wide[1], to], &[index], &[])
        .result(b.ctx, 0);
    let [first, last] = [first, last].map(|v| cast(&mut b, v, ty));
    l.op().set_operand(ctx, 0, first);
    l.op().set_operand(ctx, 1, last);
}
