//! Running values that a condition starts again: prefix sums of segments.
//!
//! ```text
//! %s = scf.if %first {                   %t = arith.addf %running, %x
//!   scf.yield %x                         %s = arith.select %first, %x, %t
//! } else {                         =>
//!   scf.yield %running + %x
//! }
//! ```
//!
//! As a choice that is one of `a * x + b`, with an `a` of 0 where a segment begins.

use super::scan;
use crate::transform::if_to_select::choose;
use terrace_dialects::affine::ForOp;
use terrace_dialects::scf::IfOp;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Context, Op, OpKind};

/// Makes choices of the conditions in loops that are scans with them.
pub fn choose_values(ctx: &mut Context, function: Op, reassociate: bool) {
    for l in function.find_all::<ForOp>(ctx) {
        let body = l.body(ctx).ops(ctx);
        let mut ifs = body.iter().filter(|op| op.isa::<IfOp>(ctx));
        let chooses = ifs.any(|op| op.num_results(ctx) > 0);
        let innermost = l.op().find_all::<ForOp>(ctx).len() == 1;
        if !chooses || !innermost || scan(ctx, l, reassociate).is_ok() {
            continue;
        }
        let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
        copy.insert_before(ctx, l.op());
        choose(ctx, copy);
        if scan(ctx, ForOp::wrap(copy), reassociate).is_ok() {
            let results = copy.results(ctx);
            l.op().replace(ctx, &results);
        } else {
            copy.erase(ctx);
        }
    }
}
