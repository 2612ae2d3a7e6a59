//! Which arrays of which nests have copies.

use super::policy::Room;
use super::spread::few;
use crate::analysis::captured::is_inside;
use crate::analysis::directive::fixed_shape;
use crate::analysis::memory::{base, may_be_same};
use crate::loops::mapper::{LOOPS, mapper_of};
use terrace_dialects::arith::AtomicRmwKind;
use terrace_dialects::attributes::{ACC_REGION, GPU_COARSENED, XFER_ON_HOST};
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::memref::{AtomicRmwOp, DimOp};
use terrace_dialects::{gpu, nvgpu, scf};
use terrace_ir::effects::own_effects;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Type, Value};

/// The most dimensions of an array: the product of sizes, each no more than fits, is a number.
const MAX_RANK: usize = 3;

/// An array that has copies.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub memref: Value,
    pub kind: AtomicRmwKind,
    pub elem: Type,
    /// Of an element.
    pub bytes: i64,
}

/// A nest that combines values into arrays.
#[derive(Debug)]
pub(super) struct Nest {
    pub root: scf::ParallelOp,
    /// Those with larger elements first, so that all are aligned one behind the other.
    pub targets: Vec<Target>,
    /// How often an update comes in an iteration, as far as short loops tell.
    pub updates: i64,
    /// The program may reach elements that the sizes of an array do not have: sizes of C's
    /// parameters are no promises, and pointers point between elements.
    pub reaches_beyond: bool,
}

/// The nest of `root`, where some array in it can have copies.
pub(super) fn find(ctx: &Context, function: Op, root: scf::ParallelOp, room: Room) -> Option<Nest> {
    let op = root.op();
    let other = op.attr(ctx, XFER_ON_HOST).is_some() || op.attr(ctx, GPU_COARSENED).is_some();
    let mapped = mapper_of(ctx, op).is_some_and(|m| m != LOOPS);
    if op.num_results(ctx) > 0 || other || mapped {
        return None;
    }
    let ops = op.pre_order(ctx);
    let on_device =
        |o: &Op| matches!(o.dialect(ctx), d if d == gpu::DIALECT.name || d == nvgpu::DIALECT.name);
    if fixed_shape(ctx, op).is_some() || ops.iter().any(on_device) {
        return None;
    }
    let mut touched = Vec::new();
    let mut updates: Vec<AtomicRmwOp> = Vec::new();
    for o in &ops {
        match o.cast::<AtomicRmwOp>(ctx) {
            Some(update) if !o.has_uses(ctx) => updates.push(update),
            _ => {
                for e in own_effects(ctx, *o)? {
                    touched.push(base(ctx, e.on?));
                }
                if !o.isa::<DimOp>(ctx) {
                    let arrays = o.operands(ctx).into_iter();
                    touched.extend(
                        arrays
                            .filter(|v| v.ty(ctx).rank(ctx).is_some())
                            .map(|v| base(ctx, v)),
                    );
                }
            }
        }
    }
    let mut targets: Vec<Target> = Vec::new();
    for update in &updates {
        let own = target(ctx, op, *update);
        let of_own = |u: &&AtomicRmwOp| {
            may_be_same(ctx, base(ctx, u.memref(ctx)), base(ctx, update.memref(ctx)))
        };
        let alike = |u: &AtomicRmwOp| {
            u.memref(ctx) == update.memref(ctx) && u.kind(ctx) == update.kind(ctx)
        };
        let alone = updates.iter().filter(of_own).all(alike)
            && !touched
                .iter()
                .any(|v| may_be_same(ctx, *v, base(ctx, update.memref(ctx))));
        let known = targets.iter().any(|t| t.memref == update.memref(ctx));
        if let Some(t) = own.filter(|_| alone && !known) {
            targets.push(t);
        }
    }
    keep_what_fits(ctx, &mut targets, room);
    let short = goes_through_few(ctx, &ops, &targets);
    (short && !targets.is_empty()).then(|| Nest {
        root,
        updates: in_an_iteration(ctx, op, &updates),
        targets,
        reaches_beyond: function.attr(ctx, ACC_REGION).is_some(),
    })
}

/// The array of an update, if it is one that can have copies.
fn target(ctx: &Context, root: Op, update: AtomicRmwOp) -> Option<Target> {
    let memref = update.memref(ctx);
    let ty = memref.ty(ctx);
    let rank = ty.rank(ctx)?;
    let kind = AtomicRmwKind::from_i64(update.op().int_attr(ctx, "kind")?)?;
    let elem = ty.element(ctx)?;
    let bits = elem.bit_width(ctx)?;
    kind.identity(ctx, elem)?;
    // Elements of several dimensions are numbered as they lie in memory.
    let numbered = rank == 1 || has_identity_layout(ctx, ty);
    let fits = (1..=MAX_RANK).contains(&rank) && matches!(bits, 32 | 64);
    (numbered && fits && !is_inside(ctx, root, memref)).then_some(Target {
        memref,
        kind,
        elem,
        bytes: i64::from(bits / 8),
    })
}

/// How often an update in the short loops of an iteration comes, at most.
fn in_an_iteration(ctx: &Context, root: Op, updates: &[AtomicRmwOp]) -> i64 {
    let of = |u: &AtomicRmwOp| {
        let around = std::iter::successors(u.op().parent(ctx), |o| o.parent(ctx));
        let loops = around.take_while(|o| *o != root);
        let trips = loops.filter_map(|o| few(ctx, o.cast::<scf::ForOp>(ctx)?));
        trips
            .map(|all| all.len().max(1) as i64)
            .fold(1, i64::saturating_mul)
    };
    updates.iter().map(of).max().unwrap_or(1)
}

/// Leaves out what is known to be too large, the largest first.
fn keep_what_fits(ctx: &Context, targets: &mut Vec<Target>, room: Room) {
    let bytes = |t: &Target| -> i64 {
        let shape = t.memref.ty(ctx).shape(ctx).unwrap_or_default();
        let known = shape.iter().filter(|n| **n != DYNAMIC);
        known.fold(t.bytes, |all, n| all.saturating_mul(*n))
    };
    targets.sort_by_key(|t| (std::cmp::Reverse(t.bytes), bytes(t)));
    while targets.iter().map(bytes).fold(0, i64::saturating_add) > room.of_block {
        let largest = (0..targets.len()).max_by_key(|i| bytes(&targets[*i]));
        let Some(i) = largest else { return };
        targets.remove(i);
    }
}

/// Whether all loops inside the nest that may be long update an array: what a thread does
/// between updates is little then, and threads need not be as many as iterations.
fn goes_through_few(ctx: &Context, ops: &[Op], targets: &[Target]) -> bool {
    let updates = |o: &Op| {
        let all = o.pre_order(ctx);
        let mut found = all.iter().filter_map(|o| o.cast::<AtomicRmwOp>(ctx));
        found.any(|u| targets.iter().any(|t| t.memref == u.memref(ctx)))
    };
    let is_short = |o: &Op| {
        let l = o.cast::<scf::ForOp>(ctx);
        l.is_some_and(|l| few(ctx, l).is_some())
    };
    let is_loop = |o: &&Op| {
        o.isa::<scf::ForOp>(ctx) || o.isa::<scf::WhileOp>(ctx) || o.isa::<scf::ParallelOp>(ctx)
    };
    ops.iter()
        .filter(is_loop)
        .all(|o| is_short(o) || updates(o))
}
