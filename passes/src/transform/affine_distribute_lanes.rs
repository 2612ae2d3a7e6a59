//! `affine-distribute-lanes`: what of an innermost loop can run in vectors gets a loop of its own.
//!
//! ```text
//! affine.for %j = 0 to %n {                    affine.for %j = 0 to %n {
//!   a[%j] = sqrt(b[%j] * c[%j])                  a[%j] = sqrt(b[%j] * c[%j])      in vectors
//!   x[%j + 1] = x[%j] * a[%j]           =>     }
//! }                                            affine.for %j = 0 to %n {
//!                                                x[%j + 1] = x[%j] * a[%j]        in order
//!                                              }
//! ```
//!
//! The row that both loops go along is in the nearest cache still. The parts are the strongly
//! connected components of the loop's dependences, in an order that these allow (R. Allen, K. Kennedy,
//! "Automatic translation of FORTRAN programs to vector form", 1987); neighbours of the same kind
//! stay together.

use crate::loops::distribute::{distribute, independent_parts, statements};
use crate::transform::affine_vectorize_innermost::runs_in_vectors;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, YieldOp};
use terrace_dialects::{arith, func, math};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-distribute-lanes",
    title: "AffineDistributeLanes",
    summary: "Take apart innermost affine loops of which only a part can run in vectors",
    description: "Distributes innermost affine.for ops that cannot run in vectors into loops that can and loops that cannot, where those that can compute enough.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops taken apart",
    )],
    make: |_| Ok(Box::new(DistributeLanes)),
    ..PassInfo::EMPTY
};

/// The loops that one loop becomes, at most.
const MOST_LOOPS: usize = 4;
/// Operations in vectors, at least: a second loop loads again what the first one had in registers.
const ENOUGH: u32 = 4;
/// Statements of a loop, at most.
const MOST_STATEMENTS: usize = 24;

struct DistributeLanes;

impl Pass for DistributeLanes {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1);
        for l in loops {
            if take_apart(ctx, l) {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

fn take_apart(ctx: &mut Context, l: ForOp) -> bool {
    if l.op().num_results(ctx) > 0 || runs_in_vectors(ctx, l) {
        return false;
    }
    let smallest = statements(ctx, l);
    if smallest.len() < 2 || smallest.len() > MOST_STATEMENTS {
        return false;
    }
    let parts = independent_parts(ctx, l, &smallest);
    if parts.len() < 2 {
        return false;
    }
    // Parts go into the group before where that stays of its kind: two that could run in vectors
    // apart may not together.
    let mut groups: Vec<(bool, Vec<Op>)> = Vec::new();
    for part in parts {
        let vectors = would_run_in_vectors(ctx, l, &part);
        if let Some(last) = groups.last_mut().filter(|g| g.0 == vectors) {
            let both = [last.1.clone(), part.clone()].concat();
            if !vectors || would_run_in_vectors(ctx, l, &both) {
                last.1 = both;
                continue;
            }
        }
        groups.push((vectors, part));
    }
    let all = 2..=MOST_LOOPS;
    if !all.contains(&groups.len()) || !groups.iter().any(|g| g.0) {
        return false;
    }
    let groups: Vec<Vec<Op>> = groups.into_iter().map(|g| g.1).collect();
    distribute(ctx, l, &groups).is_ok()
}

/// Whether a loop of this part of the body of `l` would run in vectors, and computes enough to pay.
fn would_run_in_vectors(ctx: &mut Context, l: ForOp, part: &[Op]) -> bool {
    let body = l.body(ctx).ops(ctx);
    let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
    copy.insert_after(ctx, l.op());
    let copied = ForOp::wrap(copy);
    let copies = copied.body(ctx).ops(ctx);
    let of_part = |wanted: bool| {
        let pairs = body.iter().zip(&copies);
        let chosen = pairs.filter(|(op, _)| part.contains(op) == wanted);
        chosen.map(|(_, copy)| *copy).collect::<Vec<Op>>()
    };
    let mut parts = vec![of_part(true), of_part(false)];
    parts[1].retain(|op| !op.isa::<YieldOp>(ctx));
    let Ok(loops) = distribute(ctx, copied, &parts) else {
        copy.erase(ctx);
        return false;
    };
    let pays = loops
        .first()
        .is_some_and(|l| runs_in_vectors(ctx, *l) && operations(ctx, *l) >= ENOUGH);
    for l in loops {
        l.op().erase(ctx);
    }
    pays
}

/// What an iteration computes, in operations of one step.
fn operations(ctx: &Context, l: ForOp) -> u32 {
    let mut sum = 0;
    l.op().walk(ctx, &mut |op| {
        let free = op.isa::<ForOp>(ctx)
            || op.isa::<YieldOp>(ctx)
            || op.isa::<ApplyOp>(ctx)
            || op.isa::<arith::ConstantOp>(ctx)
            || Access::of(ctx, op).is_some();
        let slow = op.isa::<arith::DivFOp>(ctx) || op.isa::<math::SqrtOp>(ctx);
        sum += match (free, slow) {
            (true, _) => 0,
            (false, true) => 4,
            (false, false) => 1,
        };
    });
    sum
}
