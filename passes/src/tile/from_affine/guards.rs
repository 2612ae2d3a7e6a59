//! A condition around loops becomes a condition in each of them, so that their iterations are
//! elements like those of other loops.
//!
//! ```text
//! affine.if #c(%i) {                       affine.parallel (%j) {
//!   affine.parallel (%j) {                   affine.if #c(%i) {
//!     store %x, %A[%i, %j]         =>          store %x, %A[%i, %j]
//!   }                                        }
//! }                                        }
//! ```
//!
//! Legal where the loops are parallel and have no results: an iteration does what it did, or
//! nothing. What only computes is computed in front of the condition.

use super::find::statements;
use terrace_dialects::affine::{self, ParallelOp};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op};

/// Whether [`sink`] would change something in the nest.
pub(super) fn any(ctx: &Context, root: Op) -> bool {
    (root.pre_order(ctx).into_iter()).any(|o| is_around_loops(ctx, o))
}

/// Sinks all such conditions in a nest.
pub(super) fn sink(ctx: &mut Context, root: Op) {
    while let Some(op) = (root.pre_order(ctx).into_iter()).find(|o| is_around_loops(ctx, *o)) {
        let body = op.blocks(ctx)[0];
        for inner in statements(ctx, body) {
            inner.move_before(ctx, op);
            if let Some(p) = inner.cast::<ParallelOp>(ctx) {
                put_into(ctx, op, p.body(ctx));
            }
        }
        op.erase(ctx);
    }
}

/// Whether it is a condition with one way, of loops whose iterations it can be asked in.
fn is_around_loops(ctx: &Context, op: Op) -> bool {
    if !(op.isa::<affine::IfOp>(ctx) || op.isa::<scf::IfOp>(ctx)) || op.num_results(ctx) > 0 {
        return false;
    }
    let blocks = op.blocks(ctx);
    let Some(body) = blocks.first().filter(|_| blocks.len() == 1) else {
        return false;
    };
    let all = statements(ctx, *body);
    let is_loop = |o: &Op| o.isa::<ParallelOp>(ctx) && o.num_results(ctx) == 0;
    all.iter().any(is_loop) && all.iter().all(|o| is_loop(o) || is_pure(ctx, *o))
}

/// Puts all that a block does under a copy of the condition.
fn put_into(ctx: &mut Context, condition: Op, block: Block) {
    let ops = statements(ctx, block);
    let copy = clone_op(ctx, condition, &mut IrMapping::new());
    let body = copy.blocks(ctx)[0];
    for o in statements(ctx, body).into_iter().rev() {
        o.erase(ctx);
    }
    let Some(first) = ops.first() else {
        copy.erase(ctx);
        return;
    };
    copy.insert_before(ctx, *first);
    let Some(end) = body.last_op(ctx) else { return };
    for o in ops {
        o.move_before(ctx, end);
    }
}
