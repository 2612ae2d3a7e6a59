//! What an op does to memory, and what may therefore be done to it.

use crate::context::Context;
use crate::op::Op;
use crate::opdef::{Effect, EffectKind, traits};

/// The ops of every block of every region of `op`, walked one by one. The last come first: what a
/// body stores, which mostly settles the question, stands behind what it computes.
pub(crate) fn nested_all(ctx: &Context, op: Op, f: &mut dyn FnMut(Op) -> bool) -> bool {
    (0..op.num_regions(ctx)).all(|i| {
        let mut block = op.region(ctx, i).entry(ctx);
        while let Some(b) = block {
            let mut next = b.last_op(ctx);
            while let Some(o) = next {
                if !f(o) {
                    return false;
                }
                next = o.prev(ctx);
            }
            block = b.next(ctx);
        }
        true
    })
}

/// The memory effects that `op` itself declares, without those of nested ops;
/// `None` where it declares nothing, and so may do anything.
pub fn own_effects(ctx: &Context, op: Op) -> Option<Vec<Effect>> {
    let def = op.def(ctx)?;
    match def.effects {
        Some(f) => Some(f(ctx, op)),
        None if def.has(traits::NO_EFFECT) || def.has(traits::RECURSIVE_EFFECTS) => {
            Some(Vec::new())
        }
        None => None,
    }
}

/// All memory effects of `op`, those of nested ops included where the op says that
/// they count; `None` where anything may happen.
pub fn effects(ctx: &Context, op: Op) -> Option<Vec<Effect>> {
    let mut all = Vec::new();
    collect(ctx, op, &mut all).then_some(all)
}

fn collect(ctx: &Context, op: Op, all: &mut Vec<Effect>) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    match def.effects {
        Some(f) => all.extend(f(ctx, op)),
        None if def.has(traits::NO_EFFECT) || def.has(traits::RECURSIVE_EFFECTS) => {}
        None => return false,
    }
    let nested = || op.blocks(ctx).into_iter().flat_map(|b| b.ops(ctx));
    !def.has(traits::RECURSIVE_EFFECTS) || nested().all(|o| collect(ctx, o, all))
}

/// Whether `op`, with everything nested that counts, touches no memory.
pub fn is_memory_effect_free(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    let own = match def.effects {
        Some(f) => f(ctx, op).is_empty(),
        None => def.has(traits::NO_EFFECT) || def.has(traits::RECURSIVE_EFFECTS),
    };
    own && (!def.has(traits::RECURSIVE_EFFECTS)
        || nested_all(ctx, op, &mut |o| is_memory_effect_free(ctx, o)))
}

/// Whether all that `op` does to memory, with everything nested that counts, is to read it.
pub fn only_reads(ctx: &Context, op: Op) -> bool {
    effects(ctx, op).is_some_and(|e| e.iter().all(|e| e.kind == EffectKind::Read))
}

/// Whether `op` may run where the program would not have run it: it has no
/// undefined behaviour and ends.
pub fn is_speculatable(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    if let Some(f) = def.speculatable {
        return f(ctx, op);
    }
    if def.has(traits::RECURSIVELY_SPECULATABLE) {
        return nested_are_speculatable(ctx, op);
    }
    def.has(traits::SPECULATABLE)
}

/// Whether everything inside `op` is speculatable.
pub fn nested_are_speculatable(ctx: &Context, op: Op) -> bool {
    nested_all(ctx, op, &mut |o| is_speculatable(ctx, o))
}

/// No memory effect and nothing but its results: may be merged, dropped, and computed again where it runs.
/// To run where the program would not have run it, it has to be [`runs_anywhere`] too.
pub fn is_pure(ctx: &Context, op: Op) -> bool {
    is_declared_pure(ctx, op) && is_memory_effect_free(ctx, op)
}

fn is_declared_pure(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    if def.has(traits::SPECULATABLE) {
        return true;
    }
    if def.speculatable.is_none() && def.has(traits::RECURSIVELY_SPECULATABLE) {
        return nested_all(ctx, op, &mut |o| is_declared_pure(ctx, o));
    }
    is_speculatable(ctx, op)
}

/// No memory effect and no undefined behaviour: may be moved to where the program would not have run it.
pub fn runs_anywhere(ctx: &Context, op: Op) -> bool {
    is_speculatable(ctx, op) && is_memory_effect_free(ctx, op)
}

/// Whether `op` could be erased if nothing used its results: it is no terminator
/// and no symbol, and all it does is read memory, or allocate memory that only its
/// own results name.
pub fn would_be_trivially_dead(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    !def.is_terminator() && !def.has(traits::SYMBOL) && dead_effects(ctx, op)
}

fn dead_effects(ctx: &Context, op: Op) -> bool {
    let Some(def) = op.def(ctx) else { return false };
    let own = match def.effects {
        None => def.has(traits::NO_EFFECT) || def.has(traits::RECURSIVE_EFFECTS),
        Some(f) => {
            let list = f(ctx, op);
            // An effect on what the op itself allocates dies with the allocation.
            let own_allocation = |e: &Effect| {
                e.on.is_some_and(|v| {
                    v.def_op() == Some(op)
                        && list
                            .iter()
                            .any(|a| a.kind == EffectKind::Alloc && a.on == Some(v))
                })
            };
            list.iter()
                .all(|e| e.kind == EffectKind::Read || own_allocation(e))
        }
    };
    own && (!def.has(traits::RECURSIVE_EFFECTS)
        || nested_all(ctx, op, &mut |o| dead_effects(ctx, o)))
}

/// Whether `op` can be erased: see [`would_be_trivially_dead`], and it has no uses.
pub fn is_trivially_dead(ctx: &Context, op: Op) -> bool {
    !op.has_uses(ctx) && would_be_trivially_dead(ctx, op)
}
