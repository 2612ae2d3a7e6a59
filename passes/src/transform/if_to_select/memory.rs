//! Loads and stores in the ways of a condition.
//!
//! A load may run for nothing where its element is known to be there. Stores to one element
//! in both ways are one store of what the condition chooses. Where one way alone stores, the
//! other way may store what the element holds, if the program stores to it in any case: else
//! another thread could lose what it wrote there in between.

use crate::analysis::in_bounds::is_there;
use crate::analysis::intervening::{dominates, is_same_element, post_dominates};
use terrace_dialects::affine::{Access, AccessKind, ParallelOp};
use terrace_dialects::memref::AllocaOp;
use terrace_dialects::scf::{self, IfOp};
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// A store behind the condition, and the stores of both ways that it stands for.
pub struct Joined {
    /// Of the first way, or of the second one where the first has none.
    pub access: Access,
    pub stores: [Option<Op>; 2],
}

/// The stores of both ways as they can be made behind the condition, in their order; nothing
/// where a load or store of them cannot leave it.
pub fn joined(ctx: &Context, i: IfOp) -> Option<Vec<Joined>> {
    let [then, other] = [Some(i.then_block(ctx)), i.else_block(ctx)]
        .map(|block| block.map_or_else(|| Some(Vec::new()), |b| stores(ctx, i, b)));
    let (then, mut other) = (then?, other?);
    let mut all = Vec::new();
    // Both ways store in the same order, so that memrefs that are the same memory without
    // anyone's knowing it hold what they did.
    for access in then {
        let partner = match other.first() {
            Some(o) if is_same_element(ctx, o, &access) => Some(other.remove(0).op),
            _ if is_stored_anyway(ctx, i, &access) => None,
            _ => return None,
        };
        let stores = [Some(access.op), partner];
        all.push(Joined { access, stores });
    }
    for access in other {
        if !is_stored_anyway(ctx, i, &access) {
            return None;
        }
        let stores = [None, Some(access.op)];
        all.push(Joined { access, stores });
    }
    Some(all)
}

/// The stores of one way, where all of them come behind its loads and those may run for
/// nothing.
fn stores(ctx: &Context, i: IfOp, block: Block) -> Option<Vec<Access>> {
    let mut found: Vec<Access> = Vec::new();
    for op in block.ops(ctx) {
        let Some(access) = Access::of(ctx, op) else {
            continue;
        };
        if access.vector.is_some() {
            return None;
        }
        match access.kind {
            AccessKind::Write => {
                if found.iter().any(|a| a.memref == access.memref) {
                    return None;
                }
                found.push(access);
            }
            AccessKind::Read if found.is_empty() && is_there(ctx, &access, i) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// Whether an iteration that comes to the condition stores to the element in any case, or no
/// other thread knows of the memory.
fn is_stored_anyway(ctx: &Context, i: IfOp, access: &Access) -> bool {
    let Some(block) = i.op().block(ctx) else {
        return false;
    };
    if is_own(ctx, i, access.memref) && is_there(ctx, access, i) {
        return true;
    }
    block.ops(ctx).into_iter().any(|op| {
        Access::of(ctx, op).is_some_and(|a| {
            a.kind == AccessKind::Write
                && is_same_element(ctx, &a, access)
                && (dominates(ctx, op, access.op) || post_dominates(ctx, op, access.op))
        })
    })
}

/// Whether a memref is memory that a function takes for itself, in the thread that comes to `i`,
/// and hands to nobody.
fn is_own(ctx: &Context, i: IfOp, memref: Value) -> bool {
    let Some(alloca) = memref.def_op().filter(|op| op.isa::<AllocaOp>(ctx)) else {
        return false;
    };
    let accessed = memref.users(ctx).iter().all(|op| {
        Access::of(ctx, *op).is_some_and(|a| a.memref == memref && a.stored(ctx) != Some(memref))
    });
    let Some(home) = alloca.parent(ctx) else {
        return false;
    };
    let mut around = i.op().parent(ctx);
    while let Some(op) = around.filter(|op| *op != home) {
        if op.isa::<ParallelOp>(ctx) || op.isa::<scf::ParallelOp>(ctx) {
            return false;
        }
        around = op.parent(ctx);
    }
    accessed && around.is_some()
}
