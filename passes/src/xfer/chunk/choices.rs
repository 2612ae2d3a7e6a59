//! Numbers in a kernel that the host chose between two constants, as rows of a thread by the
//! size of an array: in the pieces they are the first, and the run is asked whether so.
//!
//! ```text
//! %large = arith.cmpi sge, %n, %c1000                 %large = ...
//! %rows = arith.select %large, %c4, %c1               scf.if %large and ... {
//! gpu.launch ... { ... arith.muli %i, %rows ... } =>    gpu.launch ... { ... arith.muli %i, %c4 ... }
//!                                                     } else { as before }
//! ```

use crate::analysis::captured::is_inside;
use terrace_dialects::arith::SelectOp;
use terrace_dialects::gpu::LaunchOp;
use terrace_ir::{Context, Op, OpKind, Value};

/// Takes the first of the two in the kernel; what must hold for that.
pub fn settle(ctx: &mut Context, launch: LaunchOp) -> Vec<Value> {
    let mut conditions = Vec::new();
    for op in launch.op().pre_order(ctx) {
        if op == launch.op() {
            continue;
        }
        for (i, v) in op.operands(ctx).into_iter().enumerate() {
            if let Some((condition, first)) = choice(ctx, launch.op(), v) {
                op.set_operand(ctx, i, first);
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
        }
    }
    conditions
}

/// The condition of a choice that is made outside of the launch, and the first constant.
fn choice(ctx: &Context, launch: Op, v: Value) -> Option<(Value, Value)> {
    let select = v.def_op().filter(|o| o.isa::<SelectOp>(ctx))?;
    let index = v.ty(ctx) == ctx.index() && !is_inside(ctx, launch, v);
    let constants = [1, 2].iter().all(|i| {
        let of = select.operand(ctx, *i);
        ctx.constant_int(of).is_some()
    });
    (index && constants).then(|| (select.operand(ctx, 0), select.operand(ctx, 1)))
}
