//! Whether iterations of an affine loop may be unrolled and jammed.
//!
//! Unroll-and-jam runs `factor` iterations of the loop together: what stands before,
//! between and behind the loops inside is done for all of them at once, and so is
//! every iteration of those loops. Within such a stretch iterations keep their order.
//! It is illegal where an earlier iteration with access `a` has to come before a later
//! one with access `b`, at most `factor - 1` iterations on, and `b` then comes first:
//! in an earlier iteration of a loop around both, or in a stretch further up (Callahan,
//! Cocke, Kennedy, "Estimating interlock and improving balance for pipelined
//! architectures", 1988).
//!
//! An innermost loop whose end moves with the iteration is run to the earliest end by all, and
//! each iteration does the rest of it together with the stretch behind.

use super::conflict::Conflict;
use super::parallel::{accesses, may_conflict};
use terrace_dialects::affine::{Access, ForOp};
use terrace_ir::{Context, Op, OpKind};

/// Why iterations may not be jammed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JamObstacle {
    /// Two accesses that may touch the same element, whose order would change.
    Reordered { from: Op, to: Op },
    /// An op whose effect on memory is not known or has no subscripts to reason about.
    Effect(Op),
}

/// What keeps `factor` iterations of `l` from being jammed: the first found. Values
/// that `l` carries are left aside.
///
/// Ops of unknown kinds that take no memref are taken not to touch memory, as upstream
/// does: only tests have such ops, and no target runs them.
pub fn jam_obstacle(ctx: &Context, l: ForOp, factor: u64) -> Option<JamObstacle> {
    if l.op().find_all::<ForOp>(ctx).len() == 1 {
        // Nothing to jam: all is one stretch.
        return None;
    }
    let harmless = |ctx: &Context, op: Op| {
        let takes_memref = op.operand_types(ctx).iter().any(|t| t.is_memref(ctx));
        !op.is_registered(ctx) && !takes_memref
    };
    let accesses = match accesses(ctx, l, harmless) {
        Ok(a) => a,
        Err(op) => return Some(JamObstacle::Effect(op)),
    };
    for a in &accesses {
        for b in &accesses {
            if may_conflict(ctx, a, b) && !keeps_order(ctx, l, factor, a, b) {
                return Some(JamObstacle::Reordered {
                    from: a.op,
                    to: b.op,
                });
            }
        }
    }
    None
}

/// Whether `a` still comes before each `b` in a later iteration of `l` that touches
/// the same element.
fn keeps_order(ctx: &Context, l: ForOp, factor: u64, a: &Access, b: &Access) -> bool {
    let mut around = vec![l];
    loop {
        let inner = around[around.len() - 1];
        let body = inner.body(ctx);
        let (Some(x), Some(y)) = (a.op.ancestor_in(ctx, body), b.op.ancestor_in(ctx, body)) else {
            return false;
        };
        if x != y {
            // In one stretch, or `a` in the first of two: only `b` further up is moved
            // ahead.
            return in_one_stretch(ctx, x, y)
                || x.is_before(ctx, y)
                || impossible(ctx, &around, factor, a, b, Moved::Up(in_front(ctx, x, y)))
                    == Some(true);
        }
        let Some(common) = x.cast::<ForOp>(ctx) else {
            return true;
        };
        if impossible(ctx, &around, factor, a, b, Moved::Along(common)) != Some(true) {
            return false;
        }
        around.push(common);
    }
}

/// How the later access comes to be first.
#[derive(Clone, Copy)]
enum Moved {
    /// From a stretch further up. It is a loop, if one is given, right in front of the stretch of
    /// the other access: only what is run of it before the other's iteration ends is moved.
    Up(Option<ForOp>),
    /// In an earlier iteration of this loop.
    Along(ForOp),
}

/// The innermost loop that `y` is, if `x` is in the stretch right behind it.
fn in_front(ctx: &Context, x: Op, y: Op) -> Option<ForOp> {
    let l = y.cast::<ForOp>(ctx)?;
    let innermost = y.find_all::<ForOp>(ctx).len() == 1;
    let behind = y.next(ctx)?;
    (innermost && in_one_stretch(ctx, behind, x)).then_some(l)
}

/// Whether there are no `a` and `b` on the same element, `a` in an earlier iteration of
/// the first of `around`, both in the same one of the others, and `b` moved in front of `a`.
fn impossible(
    ctx: &Context,
    around: &[ForOp],
    factor: u64,
    a: &Access,
    b: &Access,
    moved: Moved,
) -> Option<bool> {
    let l = around[0];
    let mut c = Conflict::new(ctx, l, a, b)?;
    c.first_is_earlier(l, true)?;
    let span = i64::try_from(factor - 1).ok()?.checked_mul(l.step(ctx))?;
    c.at_most_apart(l, span)?;
    for inner in &around[1..] {
        c.same_iteration(*inner)?;
    }
    match moved {
        Moved::Along(l) => c.first_is_earlier(l, false)?,
        Moved::Up(Some(l)) => c.second_is_within_first(l)?,
        Moved::Up(None) => {}
    }
    Some(c.is_impossible())
}

/// Whether no loop stands between two ops of a block and neither is one.
fn in_one_stretch(ctx: &Context, x: Op, y: Op) -> bool {
    let (first, last) = if x.is_before(ctx, y) { (x, y) } else { (y, x) };
    let mut at = Some(first);
    while let Some(op) = at {
        if op.isa::<ForOp>(ctx) {
            return false;
        }
        if op == last {
            return true;
        }
        at = op.next(ctx);
    }
    false
}
