//! `scf-if-to-select`: both ways of a condition are computed, and the condition chooses.
//!
//! ```text
//! %r = scf.if %c -> f64 {               %t = arith.mulf %x, %y
//!   %t = arith.mulf %x, %y        =>    %r = arith.select %c, %t, %x
//!   scf.yield %t
//! } else {
//!   scf.yield %x
//! }
//! ```
//!
//! A branch costs little where it goes the same way each time, and much where it does not.
//! Where a condition asks about what it chose an iteration before, as the search for a greatest
//! element does, all iterations would wait for each other: `carried` tells, and the branch stays.
//! But lanes of a vector cannot branch apart. So this is done where all that is computed in
//! vain is a few ops, more of them in an innermost loop that could run in vectors without its
//! conditions. `memory` says which loads may run for nothing, and makes one store of those in
//! both ways:
//!
//! ```text
//! scf.if %c {                           %x = affine.load %b[%i]
//!   %x = affine.load %b[%i]             %r = arith.select %c, %x, %zero
//!   affine.store %x, %a[%i]       =>    affine.store %r, %a[%i]
//! } else {
//!   affine.store %zero, %a[%i]
//! }
//! ```
//!
//! A sum that goes on in one way only, `if (c) s = s + x`, adds the neutral element in the other,
//! and stays a sum that lanes can make:
//!
//! ```text
//! %r = scf.if %c -> i32 {               %t = arith.select %c, %x, %zero
//!   %t = arith.addi %s, %x        =>    %r = arith.addi %s, %t
//!   scf.yield %t
//! } else {
//!   scf.yield %s
//! }
//! ```

mod carried;
mod extremum;
mod memory;

use self::memory::Joined;
use crate::analysis::captured::is_inside;
use crate::analysis::intervening::{Effect, is_same_element, may_intervene};
use crate::analysis::lockstep::run_in_lockstep;
use crate::analysis::reduction::kind_of;
use crate::transform::affine_vectorize_innermost::runs_in_vectors;
use terrace_dialects::affine::{Access, AccessKind, ForOp, LoadOp, StoreOp};
use terrace_dialects::arith::{self, AndIOp, CmpFOp, CmpIOp, OrIOp, SelectOp, XOrIOp};
use terrace_dialects::scf::{IfOp, YieldOp};
use terrace_dialects::{affine, func, math, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::runs_anywhere;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "scf-if-to-select",
    title: "SCFIfToSelect",
    summary: "Compute both ways of small conditions and select",
    description: "Replaces scf.if ops whose regions hold only a few cheap ops without effects, loads of elements that are there in any case and stores of the same elements by these ops, arith.select and one store for each element.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "max-ops",
            OptionKind::UInt,
            "8",
            "Ops in both regions together, at most; a division counts as 10",
        ),
        OptionInfo::new(
            "max-ops-in-lanes",
            OptionKind::UInt,
            "24",
            "The same in innermost loops that may run in vectors then; a division counts as 5",
        ),
    ],
    statistics: &[
        StatisticInfo::new("num-ifs", "Number of conditions that select now"),
        StatisticInfo::new(
            "num-extrema",
            "Number of selects that take the greater or the smaller of two integers",
        ),
    ],
    make: |o| {
        Ok(Box::new(IfToSelect {
            max_ops: o.uint("max-ops"),
            max_ops_in_lanes: o.uint("max-ops-in-lanes"),
        }))
    },
};

struct IfToSelect {
    max_ops: u64,
    max_ops_in_lanes: u64,
}

impl Pass for IfToSelect {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        // Inner ones first, so that those around them hold plain ops.
        let all = op.post_order(ctx);
        let ifs: Vec<IfOp> = all.into_iter().filter_map(|op| op.cast(ctx)).collect();
        for i in ifs {
            let costs = cost_of(ctx, i, DIVISION).zip(cost_of(ctx, i, DIVISION_IN_LANES));
            let Some((costs, stores)) = costs.zip(memory::joined(ctx, i)) else {
                continue;
            };
            if carried::is_asked_again(ctx, i) {
                continue;
            }
            let (cost, in_lanes) = costs;
            if cost <= self.max_ops || (in_lanes <= self.max_ops_in_lanes && fits_lanes(ctx, i)) {
                replace(ctx, i, &stores);
                ctx.count("num-ifs", 1);
            }
        }
        for op in op.pre_order(ctx) {
            if extremum::replace(ctx, op) {
                ctx.count("num-extrema", 1);
            }
        }
        Ok(())
    }
}

/// Makes choices of all conditions below `root` that may be, whatever they cost; how many.
pub(crate) fn choose(ctx: &mut Context, root: Op) -> usize {
    let all = root.post_order(ctx).into_iter();
    let ifs: Vec<IfOp> = all.filter_map(|op| op.cast(ctx)).collect();
    let mut made = 0;
    for i in ifs {
        if let Some((_, stores)) = cost_of(ctx, i, DIVISION).zip(memory::joined(ctx, i)) {
            replace(ctx, i, &stores);
            made += 1;
        }
    }
    made
}

/// The ops in both ways of a condition, one that takes as long as a division as so many; nothing
/// where one of them must not run for nothing, or where the condition gives something other than
/// numbers.
fn cost_of(ctx: &Context, i: IfOp, division: u64) -> Option<u64> {
    let numbers = |v: &Value| {
        let ty = v.ty(ctx);
        ty.is_int_or_index(ctx) || ty.is_float(ctx)
    };
    if !i.op().results(ctx).iter().all(numbers) {
        return None;
    }
    let blocks = [Some(i.then_block(ctx)), i.else_block(ctx)];
    let mut cost = 0;
    for op in blocks.into_iter().flatten().flat_map(|b| b.ops(ctx)) {
        if op.isa::<YieldOp>(ctx) || op.isa::<arith::ConstantOp>(ctx) {
            continue;
        }
        cost += match Access::of(ctx, op) {
            Some(_) => 1,
            None => cost_of_op(ctx, op, division)?,
        };
    }
    Some(cost)
}

/// What an op costs that may run for nothing, in instructions; nothing for another one.
fn cost_of_op(ctx: &Context, op: Op, division: u64) -> Option<u64> {
    if !op.regions(ctx).is_empty() || !runs_anywhere(ctx, op) {
        return None;
    }
    let name = op.name(ctx);
    match name {
        arith::DivFOp::NAME | math::SqrtOp::NAME => Some(division),
        arith::DivSIOp::NAME
        | arith::DivUIOp::NAME
        | arith::RemSIOp::NAME
        | arith::RemUIOp::NAME => {
            // By a constant they are a product and shifts.
            ctx.constant_int(op.operand(ctx, 1))?;
            Some(DIVISION_IN_LANES)
        }
        arith::RemFOp::NAME => None,
        _ if name.starts_with("math.") && !op.isa::<math::AbsFOp>(ctx) => None,
        _ => Some(1),
    }
}

/// About the instructions that take as long as a division or a root: others wait for it, and a wrong
/// guess of a branch is not much longer.
const DIVISION: u64 = 10;
/// The same where lanes share it, and of a division by a constant, which is a product and shifts.
const DIVISION_IN_LANES: u64 = 5;

/// Whether the condition stands in an innermost loop that may run in vectors without its conditions.
fn fits_lanes(ctx: &mut Context, i: IfOp) -> bool {
    let Some(l) = around(ctx, i).and_then(|op| op.cast::<ForOp>(ctx)) else {
        return false;
    };
    let loops = l.op().pre_order(ctx).into_iter();
    if loops.filter(|op| op.isa::<ForOp>(ctx)).count() > 1 || !run_in_lockstep(ctx, l) {
        return false;
    }
    let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
    copy.insert_after(ctx, l.op());
    choose(ctx, copy);
    let fits = runs_in_vectors(ctx, ForOp::wrap(copy));
    copy.erase(ctx);
    fits
}

/// The op around a condition that is no condition.
fn around(ctx: &Context, i: IfOp) -> Option<Op> {
    let mut around = i.op().parent(ctx);
    while let Some(op) = around.filter(|op| op.isa::<IfOp>(ctx)) {
        around = op.parent(ctx);
    }
    around
}

fn replace(ctx: &mut Context, i: IfOp, stores: &[Joined]) {
    let condition = i.condition(ctx);
    let mut b = Builder::before(ctx, i.op());
    let (mut ways, mut loads) = (Vec::new(), Vec::new());
    for block in [Some(i.then_block(b.ctx)), i.else_block(b.ctx)] {
        ways.push(block.map_or_else(Vec::new, |block| unpack(&mut b, block, i.op(), &mut loads)));
    }
    let pairs: Vec<(Value, Value)> = match &ways[..] {
        [then, other] => then.iter().copied().zip(other.iter().copied()).collect(),
        _ => Vec::new(),
    };
    let results: Vec<Value> = pairs
        .into_iter()
        .map(|(then, other)| {
            sum(&mut b, condition, then, other)
                .unwrap_or_else(|| select(&mut b, condition, then, other))
        })
        .collect();
    for joined in stores {
        store(&mut b, condition, joined);
    }
    i.op().replace(b.ctx, &results);
}

/// Moves the ops of a block before `at`, but its stores; gives what it yields. An element that
/// one of `loads` has loaded is not loaded again.
fn unpack(b: &mut Builder, block: Block, at: Op, loads: &mut Vec<Access>) -> Vec<Value> {
    for op in block.ops(b.ctx) {
        if op.isa::<YieldOp>(b.ctx) {
            return op.operands(b.ctx);
        }
        match Access::of(b.ctx, op) {
            Some(a) if a.kind == AccessKind::Write => {}
            Some(a) => match loads.iter().find(|l| is_same_element(b.ctx, l, &a)) {
                Some(same) => {
                    let value = same.op.result(b.ctx, 0);
                    op.replace(b.ctx, &[value]);
                }
                None => {
                    op.move_before(b.ctx, at);
                    loads.push(a);
                }
            },
            None => op.move_before(b.ctx, at),
        }
    }
    Vec::new()
}

/// Stores what the condition chooses; in a way without a store, what is there.
fn store(b: &mut Builder, condition: Value, joined: &Joined) {
    let a = &joined.access;
    b.loc = a.op.loc(b.ctx);
    let [then, other] = joined.stores.map(|op| match op {
        Some(op) => op.operand(b.ctx, 0),
        None => current(b, a),
    });
    let value = select(b, condition, then, other);
    StoreOp::build(b, value, a.memref, a.map.clone(), &a.operands);
}

/// What the element of an access is at the builder's place: what was loaded from it or stored to
/// it last in the same block, or a load.
fn current(b: &mut Builder, a: &Access) -> Value {
    let value = LoadOp::build(b, a.memref, a.map.clone(), &a.operands);
    let Some(load) = value.def_op().and_then(|op| Access::of(b.ctx, op)) else {
        return value;
    };
    let mut before = load.op.prev(b.ctx);
    while let Some(op) = before {
        before = op.prev(b.ctx);
        let Some(earlier) = Access::of(b.ctx, op) else {
            continue;
        };
        if earlier.vector.is_none()
            && is_same_element(b.ctx, &earlier, &load)
            && !may_intervene(b.ctx, op, load.op, &load, Effect::Writes)
        {
            let known = match earlier.kind {
                AccessKind::Write => earlier.stored(b.ctx),
                AccessKind::Read => Some(op.result(b.ctx, 0)),
                AccessKind::Prefetch => None,
            };
            if let Some(known) = known {
                load.op.replace(b.ctx, &[known]);
                return known;
            }
        }
    }
    value
}

/// `then` or `other`. Truth values are combined, as lanes have masks for them and no choice.
fn select(b: &mut Builder, condition: Value, then: Value, other: Value) -> Value {
    let ty = then.ty(b.ctx);
    if then == other {
        return then;
    }
    if ty.int_width(b.ctx) != Some(1) {
        return b.value::<SelectOp>(&[condition, then, other], ty, &[]);
    }
    let known = |ctx: &Context, v: Value| ctx.constant_int(v).map(|c| c != 0);
    match (known(b.ctx, then), known(b.ctx, other)) {
        (_, Some(false)) => b.value::<AndIOp>(&[condition, then], ty, &[]),
        (Some(true), _) => b.value::<OrIOp>(&[condition, other], ty, &[]),
        (_, Some(true)) => {
            let not = negated(b, condition);
            b.value::<OrIOp>(&[not, then], ty, &[])
        }
        (Some(false), _) => {
            let not = negated(b, condition);
            b.value::<AndIOp>(&[not, other], ty, &[])
        }
        (None, None) => {
            let not = negated(b, condition);
            let first = b.value::<AndIOp>(&[condition, then], ty, &[]);
            let second = b.value::<AndIOp>(&[not, other], ty, &[]);
            b.value::<OrIOp>(&[first, second], ty, &[])
        }
    }
}

/// Whether `condition` does not hold: the opposite comparison, where it is one.
fn negated(b: &mut Builder, condition: Value) -> Value {
    let sides = |ctx: &Context, op: Op| (op.operand(ctx, 0), op.operand(ctx, 1));
    if let Some(c) = condition.def_op().and_then(|op| op.cast::<CmpIOp>(b.ctx))
        && let Some(predicate) = c.predicate(b.ctx)
    {
        let (x, y) = sides(b.ctx, c.op());
        return CmpIOp::build(b, predicate.inverted(), x, y);
    }
    if let Some(c) = condition.def_op().and_then(|op| op.cast::<CmpFOp>(b.ctx))
        && let Some(predicate) = c.predicate(b.ctx)
    {
        let (x, y) = sides(b.ctx, c.op());
        return CmpFOp::build(b, predicate.inverted(), x, y);
    }
    let ty = condition.ty(b.ctx);
    let one = b.ctx.int_attr(ty, 1);
    let one = arith::constant(b, one);
    b.value::<XOrIOp>(&[condition, one], ty, &[])
}

/// Where one way is the other one with something added, or combined in another way that has a
/// neutral element: that added, or the neutral element.
fn sum(b: &mut Builder, condition: Value, then: Value, other: Value) -> Option<Value> {
    let (op, start, adds) = match (added_to(b.ctx, then, other), added_to(b.ctx, other, then)) {
        (Some(op), _) => (op, other, true),
        (_, Some(op)) => (op, then, false),
        _ => return None,
    };
    let kind = kind_of(op.name(b.ctx))?;
    let ty = then.ty(b.ctx);
    let neutral = kind.identity(b.ctx, ty)?;
    let at = usize::from(op.operand(b.ctx, 0) == start);
    let term = op.operand(b.ctx, at);
    let neutral = arith::constant(b, neutral);
    let (x, y) = if adds {
        (term, neutral)
    } else {
        (neutral, term)
    };
    let chosen = b.value::<SelectOp>(&[condition, x, y], ty, &[]);
    op.set_operand(b.ctx, at, chosen);
    // It needs what was chosen, which stands behind it.
    let at = chosen.def_op()?;
    op.move_after(b.ctx, at);
    Some(op.result(b.ctx, 0))
}

/// The op that makes `whole` of `start`, a value that a loop carries, and one other value.
fn added_to(ctx: &Context, whole: Value, start: Value) -> Option<Op> {
    let op = whole.def_op()?;
    kind_of(op.name(ctx))?;
    let one =
        op.num_operands(ctx) == 2 && (op.operand(ctx, 0) == start) != (op.operand(ctx, 1) == start);
    let inside = start
        .arg_block()
        .and_then(|block| block.parent_op(ctx))
        .filter(|l| l.isa::<affine::ForOp>(ctx) || l.isa::<scf::ForOp>(ctx))
        .is_some_and(|l| is_inside(ctx, l, whole));
    (one && inside && whole.has_one_use(ctx)).then_some(op)
}
