//! `xfer-hoist-allocations`: buffers that each iteration of a loop allocates and frees are
//! allocated once in front of it, and buffers that are not there at the same time share one.
//!
//! ```text
//! scf.for %i = %l to %u {              %n = memref.dim %A, %c0
//!   %n = memref.dim %A, %c0            %d = xfer.alloc(%n)
//!   %d = xfer.alloc(%n)            =>  scf.for %i = %l to %u {
//!   ... %d ...                           ... %d ...
//!   xfer.free %d                       }
//! }                                    xfer.free %d
//!
//! %d = xfer.alloc(%n)                  %d = xfer.alloc(%n)
//! ... %d ...                           ... %d ...
//! xfer.free %d                     =>
//! %e = xfer.alloc(%n)
//! ... %e ...                           ... %d ...
//! xfer.free %e                         xfer.free %d
//! ```
//!
//! Legal since the elements of a new buffer are not set: whoever reads one has written it
//! before, also where it still holds what another buffer held. A buffer is moved when it is
//! allocated and freed in one block, directly in a loop, once in each iteration, and its sizes
//! are the same in all of them. It is shared when the types are the same, and the sizes, and
//! the one is freed before the other is allocated, in one block.
//!
//! Is it not known that the loop runs, then sizes that may mean nothing in that case (they may
//! be negative) become 0 in it; those of arrays of the host stay. Inner loops come first, so
//! that a buffer may leave several.
//!
//! For buffers and flags, behind `xfer-lower-mirrors`: a mirror belongs to its array; and in
//! front of passes that make things asynchronous: functions with tokens are left alone.

use super::guard::surely_runs;
use crate::analysis::captured::is_in_body;
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::func;
use terrace_dialects::{affine, gpu, memref, scf, xfer};
use terrace_ir::effects::runs_anywhere;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-hoist-allocations",
    title: "XferHoistAllocations",
    summary: "Allocate device buffers in front of loops, and share them where lifetimes are apart",
    description: "Moves each xfer.alloc and xfer.free of a loop's body out of the loop when the sizes do not change in it, and makes buffers of equal sizes one when the first is freed before the second is allocated.",
    statistics: &[
        StatisticInfo::new("num-hoisted", "Number of buffers moved out of a loop"),
        StatisticInfo::new("num-shared", "Number of buffers that became another"),
    ],
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(HoistAllocations)),
    ..PassInfo::EMPTY
};

struct HoistAllocations;

impl Pass for HoistAllocations {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if is_asynchronous(ctx, function) {
            return Ok(());
        }
        let (mut hoisted, mut shared) = (0, 0);
        // Inner ones first; what leaves a loop stands in a block that comes later.
        for op in function.post_order(ctx) {
            for block in op.blocks(ctx) {
                shared += share(ctx, block);
                if is_loop(ctx, op) {
                    hoisted += hoist(ctx, block, op);
                }
            }
        }
        ctx.count("num-hoisted", hoisted);
        ctx.count("num-shared", shared);
        Ok(())
    }
}

/// Whether something in a function may still be going on when the next op begins: a buffer
/// would have to wait for what another one was used for.
fn is_asynchronous(ctx: &mut Context, function: Op) -> bool {
    let token = gpu::async_token(ctx);
    let mut all = function.pre_order(ctx).into_iter();
    all.any(|op| op.results(ctx).iter().any(|r| r.ty(ctx) == token))
}

/// Whether each block of the op's regions runs as a whole in each iteration.
fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::ForOp>(ctx) || op.isa::<scf::WhileOp>(ctx) || op.isa::<affine::ForOp>(ctx)
}

/// A buffer that a block allocates and frees.
#[derive(Clone, Copy)]
struct Buffer {
    alloc: xfer::AllocOp,
    free: Op,
}

impl Buffer {
    fn value(self, ctx: &Context) -> Value {
        self.alloc.buffer(ctx)
    }
}

/// The buffers of a block that it itself frees again, once, and hands to nobody, in the order
/// of their allocations.
fn buffers(ctx: &Context, block: Block) -> Vec<Buffer> {
    let mut out = Vec::new();
    for op in block.ops(ctx) {
        let Some(alloc) = op.cast::<xfer::AllocOp>(ctx) else {
            continue;
        };
        let users = alloc.buffer(ctx).users(ctx);
        let mut frees = users.iter().filter(|u| u.isa::<xfer::FreeOp>(ctx));
        let (Some(free), None) = (frees.next(), frees.next()) else {
            continue;
        };
        let leaves = |u: &Op| u.is_terminator(ctx);
        if free.block(ctx) == Some(block) && op.is_before(ctx, *free) && !users.iter().any(leaves) {
            out.push(Buffer { alloc, free: *free });
        }
    }
    out
}

/// Makes buffers of a block one where the first is freed before the second is allocated.
fn share(ctx: &mut Context, block: Block) -> u64 {
    let mut shared = 0;
    // Those that something later may take over.
    let mut open: Vec<Buffer> = Vec::new();
    for next in buffers(ctx, block) {
        let fits = |b: &Buffer| {
            b.free.is_before(ctx, next.alloc.op()) && same_sizes(ctx, b.alloc, next.alloc)
        };
        match open.iter().rposition(fits) {
            Some(i) => {
                let first = open[i];
                let (old, new) = (next.value(ctx), first.value(ctx));
                old.replace_all_uses(ctx, new);
                first.free.erase(ctx);
                next.alloc.op().erase(ctx);
                open[i].free = next.free;
                shared += 1;
            }
            None => open.push(next),
        }
    }
    shared
}

fn same_sizes(ctx: &Context, a: xfer::AllocOp, b: xfer::AllocOp) -> bool {
    let (sizes, others) = (a.dynamic_sizes(ctx), b.dynamic_sizes(ctx));
    a.buffer(ctx).ty(ctx) == b.buffer(ctx).ty(ctx)
        && sizes.len() == others.len()
        && sizes
            .iter()
            .zip(&others)
            .all(|(a, b)| same_value(ctx, *a, *b))
}

/// Whether two indices are surely the same number.
fn same_value(ctx: &Context, a: Value, b: Value) -> bool {
    let (a, b) = (size_of_array(ctx, a), size_of_array(ctx, b));
    if a == b {
        return true;
    }
    if let (Some(a), Some(b)) = (ctx.constant_int(a), ctx.constant_int(b)) {
        return a == b;
    }
    let dim = |v: Value| v.def_op()?.cast::<memref::DimOp>(ctx);
    let (Some(a), Some(b)) = (dim(a), dim(b)) else {
        return false;
    };
    a.source(ctx) == b.source(ctx)
        && ctx.constant_int(a.index(ctx)).is_some()
        && ctx.constant_int(a.index(ctx)) == ctx.constant_int(b.index(ctx))
}

/// The value that a size of an allocated array was made with; else the value itself.
fn size_of_array(ctx: &Context, v: Value) -> Value {
    let find = || {
        let dim = v.def_op()?.cast::<memref::DimOp>(ctx)?;
        let index = usize::try_from(ctx.constant_int(dim.index(ctx))?).ok()?;
        let source = dim.source(ctx);
        let alloc = source.def_op()?;
        if !alloc.isa::<memref::AllocOp>(ctx) && !alloc.isa::<xfer::AllocOp>(ctx) {
            return None;
        }
        let shape = source.ty(ctx).shape(ctx)?;
        if shape.get(index) != Some(&DYNAMIC) {
            return None;
        }
        let nth = shape[..index].iter().filter(|d| **d == DYNAMIC).count();
        alloc.operand_group(ctx, "dynamicSizes").get(nth).copied()
    };
    find().unwrap_or(v)
}

/// Moves the buffers of a block of a loop out of it.
fn hoist(ctx: &mut Context, block: Block, the_loop: Op) -> u64 {
    let mut hoisted = 0;
    for buffer in buffers(ctx, block) {
        let op = buffer.alloc.op();
        let sizes = buffer.alloc.dynamic_sizes(ctx);
        let plain: Vec<Value> = sizes.iter().map(|v| size_of_array(ctx, *v)).collect();
        let fine = |v: &Value| {
            let means = means_something(ctx, *v, the_loop) || the_loop.isa::<scf::ForOp>(ctx);
            means && can_leave(ctx, *v, the_loop, MAX_OPS)
        };
        if !plain.iter().all(fine) {
            continue;
        }
        for (i, v) in plain.iter().enumerate() {
            leave(ctx, *v, the_loop);
            let size = if_it_runs(ctx, *v, the_loop);
            op.set_operand(ctx, i, size);
        }
        op.move_before(ctx, the_loop);
        buffer.free.move_after(ctx, the_loop);
        hoisted += 1;
    }
    hoisted
}

/// A size is made by so many ops, one of another, at most.
const MAX_OPS: usize = 8;

/// Whether a value is the same in all iterations, and can be had in front of the loop.
fn can_leave(ctx: &Context, v: Value, the_loop: Op, most: usize) -> bool {
    if !is_in_body(ctx, the_loop, v) {
        return true;
    }
    // Arguments of the body change.
    v.def_op().is_some_and(|op| {
        most > 0
            && runs_anywhere(ctx, op)
            && op.num_regions(ctx) == 0
            && op
                .operands(ctx)
                .into_iter()
                .all(|o| can_leave(ctx, o, the_loop, most - 1))
    })
}

/// Moves what makes a value in front of the loop.
fn leave(ctx: &mut Context, v: Value, the_loop: Op) {
    let Some(op) = v.def_op().filter(|_| is_in_body(ctx, the_loop, v)) else {
        return;
    };
    for o in op.operands(ctx) {
        leave(ctx, o, the_loop);
    }
    op.move_before(ctx, the_loop);
}

/// Whether a size is one even where the loop does not run.
fn means_something(ctx: &Context, v: Value, the_loop: Op) -> bool {
    let constant = ctx.constant_int(v).is_some_and(|n| n >= 0);
    let of_array = v.def_op().is_some_and(|d| d.isa::<memref::DimOp>(ctx));
    constant || of_array || surely_runs(ctx, the_loop)
}

/// A size, or 0 where the loop does not run and the size may mean nothing.
fn if_it_runs(ctx: &mut Context, v: Value, the_loop: Op) -> Value {
    if means_something(ctx, v, the_loop) {
        return v;
    }
    let Some(l) = the_loop.cast::<scf::ForOp>(ctx) else {
        return v;
    };
    let less = match l.is_unsigned(ctx) {
        true => CmpIPredicate::Ult,
        false => CmpIPredicate::Slt,
    };
    let (lower, upper) = (l.lower_bound(ctx), l.upper_bound(ctx));
    let mut b = Builder::before(ctx, the_loop);
    let runs = arith::CmpIOp::build(&mut b, less, lower, upper);
    let none = arith::constant_index(&mut b, 0);
    arith::SelectOp::build(&mut b, runs, v, none)
}
