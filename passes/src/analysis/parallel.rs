//! Whether the iterations of an affine loop may run in any order.
//!
//! They may where the loop carries no dependence through memory (see
//! [`super::dependence`]).

use super::dependence::first_carried;
use super::memory::{base, is_view, may_be_same};
use terrace_dialects::affine::{Access, AccessKind, ForOp};
use terrace_dialects::memref::{AllocOp, AllocaOp};
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Context, Op, OpKind, Value};

/// Why iterations may have to keep their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Two accesses may touch the same element in different iterations.
    Dependence { from: Op, to: Op },
    /// An op whose effect on memory is not known or has no subscripts to reason about.
    Effect(Op),
}

/// What keeps the loop sequential, leaving carried values aside: the first found.
pub fn memory_obstacle(ctx: &Context, l: ForOp) -> Option<Obstacle> {
    let (program, d) = first_carried(ctx, l.op())?;
    let sites = [d.source, d.sink].map(|i| &program.sites[i]);
    let opaque = sites.iter().find(|s| s.element.is_err());
    Some(match opaque {
        Some(s) => Obstacle::Effect(s.op),
        None => Obstacle::Dependence {
            from: d.source_op,
            to: d.sink_op,
        },
    })
}

/// Whether two accesses may touch the same memory, one of them writing, going by
/// their memrefs alone.
pub(super) fn may_conflict(ctx: &Context, a: &Access, b: &Access) -> bool {
    (a.kind == AccessKind::Write || b.kind == AccessKind::Write)
        && may_be_same(ctx, base(ctx, a.memref), base(ctx, b.memref))
}

/// The affine accesses inside `l` to memory that is not the iteration's own. `trusted`
/// says for which ops without known effects it is enough to look at what is in them.
///
/// # Errors
///
/// An op whose effect on memory is not known, or that touches memory that another op
/// touches, one of them writing, without subscripts to reason about.
pub(crate) fn accesses(
    ctx: &Context,
    l: ForOp,
    trusted: impl Fn(&Context, Op) -> bool,
) -> Result<Vec<Access>, Op> {
    let mut accesses: Vec<Access> = Vec::new();
    // Accesses without subscripts to reason about: the memref and whether it is written.
    let mut opaque: Vec<(Op, Value, bool)> = Vec::new();
    for op in l.op().pre_order(ctx) {
        if op == l.op() {
            continue;
        }
        if let Some(a) = Access::of(ctx, op) {
            if a.kind != AccessKind::Prefetch && !is_local(ctx, l, a.memref) {
                accesses.push(a);
            }
            continue;
        }
        let Some(effects) = own_effects(ctx, op) else {
            let recursive = op.has_trait(ctx, traits::RECURSIVE_EFFECTS);
            if recursive || is_view(ctx, op) || trusted(ctx, op) {
                continue;
            }
            return Err(op);
        };
        for e in effects {
            let write = match e.kind {
                EffectKind::Read => false,
                EffectKind::Write | EffectKind::Free => true,
                EffectKind::Alloc => continue,
            };
            match e.on {
                Some(v) if is_local(ctx, l, v) => {}
                Some(v) => opaque.push((op, base(ctx, v), write)),
                None => return Err(op),
            }
        }
    }
    for (op, memref, write) in &opaque {
        let with_access = accesses.iter().any(|a| {
            (*write || a.kind == AccessKind::Write)
                && may_be_same(ctx, *memref, base(ctx, a.memref))
        });
        let with_opaque = opaque
            .iter()
            .any(|(_, m, w)| (*write || *w) && may_be_same(ctx, *memref, *m));
        if with_access || with_opaque {
            return Err(*op);
        }
    }
    Ok(accesses)
}

/// Whether every iteration has a memref of its own.
fn is_local(ctx: &Context, l: ForOp, memref: Value) -> bool {
    let b = base(ctx, memref);
    let allocated = b
        .def_op()
        .is_some_and(|op| matches!(op.name(ctx), AllocOp::NAME | AllocaOp::NAME));
    allocated
        && b.def_op()
            .is_some_and(|op| l.op() != op && l.op().is_ancestor_of(ctx, op))
}
