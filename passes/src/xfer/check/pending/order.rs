//! What an op comes after, by its tokens and its queues.

use terrace_dialects::gpu;
use terrace_dialects::memref;
use terrace_dialects::xfer;
use terrace_dialects::xfer::{CopyOp, PrefetchOp};
use terrace_ir::{Context, Op, OpKind, Value};

/// What stands for the completion of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Handle {
    Token(Value),
    Queue(i64),
}

/// What an op waits for, or comes after.
#[derive(Debug, Clone, Default)]
pub(in crate::xfer::check) struct By {
    pub(super) handles: Vec<Handle>,
    pub(super) all: bool,
    /// Why some of it is not followed.
    pub(super) lost: Option<(Op, &'static str)>,
}

/// Whether an op gives a token for its completion.
pub(in crate::xfer::check) fn has_token(ctx: &Context, op: Op) -> bool {
    let token = gpu::async_token(ctx);
    op.result_types(ctx).contains(&token)
}

/// The queue that an op is put on, or that waits by it.
pub(super) fn queue_of(ctx: &Context, op: Op) -> Option<Value> {
    match op.name(ctx) {
        CopyOp::NAME => CopyOp::wrap(op).order(ctx).queue,
        PrefetchOp::NAME => PrefetchOp::wrap(op).order(ctx).queue,
        _ => op.operand_group(ctx, "onQueue").first().copied(),
    }
}

/// What an op comes after.
pub(super) fn order(ctx: &Context, op: Op) -> By {
    let mut by = By::default();
    if !matches!(op.dialect(ctx), "xfer" | "gpu") {
        return by;
    }
    let token = gpu::async_token(ctx);
    let wait = matches!(op.name(ctx), xfer::WaitOp::NAME | gpu::WaitOp::NAME);
    for v in op.operands(ctx) {
        if v.ty(ctx) != token {
            continue;
        }
        by.handles.push(Handle::Token(v));
        if !is_followed(ctx, v) {
            by.lost = Some((op, "its token comes from where it is not followed"));
        }
    }
    let queues = match wait {
        true => op.operand_group(ctx, "queues"),
        false => queue_of(ctx, op).into_iter().collect(),
    };
    for q in queues {
        match ctx.constant_int(q) {
            Some(n) => by.handles.push(Handle::Queue(n)),
            None => by.lost = Some((op, "its queue has a number that is not constant")),
        }
    }
    let tokenless = op.num_operands(ctx) == 0 && !has_token(ctx, op);
    by.all = wait && (op.attr(ctx, "all").is_some() || tokenless);
    by
}

/// Whether it is known at each point what a token stands for.
fn is_followed(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(op) => {
            matches!(op.dialect(ctx), "xfer" | "gpu" | "scf" | "affine")
                || op.name(ctx) == memref::AllocaScopeOp::NAME
        }
        None => v.arg_block().is_some_and(|b| {
            !b.is_entry(ctx)
                || b.parent_op(ctx)
                    .is_some_and(|p| matches!(p.dialect(ctx), "scf" | "affine"))
        }),
    }
}
