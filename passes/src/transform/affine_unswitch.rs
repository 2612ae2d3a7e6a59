//! `affine-unswitch`: a condition that all iterations of a loop share is asked once.
//!
//! ```text
//! affine.for %j = 0 to %n {             scf.if %c {
//!   scf.if %c {                           affine.for %j = 0 to %n {
//!     a(%j)                                 a(%j)
//!   }                             =>        b(%j)
//!   b(%j)                                 }
//! }                                     } else {
//!                                         affine.for %j = 0 to %n {
//!                                           b(%j)
//!                                         }
//!                                       }
//! ```
//!
//! In the loop it would be asked in each iteration, and what runs under it could neither move out
//! nor run in vectors. Small loops only: there are two of them then. Innermost ones, or with
//! `around` those around them.

use terrace_dialects::affine::{self, ForOp};
use terrace_dialects::attributes::LOOP_LEFT_OVER;
use terrace_dialects::{func, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

use crate::analysis::bounds::constant_trip_count;
use crate::analysis::captured::is_inside;
use crate::loops::splice::take_way;

/// How many conditions are asked in front of one loop, one after the other.
const MAX_DEPTH: u32 = 2;

/// A loop that runs no more often is as quick as the condition.
const FEW: u64 = 3;

pub static INFO: PassInfo = PassInfo {
    name: "affine-unswitch",
    title: "AffineUnswitch",
    summary: "Ask conditions that no iteration changes in front of affine loops",
    description: "Puts scf.if and affine.if ops out of innermost affine.for ops, or those around them, where their condition is the same in all iterations. There is a loop for each way then.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new("max-ops", OptionKind::UInt, "96", "Ops of a loop, at most"),
        OptionInfo::flag("around", "Take loops around innermost ones, and no others"),
    ],
    statistics: &[StatisticInfo::new(
        "num-conditions",
        "Number of conditions that are asked in front of a loop",
    )],
    make: |o| {
        Ok(Box::new(Unswitch {
            max_ops: o.uint("max-ops"),
            around: o.bool("around"),
        }))
    },
};

struct Unswitch {
    max_ops: u64,
    around: bool,
}

impl Pass for Unswitch {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut loops = function.find_all::<ForOp>(ctx);
        loops.retain(|l| (l.op().find_all::<ForOp>(ctx).len() == 1) != self.around);
        // Those inside come first: what leaves them is in the loop around then.
        let mut open: Vec<(ForOp, u32)> = loops.into_iter().map(|l| (l, 0)).collect();
        while let Some((l, depth)) = open.pop() {
            let few = constant_trip_count(ctx, l).is_some_and(|n| n <= FEW);
            let large = l.op().pre_order(ctx).len() as u64 > self.max_ops;
            if depth == MAX_DEPTH || few || large || l.op().attr(ctx, LOOP_LEFT_OVER).is_some() {
                continue;
            }
            if let Some(condition) = shared_condition(ctx, l) {
                let ways = unswitch(ctx, l, condition);
                open.extend(ways.map(|way| (way, depth + 1)));
                ctx.count("num-conditions", 1);
            }
        }
        Ok(())
    }
}

/// A condition in the body of `l` that is the same in all iterations.
fn shared_condition(ctx: &Context, l: ForOp) -> Option<Op> {
    let outside = |v: Value| !is_inside(ctx, l.op(), v);
    l.body(ctx).ops(ctx).into_iter().find(|op| {
        if let Some(i) = op.cast::<scf::IfOp>(ctx) {
            return outside(i.condition(ctx));
        }
        op.cast::<affine::IfOp>(ctx)
            .is_some_and(|i| i.composed(ctx).1.into_iter().all(outside))
    })
}

/// Whether two ops ask the same.
fn is_same_condition(ctx: &Context, a: Op, b: Op) -> bool {
    if let (Some(a), Some(b)) = (a.cast::<scf::IfOp>(ctx), b.cast::<scf::IfOp>(ctx)) {
        return a.condition(ctx) == b.condition(ctx);
    }
    match (a.cast::<affine::IfOp>(ctx), b.cast::<affine::IfOp>(ctx)) {
        (Some(a), Some(b)) => a.composed(ctx) == b.composed(ctx),
        _ => false,
    }
}

/// Puts `condition` around two copies of `l` in the place of it; these.
fn unswitch(ctx: &mut Context, l: ForOp, condition: Op) -> [ForOp; 2] {
    let all = l.body(ctx).ops(ctx);
    let places: Vec<usize> = (0..all.len())
        .filter(|i| is_same_condition(ctx, condition, all[*i]))
        .collect();
    let types = l.op().result_types(ctx);
    let mut b = Builder::before(ctx, l.op());
    b.loc = condition.loc(b.ctx);
    let (around, blocks) = if let Some(i) = condition.cast::<affine::IfOp>(b.ctx) {
        let (set, operands) = i.composed(b.ctx);
        let set = b.ctx.set_attr(set);
        let s = b.state::<affine::IfOp>();
        let mut s = s.operands(&operands).results(&types).regions(2);
        s.set_attr(b.ctx, "condition", set);
        let op = b.create(s);
        let block = |b: &mut Builder, i| op.region(b.ctx, i).add_block(b.ctx, &[]);
        (op, [block(&mut b, 0), block(&mut b, 1)])
    } else {
        let holds = condition.operand(b.ctx, 0);
        let (op, then, otherwise) = scf::IfOp::build(&mut b, holds, &types, true);
        (op.op(), [then, otherwise.unwrap_or(then)])
    };
    let is_affine = around.isa::<affine::IfOp>(b.ctx);
    let ways = [0, 1].map(|way| {
        let copy = clone_op(b.ctx, l.op(), &mut IrMapping::new());
        let results = copy.results(b.ctx);
        b.with_point(InsertPoint::End(blocks[way]), |b| {
            b.insert(copy);
            match is_affine {
                true => b.op::<affine::YieldOp>(&results, &[], &[]),
                false => b.op::<scf::YieldOp>(&results, &[], &[]),
            };
        });
        let copy = ForOp::wrap(copy);
        let ops = copy.body(b.ctx).ops(b.ctx);
        for inside in places.iter().filter_map(|at| ops.get(*at).copied()) {
            let taken: Option<Block> = inside.region(b.ctx, way).entry(b.ctx);
            take_way(b.ctx, inside, taken);
        }
        copy
    });
    let results = around.results(ctx);
    l.op().replace(ctx, &results);
    ways
}
