//! What may happen to an element of a memref between two accesses of it.
//!
//! The accesses are `from` and `to`, both of the same element, one of which stands in a
//! block that holds the other, perhaps further inside affine loops and conditions. All
//! that may run after the one and before the other is looked at: what stands between them
//! in that block, and everything in the loops that only one of them is in. An affine
//! access among it counts if it may touch that element (see [`super::conflict`]) while
//! the loops around both `from` and `to` stay in one iteration; another op if it may touch
//! that memory.

use super::conflict::Conflict;
use super::memory::{base, is_view, may_be_same};
use crate::analysis::bounds;
use terrace_dialects::affine;
use terrace_dialects::affine::{Access, AccessKind, compose::compose};
use terrace_dialects::scf;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Block, Context, Op};

/// What an op does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Writes,
}

/// Whether two accesses are known to be of the same elements wherever both see the same
/// values: the same memref, subscripts and type of value.
pub fn is_same_element(ctx: &Context, a: &Access, b: &Access) -> bool {
    if a.memref != b.memref || a.vector != b.vector {
        return false;
    }
    if a.map == b.map && a.operands == b.operands {
        return true;
    }
    let (a, b) = (a.composed(ctx), b.composed(ctx));
    if a.map.num_results() != b.map.num_results() {
        return false;
    }
    if a.map == b.map && a.operands == b.operands {
        return true;
    }
    let difference = bounds::difference(ctx, (&a.map, &a.operands), (&b.map, &b.operands));
    let difference = compose(ctx, &difference.map.simplify(), &difference.operands);
    difference
        .map
        .constant_results()
        .is_some_and(|d| d.iter().all(|x| *x == 0))
}

/// Whether `from` always comes before `to` in one iteration of the loops around it: it
/// stands before `to`, or before affine loops and conditions that `to` is in.
pub fn dominates(ctx: &Context, from: Op, to: Op) -> bool {
    let Some(block) = from.block(ctx) else {
        return false;
    };
    match to.ancestor_in(ctx, block) {
        Some(around) => {
            around != from && from.is_before(ctx, around) && only_affine_around(ctx, to, block)
        }
        None => false,
    }
}

/// Whether `to` always comes after `from` in one iteration of the loops around it: it
/// stands behind `from`, or behind affine loops and conditions that `from` is in.
pub fn post_dominates(ctx: &Context, to: Op, from: Op) -> bool {
    let Some(block) = to.block(ctx) else {
        return false;
    };
    match from.ancestor_in(ctx, block) {
        Some(around) => {
            around != to && around.is_before(ctx, to) && only_affine_around(ctx, from, block)
        }
        None => false,
    }
}

/// Whether only affine loops, and conditions, stand between `op` and `block`.
fn only_affine_around(ctx: &Context, op: Op, block: Block) -> bool {
    let mut at = op.block(ctx);
    while let Some(b) = at {
        if b == block {
            return true;
        }
        let Some(p) = b.parent_op(ctx) else {
            return false;
        };
        if !matches!(
            p.name(ctx),
            affine::ForOp::NAME | affine::IfOp::NAME | affine::ParallelOp::NAME | scf::IfOp::NAME
        ) {
            return false;
        }
        at = p.block(ctx);
    }
    false
}

/// Whether something with `effect` on the element of `access` may run after `from` and
/// before `to`; `access` is that of one of them, and one [`dominates`] or
/// [`post_dominates`] the other.
pub fn may_intervene(ctx: &Context, from: Op, to: Op, access: &Access, effect: Effect) -> bool {
    let Some((block, first, last)) = common_block(ctx, from, to) else {
        return true;
    };
    let check = |op: Op| affects(ctx, block, op, access, effect);
    // Inside the op of the block that holds one of the two, or both sides of them.
    if first != from && ways_inside(ctx, first, from, false, &check) {
        return true;
    }
    if last != to && ways_inside(ctx, last, to, true, &check) {
        return true;
    }
    let mut at = first.next(ctx);
    while let Some(op) = at {
        if op == last {
            return false;
        }
        if check(op) {
            return true;
        }
        at = op.next(ctx);
    }
    true
}

/// The block that both are in, and the ops of it that hold them.
fn common_block(ctx: &Context, from: Op, to: Op) -> Option<(Block, Op, Op)> {
    let (a, b) = (from.block(ctx)?, to.block(ctx)?);
    if let Some(last) = to.ancestor_in(ctx, a) {
        return Some((a, from, last));
    }
    let first = from.ancestor_in(ctx, b)?;
    Some((b, first, to))
}

/// Whether something in `around`, which holds `op`, has the effect on the way to `op`
/// (`before`) or from it on. In a loop that is anything, in other iterations.
fn ways_inside(
    ctx: &Context,
    around: Op,
    op: Op,
    before: bool,
    check: &impl Fn(Op) -> bool,
) -> bool {
    let mut inner = op;
    while inner != around {
        let Some(p) = inner.parent(ctx) else {
            return true;
        };
        if !matches!(p.name(ctx), affine::IfOp::NAME | scf::IfOp::NAME) {
            // A loop, with all that is inside: nothing further in needs a look.
            let rest = p.blocks(ctx).into_iter();
            if rest.flat_map(|b| b.ops(ctx)).any(check) {
                return true;
            }
        } else {
            let step = |o: Op| if before { o.prev(ctx) } else { o.next(ctx) };
            let mut at = step(inner);
            while let Some(o) = at {
                if check(o) {
                    return true;
                }
                at = step(o);
            }
        }
        inner = p;
    }
    false
}

/// Whether `op` or something in it may have the effect.
fn affects(ctx: &Context, block: Block, op: Op, access: &Access, effect: Effect) -> bool {
    let mut found = false;
    op.walk(ctx, &mut |o| {
        found = found || touches(ctx, block, o, access, effect)
    });
    found
}

fn touches(ctx: &Context, block: Block, op: Op, access: &Access, effect: Effect) -> bool {
    if let Some(other) = Access::of(ctx, op) {
        let matters = match other.kind {
            AccessKind::Read => effect == Effect::Reads,
            AccessKind::Write => effect == Effect::Writes,
            AccessKind::Prefetch => false,
        };
        return matters
            && may_be_same(ctx, base(ctx, other.memref), base(ctx, access.memref))
            && Conflict::within(ctx, block, access, &other).is_none_or(|c| !c.is_impossible());
    }
    let Some(effects) = own_effects(ctx, op) else {
        let recursive = op.has_trait(ctx, traits::RECURSIVE_EFFECTS);
        return !recursive && !is_view(ctx, op);
    };
    effects.iter().any(|e| {
        let matters = match e.kind {
            EffectKind::Read => effect == Effect::Reads,
            EffectKind::Write | EffectKind::Free => effect == Effect::Writes,
            EffectKind::Alloc => false,
        };
        matters
            && e.on
                .is_none_or(|v| may_be_same(ctx, base(ctx, v), base(ctx, access.memref)))
    })
}
