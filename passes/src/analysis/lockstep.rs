//! Whether iterations of an affine loop may run in lockstep: each op for all of them before
//! the next op.

use super::dependence::{Dependence, Options, dependences};
use super::parallel::memory_obstacle;
use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, OpKind};

/// Whether consecutive iterations of `l`, which has no loops inside, may run in lockstep as far
/// as memory is concerned. They may where the loop carries no dependence, and where the op that
/// comes first in time also comes first in the text, as in `a[i] = a[i + 1]`: all its lanes are
/// done then.
pub fn run_in_lockstep(ctx: &Context, l: ForOp) -> bool {
    if memory_obstacle(ctx, l).is_none() {
        return true;
    }
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let all = dependences(ctx, l.op(), &options);
    if all.program.sites.iter().any(|s| s.element.is_err()) {
        return false;
    }
    all.carried_by(l.iv(ctx)).all(|d| in_order(ctx, l, d))
}

fn in_order(ctx: &Context, l: ForOp, d: &Dependence) -> bool {
    let body = Some(l.body(ctx));
    let (source, sink) = (d.source_op, d.sink_op);
    let both = source.block(ctx) == body && sink.block(ctx) == body;
    both && source != sink && source.is_before(ctx, sink)
}
