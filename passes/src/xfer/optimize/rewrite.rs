//! Copies and marks taken out of a function, and put where they were placed.

use super::super::arrays::{Array, Side, is_on_device};
use super::super::flow::Flow;
use super::Made;
use super::placement::{Placed, Step};
use crate::analysis::memory::base;
use terrace_dialects::xfer;
use terrace_ir::{Builder, Context, Op};

/// Takes out the copies, and what the flags were told.
pub(super) fn take_out(ctx: &mut Context, function: Op, arrays: &[Array]) {
    for op in function.pre_order(ctx) {
        let copy = op.cast::<xfer::CopyOp>(ctx);
        let ours = copy.is_some_and(|c| !is_on_device(ctx, c))
            || op.isa::<xfer::EnsureOp>(ctx)
            || op.isa::<xfer::MarkWrittenOp>(ctx);
        if ours {
            let roots: Vec<_> = op.operands(ctx).iter().map(|v| base(ctx, *v)).collect();
            if arrays.iter().any(|a| roots.contains(&a.mirror)) {
                op.erase(ctx);
            }
        }
    }
}

pub(super) fn emit(ctx: &mut Context, flow: &Flow, a: Array, placed: &Placed, made: &mut Made) {
    for (i, steps) in placed.steps.iter().enumerate() {
        for step in steps {
            let place = flow.nodes[i].place;
            let mut b = place.builder(ctx);
            match step {
                Step::Copy(Side::Device) => {
                    xfer::CopyOp::build(&mut b, a.host, a.mirror);
                    made.copies += 1;
                }
                Step::Copy(Side::Host) => {
                    xfer::CopyOp::build(&mut b, a.mirror, a.host);
                    made.copies += 1;
                }
                Step::Ensure(side) => {
                    xfer::EnsureOp::build(&mut b, a.host, a.mirror, *side);
                    made.ensures += 1;
                }
            }
        }
    }
    for (i, side) in &placed.marks {
        if let Some(op) = flow.nodes[*i].op {
            let mut b = Builder::after(ctx, op);
            xfer::MarkWrittenOp::build(&mut b, a.host, a.mirror, *side);
        }
    }
}
