//! Extrema in subscripts, which keep an index within an array: another linear form from one
//! iteration on.
//!
//! ```text
//! affine.for %i = 0 to %n {                  affine.for %i = 0 to %n - 1 {
//!   %k = arith.addi %i, %c1                    memref.load %a[%i + 1]
//!   %r = arith.minsi %k, %last       =>      }
//!   memref.load %a[%r]                       affine.for %i = %n - 1 to %n {
//! }                                            memref.load %a[%last]
//!                                            }
//! ```

use super::changes;
use crate::analysis::dependence::Program;
use crate::analysis::linear::Linear;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::memref;
use terrace_ir::{Context, Op, OpKind, Value};

/// How many ops stand between an extremum and a subscript that it is in, at most.
const MAX_DEPTH: u32 = 8;

/// Whether subscripts in the loop are made of extrema.
pub fn are_asked(ctx: &Context, l: ForOp) -> bool {
    !all(ctx, l).is_empty()
}

fn all(ctx: &Context, l: ForOp) -> Vec<Op> {
    let mut found = l.op().pre_order(ctx);
    found.retain(|op| {
        matches!(op.name(ctx), arith::MinSIOp::NAME | arith::MaxSIOp::NAME)
            && is_in_subscript(ctx, op.result(ctx, 0), MAX_DEPTH)
    });
    found
}

fn is_in_subscript(ctx: &Context, v: Value, depth: u32) -> bool {
    let mut uses = v.uses(ctx).into_iter();
    uses.any(|u| match u.op.name(ctx) {
        memref::LoadOp::NAME => u.index > 0,
        memref::StoreOp::NAME => u.index > 1,
        arith::AddIOp::NAME
        | arith::SubIOp::NAME
        | arith::MulIOp::NAME
        | arith::IndexCastOp::NAME
        | arith::ExtSIOp::NAME
        | arith::ExtUIOp::NAME
        | arith::MinSIOp::NAME
        | arith::MaxSIOp::NAME
        | arith::SelectOp::NAME => {
            depth > 0 && is_in_subscript(ctx, u.op.result(ctx, 0), depth - 1)
        }
        _ => false,
    })
}

/// What extrema say about a part of a loop.
#[derive(Default)]
pub struct Extrema {
    /// How many were one of their operands in all iterations.
    pub settled: u64,
    /// The values of its variable from which on others are another operand.
    pub points: Vec<Linear>,
}

/// Replaces the extrema that are one of their operands in all iterations of this part of a loop.
pub fn settle(ctx: &mut Context, program: &mut Program, part: ForOp) -> Extrema {
    let (mut settled, mut points) = (Vec::new(), Vec::new());
    for op in all(ctx, part) {
        let [a, b] = [op.operand(ctx, 0), op.operand(ctx, 1)];
        let predicate = match op.isa::<arith::MinSIOp>(ctx) {
            true => CmpIPredicate::Sle,
            false => CmpIPredicate::Sge,
        };
        let Some(first) = program.compared(ctx, op, (predicate, a, (1, b))) else {
            continue;
        };
        match first.always {
            Some(is_first) => settled.push((op, if is_first { a } else { b })),
            None => points.extend(changes(ctx, program, part, op, &first)),
        }
    }
    let count = settled.len() as u64;
    for (op, v) in settled {
        op.replace(ctx, &[v]);
    }
    Extrema {
        settled: count,
        points,
    }
}
