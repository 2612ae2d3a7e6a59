//! `affine-raise-memref-copy`: a nest of loops that only copies one array to another becomes
//! a `memref.copy`.
//!
//! ```text
//! affine.parallel (%i, %j) = (0, 0) to (%n, %m) {
//!   %v = affine.load %T[%i, %j]                      =>    memref.copy %T, %A
//!   affine.store %v, %A[%i, %j]
//! }
//! ```
//!
//! As an op of its own it can be seen for what it is: `xfer-insert` makes a copy on the device
//! of it, and `xfer-forward-copies` leaves that out where one buffer can serve for both.
//!
//! Legal where the nest
//!
//! - holds nothing but a load and a store of the loaded value, with the same subscripts;
//! - writes all elements of the array that it stores to (`overwritten::covers`);
//! - copies between different arrays that surely have the same sizes ([`same_sizes`]), since
//!   a `memref.copy` is of the whole of both.
//!
//! Done where both arrays are used by kernels, or loops that become kernels, besides: a copy
//! for its own sake is as good a kernel, and needs both arrays on the device. Not in loops:
//! there `xfer-forward-copies` seldom leaves a copy out, and a nest may still be joined
//! with its neighbours, or go into a kernel with the loop around it.

use crate::analysis::memory::{is_root, is_view, may_be_same};
use crate::analysis::overwritten::covers;
use crate::analysis::sizes::same_sizes;
use terrace_dialects::affine::{Access, ForOp, LoadOp, ParallelOp, StoreOp};
use terrace_dialects::func;
use terrace_dialects::{gpu, memref};
use terrace_ir::affine::AffineExpr;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Block, Builder, Context, Op, OpKind, TypeData, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-raise-memref-copy",
    title: "AffineRaiseMemrefCopy",
    summary: "Make a memref.copy of each nest that only copies a whole array",
    description: "Looks for nests of affine loops, in no other loop, that store what they load from one array to the same element of another of the same sizes, for all elements. Both arrays must be used by other parallel loops or launches.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-copies",
        "Number of nests that became copies",
    )],
    make: |_| Ok(Box::new(RaiseCopies)),
    ..PassInfo::EMPTY
};

struct RaiseCopies;

impl Pass for RaiseCopies {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut raised = 0;
        let blocks = function.region(ctx, 0).blocks(ctx);
        let outermost: Vec<Op> = blocks.into_iter().flat_map(|b| b.ops(ctx)).collect();
        for nest in outermost {
            let Some((from, to)) = copied(ctx, nest) else {
                continue;
            };
            if !used_by_kernels(ctx, from, nest) || !used_by_kernels(ctx, to, nest) {
                continue;
            }
            let mut b = Builder::before(ctx, nest);
            memref::CopyOp::build(&mut b, from, to);
            nest.erase(ctx);
            raised += 1;
        }
        ctx.count("num-copies", raised);
        Ok(())
    }
}

/// The array that a nest copies, and the one that it copies it to.
fn copied(ctx: &Context, nest: Op) -> Option<(Value, Value)> {
    let (loops, load, store) = body(ctx, nest)?;
    let value = load.result(ctx);
    if store.value(ctx) != value || value.num_uses(ctx) != 1 {
        return None;
    }
    let (read, write) = (load.access(ctx)?, store.access(ctx)?);
    let (from, to) = (read.memref, write.memref);
    // More loops than subscripts would be the same copy again and again.
    let subscripts = subscripts(&write)?;
    let same = subscripts.len() == loops && self::subscripts(&read)? == subscripts;
    let apart = is_root(ctx, from) && is_root(ctx, to) && !may_be_same(ctx, from, to);
    let on_host = in_no_space(ctx, from) && in_no_space(ctx, to);
    (same && apart && on_host && covers(ctx, nest, store.op(), &write) && same_sizes(ctx, from, to))
        .then_some((from, to))
}

/// The loops of a perfect nest that nobody has said anything of, how many, and the load and
/// the store that are all of its body.
fn body(ctx: &Context, nest: Op) -> Option<(usize, LoadOp, StoreOp)> {
    let (mut at, mut loops) = (nest, 0);
    loop {
        let block: Block = match (at.cast::<ForOp>(ctx), at.cast::<ParallelOp>(ctx)) {
            (Some(l), _) => l.body(ctx),
            (_, Some(l)) => l.body(ctx),
            _ => return None,
        };
        loops += at.cast::<ParallelOp>(ctx).map_or(1, |p| p.num_loops(ctx));
        // A schedule, or who else has marked a loop, counts on finding it.
        let marked = at.attrs(ctx).iter().any(|(k, _)| ctx.str(*k).contains('.'));
        if at.num_results(ctx) > 0 || marked {
            return None;
        }
        let end = block.terminator(ctx)?;
        let ops: Vec<Op> = block.ops(ctx).into_iter().filter(|o| *o != end).collect();
        match ops.as_slice() {
            [inner] => at = *inner,
            [load, store] => {
                return Some((
                    loops,
                    load.cast::<LoadOp>(ctx)?,
                    store.cast::<StoreOp>(ctx)?,
                ));
            }
            _ => return None,
        }
    }
}

/// The values that an element's subscripts are; `None` where one is more than a value.
fn subscripts(access: &Access) -> Option<Vec<Value>> {
    let value = |e: &AffineExpr| {
        let at = match e {
            AffineExpr::Dim(d) => *d,
            AffineExpr::Symbol(s) => access.map.num_dims() + *s,
            _ => return None,
        };
        access.operands.get(at as usize).copied()
    };
    access.map.results().iter().map(value).collect()
}

fn in_no_space(ctx: &Context, v: Value) -> bool {
    matches!(v.ty(ctx).data(ctx), TypeData::MemRef { space: None, .. })
}

/// Whether an array is used in a launch or a parallel loop outside of `nest`.
fn used_by_kernels(ctx: &Context, array: Value, nest: Op) -> bool {
    array.users(ctx).into_iter().any(|user| {
        if is_view(ctx, user) {
            let views = user.results(ctx);
            return views.into_iter().any(|v| used_by_kernels(ctx, v, nest));
        }
        if nest.is_ancestor_of(ctx, user) {
            return false;
        }
        let mut at = Some(user);
        while let Some(op) = at {
            let parallel = op.isa::<ParallelOp>(ctx)
                || op.isa::<gpu::LaunchOp>(ctx)
                || op.isa::<gpu::LaunchFuncOp>(ctx);
            if parallel {
                return true;
            }
            at = op.parent(ctx);
        }
        false
    })
}
