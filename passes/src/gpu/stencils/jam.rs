//! Several iterations in one thread, jammed: each op of the body for all of them before the
//! next op.
//!
//! Legal since the iterations may run at once: what one stores no other loads, so loads of
//! all of them may stand in front of the stores of any, and an element that two of them
//! load is loaded once. Within an iteration the order stays.

use super::nest::GridNest;
use super::policy::Rows;
use super::reuse::Element;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::attributes::GPU_ROWS;
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Do what `plan` says.
///
/// ```text
/// scf.parallel (%i, %j) = ... step (1, 1) {    scf.parallel (%i, %j) = ... step (8, 1) {
///   body(%i, %j)                            =>   scf.if %i + 7 < %n {
/// }                                                body(%i, %j), ..., body(%i + 7, %j), jammed
///                                                } else {
///                                                  scf.for %k = %i to %n { body(%k, %j) }
///                                                }
///                                              }
/// ```
pub(super) fn jam(ctx: &mut Context, nest: &GridNest, plan: &Rows) {
    let level = nest.levels[plan.level];
    let moving = moving(ctx, nest, level.iv);
    let (step, varies) = step(ctx, nest, plan);
    let loops = level.op.num_loops(ctx);
    let operand = 2 * loops + level.position;
    level.op.op().set_operand(ctx, operand, step);

    let Some(end) = nest.block.last_op(ctx) else {
        return;
    };
    let mut b = Builder::before(ctx, end);
    let index = b.ctx.index();
    if let Some(inside) = begin_earlier(&mut b, nest, plan) {
        let (_, body, _) = scf::IfOp::build(&mut b, inside, &[], false);
        b.at = InsertPoint::End(body);
        let end = scf::YieldOp::build(&mut b, &[]);
        b.at = InsertPoint::Before(end);
    }
    if plan.rows == 1 {
        copies(&mut b, nest, plan, &moving);
    } else {
        // Where chunks are of one iteration the second way is taken.
        let stop = match varies {
            false => level.upper,
            true => {
                let next = b.value::<arith::AddIOp>(&[level.iv, step], index, &[]);
                b.value::<arith::MinSIOp>(&[level.upper, next], index, &[])
            }
        };
        let ahead = arith::constant_index(&mut b, plan.rows - 1);
        let last = b.value::<arith::AddIOp>(&[level.iv, ahead], index, &[]);
        let full = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, last, stop);
        let (ways, all, some) = scf::IfOp::build(&mut b, full, &[], true);
        let rows = b.ctx.i64_attr(plan.rows);
        ways.op().set_attr(b.ctx, GPU_ROWS, rows);
        b.at = InsertPoint::End(all);
        copies(&mut b, nest, plan, &moving);
        scf::YieldOp::build(&mut b, &[]);
        if let Some(some) = some {
            b.at = InsertPoint::End(some);
            let one = arith::constant_index(&mut b, 1);
            let (_, body) = scf::ForOp::build(&mut b, level.iv, stop, one, &[]);
            b.at = InsertPoint::End(body);
            let mut map = IrMapping::new();
            let counter = body.arg(b.ctx, 0);
            map.map(level.iv, counter);
            for op in moving.iter().chain(&nest.body) {
                let copy = clone_op(b.ctx, *op, &mut map);
                b.insert(copy);
            }
            scf::YieldOp::build(&mut b, &[]);
            b.at = InsertPoint::End(some);
            scf::YieldOp::build(&mut b, &[]);
        }
    }
    for op in nest.body.iter().rev() {
        op.erase(b.ctx);
    }
}

/// Let the innermost loop begin earlier, so that warps are aligned; gives the condition under
/// which there is an iteration.
fn begin_earlier(b: &mut Builder, nest: &GridNest, plan: &Rows) -> Option<Value> {
    let x = nest.x().filter(|_| plan.idle > 0)?;
    let lower = b.ctx.constant_int(x.lower)?;
    let earlier = b.with_point(InsertPoint::Before(nest.root.op()), |b| {
        arith::constant_index(b, lower - plan.idle)
    });
    x.op.op().set_operand(b.ctx, x.position, earlier);
    Some(arith::CmpIOp::build(b, CmpIPredicate::Sge, x.iv, x.lower))
}

/// The pure ops between the loops that change with `iv`.
fn moving(ctx: &Context, nest: &GridNest, iv: Value) -> Vec<Op> {
    let mut values: FxHashSet<Value> = FxHashSet::default();
    values.insert(iv);
    let mut out = Vec::new();
    for op in &nest.between {
        if op.operands(ctx).iter().any(|v| values.contains(v)) {
            values.extend(op.results(ctx));
            out.push(*op);
        }
    }
    out
}

/// The step of the loop, computed in front of the nest, and whether it is known only
/// there: one iteration a thread where there would be too few threads.
fn step(ctx: &mut Context, nest: &GridNest, plan: &Rows) -> (Value, bool) {
    let mut b = Builder::before(ctx, nest.root.op());
    let rows = arith::constant_index(&mut b, plan.rows);
    let Some(least) = plan.least_iterations else {
        return (rows, false);
    };
    let index = b.ctx.index();
    let mut total: Option<Value> = None;
    for l in &nest.levels {
        let n = match (b.ctx.constant_int(l.lower), l.trips(b.ctx)) {
            (_, Some(n)) => arith::constant_index(&mut b, n),
            (Some(0), _) => l.upper,
            _ => b.value::<arith::SubIOp>(&[l.upper, l.lower], index, &[]),
        };
        total = Some(match total {
            None => n,
            Some(t) => b.value::<arith::MulIOp>(&[t, n], index, &[]),
        });
    }
    let Some(total) = total else {
        return (rows, false);
    };
    let one = arith::constant_index(&mut b, 1);
    let least = arith::constant_index(&mut b, least);
    let many = arith::CmpIOp::build(&mut b, CmpIPredicate::Sge, total, least);
    let step = b.value::<arith::SelectOp>(&[many, rows, one], index, &[]);
    (step, true)
}

/// `plan.rows` copies of the body at the builder's place.
fn copies(b: &mut Builder, nest: &GridNest, plan: &Rows, moving: &[Op]) {
    let level = nest.levels[plan.level];
    let index = b.ctx.index();
    let mut maps: Vec<IrMapping> = Vec::new();
    for k in 0..plan.rows {
        let mut map = IrMapping::new();
        if k > 0 {
            let ahead = arith::constant_index(b, k);
            let iv = b.value::<arith::AddIOp>(&[level.iv, ahead], index, &[]);
            map.map(level.iv, iv);
        }
        maps.push(map);
    }
    // What was loaded, and by which copy.
    let mut loaded: FxHashMap<Element, (usize, Value)> = FxHashMap::default();
    for op in moving.iter().chain(&nest.body) {
        let position = nest.accesses.iter().position(|a| a.op == *op);
        let access = position.map(|p| &nest.accesses[p]);
        let repeatable = access.is_none();
        for k in 0..maps.len() {
            let element = access
                .filter(|a| !a.writes)
                .and_then(|a| a.element(&level, k as i64));
            // What the copy itself loaded it may have written since.
            let known = element.as_ref().and_then(|e| loaded.get(e));
            if let Some((_, v)) = known.filter(|(by, _)| *by != k) {
                let v = *v;
                maps[k].map(op.result(b.ctx, 0), v);
                continue;
            }
            if repeatable && k > 0 {
                let (before, here) = maps.split_at_mut(k);
                let (before, here) = (&before[k - 1], &mut here[0]);
                let same = |v: &Value| before.value(*v) == here.value(*v);
                if op.operands(b.ctx).iter().all(same) {
                    for r in op.results(b.ctx) {
                        here.map(r, before.value(r));
                    }
                    continue;
                }
            }
            let copy = clone_op(b.ctx, *op, &mut maps[k]);
            b.insert(copy);
            if position.is_some_and(|p| plan.streamed.contains(&p)) {
                let yes = b.ctx.bool_attr(true);
                copy.set_attr(b.ctx, "nontemporal", yes);
            }
            if let Some(e) = element {
                loaded.insert(e, (k, copy.result(b.ctx, 0)));
            }
        }
    }
}
