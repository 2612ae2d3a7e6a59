//! What the iterations of a nest combine, as an array with an element of each, which a loop behind
//! combines: a block has no results.
//!
//! ```text
//! %m = scf.parallel (%i) ... reduce(maxf) {         scf.parallel (%i) {
//!   %r = scf.parallel (%j) ... reduce(maxf)           %r = scf.parallel (%j) ... reduce(maxf)
//!   scf.reduce(%r)                             =>     %part[%i] = %r
//! }                                                 }
//!                                                   %m = scf.parallel (%i) ... reduce(maxf) { %part[%i] }
//! ```

use super::find::Level;
use super::trips;
use crate::gpu::map_scans::array;
use crate::loops::build::index::{constant, div, max, sub};
use terrace_dialects::{memref, scf};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// Makes the iterations of `root`, which is over one counter, leave their parts in arrays. The loop
/// that does, which has no results.
pub(super) fn through_memory(ctx: &mut Context, root: scf::ParallelOp) -> Option<scf::ParallelOp> {
    let op = root.op();
    let [level] = Level::of(ctx, root)[..] else {
        return None;
    };
    let reduce = root.reduce_op(ctx)?.op();
    let (results, inits) = (op.results(ctx), root.init_vals(ctx));
    let b = &mut Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let (zero, one) = (constant(b, 0), constant(b, 1));
    let count = trips(b, &level);
    let room = max(b, count, one);
    let parts: Vec<Value> = (results.iter())
        .map(|r| {
            let elem = r.ty(b.ctx);
            array(b, elem, &[room], true)
        })
        .collect();
    let (rows, body) =
        scf::ParallelOp::build(b, &[level.lower], &[level.upper], &[level.step], &[]);
    let sizes = rows.op().attrs(b.ctx);
    let is_size = |name| b.ctx.str(name) == SEGMENTS;
    let others = op.attrs(b.ctx).into_iter().filter(|(n, _)| !is_size(*n));
    let attrs: Vec<_> = sizes.into_iter().chain(others).collect();
    rows.op().set_attrs(b.ctx, &attrs);
    let iv = body.arg(b.ctx, 0);
    level.iv.replace_all_uses(b.ctx, iv);
    for o in root.body(b.ctx).ops(b.ctx) {
        if o != reduce {
            o.move_to_end(b.ctx, body);
        }
    }
    b.with_point(InsertPoint::End(body), |b| {
        let far = sub(b, iv, level.lower);
        let number = match b.ctx.constant_int(level.step) {
            Some(1) => far,
            _ => div(b, far, level.step),
        };
        for (part, array) in reduce.operands(b.ctx).into_iter().zip(&parts) {
            memref::StoreOp::build(b, part, *array, &[number]);
        }
        scf::ReduceOp::build(b, &[]);
    });
    let (all, body) = scf::ParallelOp::build(b, &[zero], &[count], &[one], &inits);
    b.with_point(InsertPoint::End(body), |b| {
        let k = body.arg(b.ctx, 0);
        let loaded: Vec<Value> = parts
            .iter()
            .map(|p| memref::LoadOp::build(b, *p, &[k]))
            .collect();
        reduce.move_to_end(b.ctx, body);
        reduce.set_operands(b.ctx, &loaded);
    });
    for (old, new) in results.iter().zip(all.op().results(b.ctx)) {
        old.replace_all_uses(b.ctx, new);
    }
    for p in parts {
        memref::DeallocOp::build(b, p);
    }
    op.erase(ctx);
    Some(rows)
}

/// The attribute that says how many operands are in each group.
const SEGMENTS: &str = "operandSegmentSizes";
