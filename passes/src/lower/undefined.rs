//! `lower-undefined`: values that other dialects leave undefined or write down become constants.
//!
//! Legal, since a value that may be any may be 0. What reads one is not changed.
//!
//! ```text
//! %0 = llvm.mlir.undef : i32      =>    %c0_i32 = arith.constant 0 : i32
//! ```

use terrace_dialects::{arith, llvm, ub};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Attr, Builder, Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "lower-undefined",
    title: "LowerUndefined",
    summary: "Turn undefined values and constants of llvm into constants of arith",
    description: "What is undefined or poison becomes 0, as llvm.mlir.zero does; llvm.mlir.constant becomes arith.constant. Values of other types than numbers, and vectors of them, stay.",
    make: |_| Ok(Box::new(LowerUndefined)),
    ..PassInfo::EMPTY
};

struct LowerUndefined;

impl Pass for LowerUndefined {
    fn run(&mut self, ctx: &mut PassContext, root: Op) -> PassResult {
        for op in root.pre_order(ctx) {
            let Some(value) = value(ctx, op) else {
                continue;
            };
            let ty = op.result(ctx, 0).ty(ctx);
            let mut b = Builder::before(ctx, op);
            if let Some(constant) = arith::materialize(&mut b, value, ty) {
                let constant = constant.result(b.ctx, 0);
                op.replace(ctx, &[constant]);
            }
        }
        Ok(())
    }
}

/// The constant that an op may be.
fn value(ctx: &Context, op: Op) -> Option<Attr> {
    let any = op.isa::<ub::PoisonOp>(ctx)
        || op.isa::<llvm::UndefOp>(ctx)
        || op.isa::<llvm::PoisonOp>(ctx)
        || op.isa::<llvm::ZeroOp>(ctx);
    if any {
        return ctx.zero_attr(op.result(ctx, 0).ty(ctx));
    }
    let value = op
        .isa::<llvm::ConstantOp>(ctx)
        .then(|| op.attr(ctx, "value"))??;
    let ty = op.result(ctx, 0).ty(ctx);
    // `llvm.mlir.constant(1 : index) : i64` and the like.
    match (value.as_i64(ctx), ty.is_signless_int(ctx)) {
        (Some(n), true) if value.typed(ctx) != Some(ty) => {
            value.typed(ctx).filter(|t| t.is_index(ctx))?;
            Some(ctx.int_attr(ty, n))
        }
        _ => Some(value),
    }
}
