//! Rewrites that need no analysis: what is plainly for nothing.

use super::ops::{AllocOp, CopyOp, FreeOp};
use crate::gpu::canonicalize::{dim_of_alloc, only_effect};
use crate::memref::DimOp;
use terrace_ir::opdef::EffectKind;
use terrace_ir::rewrite::PatternSet;
use terrace_ir::{Op, OpKind};

/// A copy onto itself, or into a buffer that is only freed afterwards, does nothing.
pub(super) fn copy(set: &mut PatternSet) {
    set.add::<CopyOp>(|rw, op| {
        let c = CopyOp::wrap(op);
        // A token of it is waited for.
        if op.has_uses(rw.ctx) {
            return false;
        }
        let dst = c.dst(rw.ctx);
        if c.src(rw.ctx) == dst {
            rw.erase(op);
            return true;
        }
        let allocated = dst
            .def_op()
            .is_some_and(|d| only_effect(rw.ctx, d, EffectKind::Alloc, dst));
        let idle = |u: &Op| *u == op || only_effect(rw.ctx, *u, EffectKind::Free, dst);
        if !allocated || !dst.users(rw.ctx).iter().all(idle) {
            return false;
        }
        rw.erase(op);
        true
    });
}

/// A buffer that is only freed is not needed; its sizes are those it was allocated
/// with.
pub(super) fn alloc(set: &mut PatternSet) {
    set.add::<DimOp>(dim_of_alloc::<AllocOp>);
    set.add::<AllocOp>(|rw, op| {
        let users = AllocOp::wrap(op).buffer(rw.ctx).users(rw.ctx);
        if !users.iter().all(|u| u.isa::<FreeOp>(rw.ctx)) {
            return false;
        }
        for u in users {
            rw.erase(u);
        }
        rw.erase(op);
        true
    });
}
