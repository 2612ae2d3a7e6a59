//! A hash of IR, to see whether a pass changed it.

use crate::context::Context;
use crate::op::Op;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A hash of everything that `op` is made of and holds, but locations. Equal hashes
/// of the same op at two times mean that nothing changed, but for a hash collision.
pub(super) fn fingerprint(ctx: &Context, op: Op) -> u64 {
    let mut h = FxHasher::default();
    op.walk(ctx, &mut |o| {
        // Handles stand for the objects: a new op has a new handle.
        o.hash(&mut h);
        o.block(ctx).hash(&mut h);
        {
            let data = o.0.deref(&ctx.ir);
            data.get_num_operands().hash(&mut h);
            data.operands().for_each(|v| v.hash(&mut h));
            data.result_types().for_each(|t| t.hash(&mut h));
            data.successors().for_each(|s| s.hash(&mut h));
        }
        if let Some(p) = o.payload(ctx) {
            p.hash(&mut h);
        }
        for i in 0..o.num_regions(ctx) {
            for b in o.region(ctx, i).blocks(ctx) {
                b.hash(&mut h);
                b.args(ctx).iter().for_each(|a| (a, a.ty(ctx)).hash(&mut h));
            }
        }
    });
    h.finish()
}
