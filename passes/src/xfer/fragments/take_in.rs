//! Loads and arithmetic on the host, into the kernels that use what comes of them.

use super::super::summary::Summaries;
use super::cost::is_one_thread;
use super::find::may_write;
use super::make::replace_inside;
use crate::analysis::captured::captured;
use crate::analysis::memory::base;
use crate::analysis::movable::{accessed, can_move};
use rustc_hash::FxHashSet;
use terrace_dialects::gpu;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Context, Op, OpKind, Value};

/// The loads that kernels may do for themselves.
pub(super) struct Loads {
    all: FxHashSet<Op>,
    /// Those of arrays of one element that a kernel leaves a number in, right in front of
    /// the load and nowhere else.
    handed: FxHashSet<Op>,
}

/// Copies into each kernel what it uses of the loads `wanted` and `handed` ([`Loads`]),
/// and drops what the host needs no more. The number of loads of `wanted` that are gone.
pub(super) fn run(ctx: &mut Context, function: Op, wanted: &[Op], handed: &[Op]) -> u64 {
    let loads = Loads {
        all: wanted.iter().chain(handed).copied().collect(),
        handed: handed.iter().copied().collect(),
    };
    if loads.all.is_empty() {
        return 0;
    }
    let mut summaries = Summaries::default();
    for l in function.find_all::<gpu::LaunchOp>(ctx) {
        into(ctx, &mut summaries, l, &loads);
    }
    let gone = drop_unused(ctx, function, &loads);
    wanted.iter().filter(|o| gone.contains(o)).count() as u64
}

/// Whether every use of the load's result, also through arithmetic, is in a kernel that
/// could do the load itself.
pub(super) fn only_for_kernels(ctx: &Context, summaries: &mut Summaries, load: Op) -> bool {
    let mut work = load.results(ctx);
    let mut seen: FxHashSet<Value> = work.iter().copied().collect();
    let mut some = false;
    while let Some(v) = work.pop() {
        for user in v.users(ctx) {
            let launch = user.parent_of::<gpu::LaunchOp>(ctx).map(|l| l.op());
            if let Some(launch) = launch.filter(|l| !l.is_ancestor_of(ctx, load)) {
                some = true;
                if !still_holds(ctx, summaries, load, launch) {
                    return false;
                }
            } else if is_arithmetic(ctx, user) {
                work.extend(user.results(ctx).into_iter().filter(|r| seen.insert(*r)));
            } else {
                return false;
            }
        }
    }
    some
}

/// What a kernel can compute for itself.
fn is_arithmetic(ctx: &Context, op: Op) -> bool {
    op.num_regions(ctx) == 0 && op.num_results(ctx) > 0 && is_pure(ctx, op) && can_move(ctx, op)
}

/// Whether what `load` loads is still there where the launch stands.
fn still_holds(ctx: &Context, summaries: &mut Summaries, load: Op, launch: Op) -> bool {
    let Some(m) = accessed(ctx, load) else {
        return false;
    };
    let root = base(ctx, m);
    let end = load.block(ctx).and_then(|b| launch.ancestor_in(ctx, b));
    let Some(end) = end else { return false };
    let mut at = load.next(ctx);
    while let Some(op) = at {
        // The launch itself reads before it writes only if it is one thread; an op
        // around it may come back to it.
        if op == launch && is_one_thread(ctx, launch) {
            return true;
        }
        if may_write(ctx, summaries, op, root) {
            return false;
        }
        if op == end {
            return true;
        }
        at = op.next(ctx);
    }
    false
}

/// Copies what `launch` captures of the loads, and of arithmetic on them, to the start of
/// its body.
fn into(ctx: &mut Context, summaries: &mut Summaries, launch: gpu::LaunchOp, loads: &Loads) {
    let op = launch.op();
    let inside = |ctx: &Context, v: &Value| {
        let users = v.users(ctx);
        users.iter().any(|u| *u != op && op.is_ancestor_of(ctx, *u))
    };
    let wanted: Vec<Value> = captured(ctx, op)
        .into_iter()
        .filter(|v| !v.ty(ctx).is_memref(ctx) && inside(ctx, v))
        .collect();
    let mut order: Vec<Op> = Vec::new();
    let mut taken: Vec<Value> = Vec::new();
    for v in wanted {
        let mut ops = Vec::new();
        if chain(ctx, summaries, v, op, loads, &mut ops) == Some(true) {
            for o in ops {
                if !order.contains(&o) {
                    order.push(o);
                }
            }
            taken.push(v);
        }
    }
    let body = launch.body(ctx);
    let mut map = IrMapping::new();
    let mut last: Option<Op> = None;
    for o in order {
        let copy = clone_op(ctx, o, &mut map);
        match last {
            Some(m) => copy.insert_after(ctx, m),
            None => body.push_front(ctx, copy),
        }
        last = Some(copy);
    }
    for v in taken {
        if let Some(new) = map.get(v) {
            replace_inside(ctx, op, v, new);
        }
    }
}

/// The most ops that a kernel computes for itself for one number.
const MAX_OPS: usize = 64;

/// Adds to `ops` the definitions that a kernel must have for `v`, each behind those that
/// it uses. Whether one of the loads is among them; `None` where the kernel cannot have
/// them.
fn chain(
    ctx: &Context,
    summaries: &mut Summaries,
    v: Value,
    launch: Op,
    loads: &Loads,
    ops: &mut Vec<Op>,
) -> Option<bool> {
    let Some(op) = v.def_op() else {
        return Some(false);
    };
    if ops.contains(&op) {
        return Some(true);
    }
    if ops.len() >= MAX_OPS {
        return None;
    }
    if loads.all.contains(&op) {
        ops.push(op);
        let holds = loads.handed.contains(&op) || still_holds(ctx, summaries, op, launch);
        return holds.then_some(true);
    }
    if !is_arithmetic(ctx, op) {
        return Some(false);
    }
    let before = ops.len();
    let mut some = false;
    for o in op.operands(ctx) {
        some |= chain(ctx, summaries, o, launch, loads, ops)?;
    }
    if some {
        ops.push(op);
    } else {
        ops.truncate(before);
    }
    Some(some)
}

/// Drops the loads, and arithmetic on them, that nothing uses; returns them.
fn drop_unused(ctx: &mut Context, function: Op, loads: &Loads) -> FxHashSet<Op> {
    let mut host = Vec::new();
    let mut from_loads: FxHashSet<Value> = FxHashSet::default();
    for op in function.pre_order(ctx) {
        let uses = op.operands(ctx).iter().any(|v| from_loads.contains(v));
        if loads.all.contains(&op) || uses && is_arithmetic(ctx, op) {
            from_loads.extend(op.results(ctx));
            host.push(op);
        }
    }
    let mut gone = FxHashSet::default();
    for op in host.into_iter().rev() {
        if !op.has_uses(ctx) {
            gone.insert(op);
            op.erase(ctx);
        }
    }
    gone
}
