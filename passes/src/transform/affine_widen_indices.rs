//! `affine-widen-indices`: narrow integers that are linear in loops become indices.
//!
//! ```text
//! affine.for %i = 2 to %n {                  affine.for %i = 2 to %n {
//!   %k = arith.index_cast %i : to i32          %s = affine.apply (d0) -> (d0 - 2)(%i)
//!   %l = arith.subi %k, %c2 : i32     =>       %v = memref.load %a[%s]
//!   %s = arith.index_cast %l                 }
//!   %v = memref.load %a[%s]
//! }
//! ```
//!
//! C computes subscripts in 32 bits. Where its choices are decided, what is left of them is
//! arithmetic that affine maps can say, but for its width.
//!
//! Legal where the loops and conditions around leave no iteration in which the narrow integer
//! wraps around, or it promises not to (compare the widening of induction variables in LLVM's
//! `indvars`).

use crate::analysis::dependence::{Options, Program};
use crate::analysis::linear::Linear;
use terrace_dialects::affine::scope::{affine_scope, is_valid_dim};
use terrace_dialects::affine::{ApplyOp, ForOp};
use terrace_dialects::{arith, func};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-widen-indices",
    title: "AffineWidenIndices",
    summary: "Compute indices that are linear in loops as indices, not as narrower integers",
    description: "Replaces casts to index of narrower integers that arithmetic makes of loop variables, linear and without wrapping around, by affine.apply ops.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-indices",
        "Number of casts replaced",
    )],
    make: |_| Ok(Box::new(WidenIndices)),
    ..PassInfo::EMPTY
};

struct WidenIndices;

impl Pass for WidenIndices {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut casts = function.find_all::<arith::IndexCastOp>(ctx);
        casts.retain(|c| is_asked(ctx, c.op()));
        if casts.is_empty() {
            return Ok(());
        }
        let mut program = Program::of(ctx, function, &Options::of_iterations());
        let found = casts.into_iter().filter_map(|cast| {
            let form = program.number_at(ctx, cast.op(), cast.op().operand(ctx, 0))?;
            let scope = affine_scope(ctx, cast.op());
            let is_dim =
                |(v, _): &(Value, i64)| v.ty(ctx).is_index(ctx) && is_valid_dim(ctx, *v, scope);
            form.terms.iter().all(is_dim).then_some((cast.op(), form))
        });
        let found: Vec<(Op, Linear)> = found.collect();
        ctx.count("num-indices", found.len() as u64);
        for (op, form) in found {
            let (map, operands) = form.as_map();
            let mut b = Builder::before(ctx, op);
            b.loc = op.loc(b.ctx);
            let v = ApplyOp::build(&mut b, map, &operands);
            op.replace(ctx, &[v]);
        }
        Ok(())
    }
}

/// Whether it is the cast to an index, in a loop, of what is computed in narrower integers.
fn is_asked(ctx: &Context, cast: Op) -> bool {
    let from = cast.operand(ctx, 0);
    let computed = from.def_op().is_some_and(|op| {
        matches!(
            op.name(ctx),
            arith::AddIOp::NAME | arith::SubIOp::NAME | arith::MulIOp::NAME
        )
    });
    computed
        && cast.result(ctx, 0).ty(ctx).is_index(ctx)
        && from.ty(ctx).int_width(ctx).is_some_and(|w| w < 64)
        && cast.parent_of::<ForOp>(ctx).is_some()
}
