//! `offload-registers`: what a thread uses again and again stays in its registers.
//!
//! - A load under a condition of what was loaded in front of the condition is that value:
//!   `a[i] >= x ? a[i] : x` loads `a[i]` once. Legal where nothing writes in between, nor
//!   under the condition.
//! - The innermost loops of threads keep elements in values that they carry
//!   ([`crate::loops::promote`]); with `rotate=false` only those that are the same
//!   in all iterations. Where an array is read and written in one
//!   loop only subscripts tell that the elements are different ones, which nobody sees any
//!   more once they are addresses.
//!
//! ```text
//! affine.parallel (%i) {                       affine.parallel (%i) {
//!                                                %0 = affine.load %a[%i, %j]
//!   affine.for %k {                              %r = affine.for %k iter_args(%v = %0) {
//!     %1 = affine.load %a[%i, %j]
//!     %c = arith.cmpi sge, %1, %x                  %c = arith.cmpi sge, %v, %x
//!     %2 = scf.if %c {                             %2 = scf.if %c {
//!       %3 = affine.load %a[%i, %j]     =>
//!       scf.yield %3                                 scf.yield %v
//!     } else { scf.yield %x }                      } else { scf.yield %x }
//!     affine.store %2, %a[%i, %j]                  affine.yield %2
//!   }                                            }
//!                                                affine.store %r, %a[%i, %j]
//! }                                            }
//! ```

use terrace_dialects::affine::{Access, ForOp, LoadOp, ParallelOp};
use terrace_dialects::{affine, func, scf};
use terrace_ir::effects::effects;
use terrace_ir::opdef::EffectKind;
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Context, Op, OpKind};

use crate::loops::promote::{Kept, promote};

pub static INFO: PassInfo = PassInfo {
    name: "offload-registers",
    title: "OffloadRegisters",
    summary: "Keep elements of arrays in registers along the loops of threads",
    description: "In affine.parallel: loads under conditions of what was loaded before become that value, and innermost affine loops carry elements that they use again.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::new(
        "rotate",
        OptionKind::Bool,
        "true",
        "Hand on what later iterations use again, too",
    )],
    statistics: &[
        StatisticInfo::new(
            "num-loads",
            "Number of loads under conditions that are a value from before",
        ),
        StatisticInfo::new("num-loops", "Number of loops that carry elements"),
    ],
    make: |o| {
        Ok(Box::new(Registers {
            kept: Kept::with(o.bool("rotate")),
        }))
    },
};

struct Registers {
    kept: Kept,
}

impl Pass for Registers {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut loads = 0;
        let mut conditions = op.pre_order(ctx);
        conditions.retain(|c| {
            matches!(c.name(ctx), scf::IfOp::NAME | affine::IfOp::NAME) && is_in_thread(ctx, *c)
        });
        for c in conditions {
            loads += forward_into(ctx, c);
        }
        let mut loops = op.find_all::<ForOp>(ctx);
        loops.retain(|l| l.op().find_all::<ForOp>(ctx).len() == 1 && is_in_thread(ctx, l.op()));
        let kept = loops
            .into_iter()
            .filter(|l| promote(ctx, *l, None, self.kept).is_ok());
        let kept = kept.count() as u64;
        ctx.count("num-loads", loads);
        ctx.count("num-loops", kept);
        Ok(())
    }
}

fn is_in_thread(ctx: &Context, op: Op) -> bool {
    op.parent_of::<ParallelOp>(ctx).is_some()
}

/// Whether an op writes nothing, nor frees it.
fn only_reads(ctx: &Context, op: Op) -> bool {
    let changes = |k: EffectKind| matches!(k, EffectKind::Write | EffectKind::Free);
    effects(ctx, op).is_some_and(|all| !all.iter().any(|e| changes(e.kind)))
}

/// Replaces the loads under a condition of what was loaded in front of it in its block; how
/// many.
fn forward_into(ctx: &mut Context, condition: Op) -> u64 {
    if !only_reads(ctx, condition) {
        return 0;
    }
    let mut before: Vec<Access> = Vec::new();
    let mut at = condition.prev(ctx);
    while let Some(op) = at.filter(|o| only_reads(ctx, *o)) {
        if op.isa::<LoadOp>(ctx) {
            before.extend(Access::of(ctx, op));
        }
        at = op.prev(ctx);
    }
    let mut done = 0;
    for op in condition.pre_order(ctx) {
        let Some(load) = Access::of(ctx, op).filter(|_| op.isa::<LoadOp>(ctx)) else {
            continue;
        };
        let c = load.composed(ctx);
        let same = before.iter().find(|b| {
            let d = b.composed(ctx);
            b.memref == load.memref && c.map == d.map && c.operands == d.operands
        });
        if let Some(b) = same {
            let value = b.op.result(ctx, 0);
            op.replace(ctx, &[value]);
            done += 1;
        }
    }
    done
}
