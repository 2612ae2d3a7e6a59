//! Which ops run in threads.

use terrace_dialects::affine::ParallelOp;
use terrace_dialects::{gpu, scf};
use terrace_ir::{Context, Op};

/// Whether iterations of parallel loops around an op, or threads of a launch, run it, each by
/// itself.
pub fn in_a_thread(ctx: &Context, op: Op) -> bool {
    let mut around = op.parent(ctx);
    while let Some(op) = around {
        if op.isa::<ParallelOp>(ctx)
            || op.isa::<scf::ParallelOp>(ctx)
            || op.isa::<gpu::LaunchOp>(ctx)
        {
            return true;
        }
        around = op.parent(ctx);
    }
    false
}
