//! Loops in which a thread goes on by the size of the grid, where the grid is large enough
//! that it never does.
//!
//! ```text
//! scf.for %i = %x * 8 + %t to %n step %gx * 8 {      %some = arith.cmpi slt, %x * 8 + %t, %n
//!   body(%i)                                    =>   scf.if %some {
//! }                                                    body(%x * 8 + %t)
//!                                                    }
//! ```
//!
//! Right where the step leads from the least of the first counters to the end at once; where
//! constants do not tell, the run is asked.

use crate::analysis::captured::is_inside;
use crate::analysis::linear::Linear;
use crate::xfer::narrow::bounds::Known;
use crate::xfer::narrow::expand::expand;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_dialects::gpu::LaunchOp;
use terrace_dialects::scf;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// `more >= less`, of values outside of the launch.
#[derive(Debug, Clone)]
pub struct Need {
    pub more: Linear,
    pub less: Linear,
}

/// Takes the loops away; what must hold for that.
pub fn remove(ctx: &mut Context, function: Op, launch: LaunchOp) -> Vec<Need> {
    let mut needs = Vec::new();
    for l in launch.op().find_all::<scf::ForOp>(ctx) {
        let Some(need) = need(ctx, function, launch, l) else {
            continue;
        };
        match need.more.distance(&need.less) {
            Some(d) if d < 0 => continue,
            Some(_) => {}
            None => needs.push(need),
        }
        let op = l.op();
        let (first, end) = (l.lower_bound(ctx), l.upper_bound(ctx));
        let mut b = Builder::before(ctx, op);
        let some = CmpIOp::build(&mut b, CmpIPredicate::Slt, first, end);
        let (_, then, _) = scf::IfOp::build(&mut b, some, &[], false);
        l.induction_var(ctx).replace_all_uses(ctx, first);
        for inside in op.body(ctx, 0).ops(ctx) {
            inside.move_to_end(ctx, then);
        }
        op.erase(ctx);
    }
    needs
}

/// What must hold for the loop to run at most once; `None` where that cannot be asked.
fn need(ctx: &Context, function: Op, launch: LaunchOp, l: scf::ForOp) -> Option<Need> {
    let plain = l.op().num_results(ctx) == 0
        && !l.is_unsigned(ctx)
        && l.induction_var(ctx).ty(ctx) == ctx.index();
    let first = expand(ctx, l.lower_bound(ctx));
    let blocks = launch.block_ids(ctx);
    let end = l.upper_bound(ctx);
    // The rows of one thread end by its own number.
    let plain = plain && (!is_inside(ctx, launch.op(), end) || ctx.constant_int(end).is_some());
    if !plain || blocks.iter().all(|b| first.coefficient(*b) <= 0) {
        return None;
    }
    let outside = |v: Value| !is_inside(ctx, launch.op(), v);
    let known = Known::in_block(ctx, function, l.op().block(ctx)?);
    let step = expand(ctx, l.step(ctx));
    let step = known.lower(ctx, &step, &outside)?;
    let least = known.lower(ctx, &first, &outside)?;
    let end = expand(ctx, end);
    Some(Need {
        more: least.plus_times(&step, 1)?,
        less: known.upper(ctx, &end, &outside)?,
    })
}
