//! Whether two comparisons have the same answer, as an exclusive or, which masks have.
//!
//! ```text
//! %a = arith.cmpf ogt, %x, %y                  %a = arith.cmpf ogt, %x, %y
//! %b = arith.cmpf ogt, %z, %w                  %b = arith.cmpf ogt, %z, %w
//! %c = arith.cmpi ne, %a, %b : i1       =>     %c = arith.xori %a, %b : i1
//! ```
//!
//! Where the same answer is asked for, the second comparison is turned round.

use terrace_dialects::arith::{CmpFOp, CmpIOp, CmpIPredicate, XOrIOp};
use terrace_ir::{Builder, Context, Op, Value};

/// Replaces a comparison of what two comparisons answer.
pub(super) fn replace(ctx: &mut Context, op: Op) -> Option<()> {
    let predicate = op.cast::<CmpIOp>(ctx)?.predicate(ctx)?;
    let [a, b] = [op.operand(ctx, 0), op.operand(ctx, 1)];
    if !is_comparison(ctx, a) || !is_comparison(ctx, b) {
        return None;
    }
    let mut build = Builder::before(ctx, op);
    build.loc = op.loc(build.ctx);
    let b = match predicate {
        CmpIPredicate::Ne => b,
        CmpIPredicate::Eq => opposite(&mut build, b)?,
        _ => return None,
    };
    let truth = build.ctx.i1();
    let differ = build.value::<XOrIOp>(&[a, b], truth, &[]);
    op.replace(build.ctx, &[differ]);
    Some(())
}

fn is_comparison(ctx: &Context, v: Value) -> bool {
    let scalar = v.ty(ctx).int_width(ctx) == Some(1);
    let made = v.def_op();
    scalar && made.is_some_and(|d| d.isa::<CmpIOp>(ctx) || d.isa::<CmpFOp>(ctx))
}

/// The comparison that holds where this one does not.
fn opposite(b: &mut Builder, v: Value) -> Option<Value> {
    let op = v.def_op()?;
    let [x, y] = [op.operand(b.ctx, 0), op.operand(b.ctx, 1)];
    if let Some(c) = op.cast::<CmpIOp>(b.ctx) {
        let turned = c.predicate(b.ctx)?.inverted();
        return Some(CmpIOp::build(b, turned, x, y));
    }
    let turned = op.cast::<CmpFOp>(b.ctx)?.predicate(b.ctx)?.inverted();
    Some(CmpFOp::build(b, turned, x, y))
}
