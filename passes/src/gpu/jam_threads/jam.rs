//! Several iterations of a parallel loop in one thread, their common loops as one.

use super::policy::Plan;
use crate::gpu::stencils::ROWS;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

/// Threads that keep a device busy where each has several iterations under way: 256 for
/// each of 128 multiprocessors.
const LEAST_THREADS: i64 = 128 * 256;
/// Threads of a block along the loop.
const BLOCK: i64 = 128;

/// Do what `plan` says.
///
/// ```text
/// scf.parallel (%i) = ... step (1) {      scf.parallel (%i) = ... step (4) {
///   body(%i)                        =>      scf.if %i + 3 < %n {
/// }                                           body(%i), ..., body(%i + 3), jammed
///                                           } else {
///                                             scf.for %k = %i to %n { body(%k) }
///                                           }
///                                         }
/// ```
pub(super) fn jam(ctx: &mut Context, plan: &Plan) {
    let root = plan.root.op();
    let mut body = plan.root.body(ctx).ops(ctx);
    let Some(end) = body.pop() else { return };
    let block = ctx.i64_array(&[BLOCK, 1, 1]);
    root.set_attr(ctx, crate::gpu::stencils::BLOCK, block);
    let mut b = Builder::before(ctx, root);
    let step = step(&mut b, plan);
    root.set_operand(b.ctx, 2, step);

    b.at = InsertPoint::Before(end);
    let index = b.ctx.index();
    let next = b.value::<arith::AddIOp>(&[plan.iv, step], index, &[]);
    let stop = b.value::<arith::MinSIOp>(&[plan.upper, next], index, &[]);
    let ahead = arith::constant_index(&mut b, plan.iterations - 1);
    let last = b.value::<arith::AddIOp>(&[plan.iv, ahead], index, &[]);
    let full = arith::CmpIOp::build(&mut b, CmpIPredicate::Slt, last, stop);
    let (ways, all, some) = scf::IfOp::build(&mut b, full, &[], true);
    let rows = b.ctx.i64_attr(plan.iterations);
    ways.op().set_attr(b.ctx, ROWS, rows);
    b.at = InsertPoint::End(all);
    copies(&mut b, plan, &body);
    scf::YieldOp::build(&mut b, &[]);
    if let Some(some) = some {
        b.at = InsertPoint::End(some);
        let one = arith::constant_index(&mut b, 1);
        scf::ForOp::build_with(&mut b, (plan.iv, stop, one), &[], |b, k, _| {
            let mut map = IrMapping::new();
            map.map(plan.iv, k);
            for op in &body {
                let copy = clone_op(b.ctx, *op, &mut map);
                b.insert(copy);
            }
            Vec::new()
        });
        scf::YieldOp::build(&mut b, &[]);
    }
    for op in body.iter().rev() {
        op.erase(b.ctx);
    }
}

/// The step of the loop, computed in front of it: one iteration a thread where there would
/// be too few threads.
fn step(b: &mut Builder, plan: &Plan) -> Value {
    let index = b.ctx.index();
    let trips = b.value::<arith::SubIOp>(&[plan.upper, plan.lower], index, &[]);
    let least = arith::constant_index(b, plan.iterations * LEAST_THREADS);
    let many = arith::CmpIOp::build(b, CmpIPredicate::Sge, trips, least);
    let several = arith::constant_index(b, plan.iterations);
    let one = arith::constant_index(b, 1);
    arith::SelectOp::build(b, many, several, one)
}

/// The iterations of one thread at the builder's place.
fn copies(b: &mut Builder, plan: &Plan, body: &[Op]) {
    let index = b.ctx.index();
    let mut maps = vec![IrMapping::new()];
    for k in 1..plan.iterations {
        let ahead = arith::constant_index(b, k);
        let iv = b.value::<arith::AddIOp>(&[plan.iv, ahead], index, &[]);
        let mut map = IrMapping::new();
        map.map(plan.iv, iv);
        maps.push(map);
    }
    for op in body {
        match plan.shared.iter().find(|l| l.op() == *op) {
            Some(l) => fused(b, *l, &mut maps),
            None => each(b, *op, &mut maps, is_pure(b.ctx, *op)),
        }
    }
}

/// One loop that does an iteration of all of them.
fn fused(b: &mut Builder, l: scf::ForOp, maps: &mut [IrMapping]) {
    let Some(first) = maps.first() else { return };
    let at = |v: Value| first.value(v);
    let bounds = (
        at(l.lower_bound(b.ctx)),
        at(l.upper_bound(b.ctx)),
        at(l.step(b.ctx)),
    );
    let (inits, args) = (l.init_args(b.ctx), l.iter_args(b.ctx));
    let iv = l.induction_var(b.ctx);
    let all = |maps: &[IrMapping], values: &[Value]| -> Vec<Value> {
        let of = |m: &IrMapping| values.iter().map(|v| m.value(*v)).collect::<Vec<_>>();
        maps.iter().flat_map(of).collect()
    };
    let starts = all(maps, &inits);
    let mut inside = maps.to_vec();
    let yielded = l.yielded(b.ctx);
    let mut ops = l.body(b.ctx).ops(b.ctx);
    ops.pop();
    let op = scf::ForOp::build_with(b, bounds, &starts, |b, counter, carried| {
        for (k, map) in inside.iter_mut().enumerate() {
            map.map(iv, counter);
            map.map_all(&args, &carried[k * args.len()..]);
        }
        for op in ops {
            each(b, op, &mut inside, true);
        }
        all(&inside, &yielded)
    });
    let results = l.op().results(b.ctx);
    let given = op.op().results(b.ctx);
    for (k, map) in maps.iter_mut().enumerate() {
        map.map_all(&results, &given[k * results.len()..]);
    }
}

/// A copy of `op` for each iteration; where it `may_serve_all`, one for those for which it
/// is of the same values.
fn each(b: &mut Builder, op: Op, maps: &mut [IrMapping], may_serve_all: bool) {
    for k in 0..maps.len() {
        let (before, here) = maps.split_at_mut(k);
        let Some(here) = here.first_mut() else { return };
        if let Some(before) = before
            .last()
            .filter(|_| may_serve_all && op.num_regions(b.ctx) == 0)
        {
            let same = |v: &Value| before.value(*v) == here.value(*v);
            if op.operands(b.ctx).iter().all(same) {
                for r in op.results(b.ctx) {
                    here.map(r, before.value(r));
                }
                continue;
            }
        }
        let copy = clone_op(b.ctx, op, here);
        b.insert(copy);
    }
}
