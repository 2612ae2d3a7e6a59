//! `affine-wrap-to-select`: remainders of indices that wrap around once are choices.
//!
//! ```text
//! affine.for %i = 0 to %n {                  affine.for %i = 0 to %n {
//!   %k = arith.addi %i, %c1                    %k = arith.addi %i, %c1
//!   %r = arith.remsi %k, %n          =>        %c = arith.cmpi sge, %k, %n
//!   ...                                        %l = arith.subi %k, %n
//! }                                            %r = arith.select %c, %l, %k
//! ```
//!
//! Programs on a torus write `(i + 1) % n` and `(i - 1 + n) % n` for the neighbours of `i`. A
//! division costs as much as the rest of an iteration, and nobody sees that the subscript is
//! linear but for one iteration. A choice is cheap, moves out of loops, and
//! `affine-split-conditions` takes loops apart where it changes.
//!
//! Legal where the loops and conditions around leave no iteration in which the dividend is not
//! between the divisor, negated, and twice the divisor (for unsigned numbers between 0 and twice
//! the divisor), and nothing in either wraps around. The remainder of a negative number by a
//! greater one is that number, as for the signed division of C.

use crate::analysis::dependence::{Options, Program};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, Value};

pub static INFO: PassInfo = PassInfo {
    name: "affine-wrap-to-select",
    title: "AffineWrapToSelect",
    summary: "Make choices of remainders of indices that wrap around once",
    description: "Replaces arith.remsi and arith.remui by values that are no constants where, by the loops around, the dividend is less than twice the divisor: by the dividend, by the difference of the two, or by a choice between them.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-remainders",
        "Number of remainders replaced",
    )],
    make: |_| Ok(Box::new(WrapToSelect)),
    ..PassInfo::EMPTY
};

struct WrapToSelect;

impl Pass for WrapToSelect {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut all = function.pre_order(ctx);
        all.retain(|op| is_asked(ctx, *op));
        if all.is_empty() {
            return Ok(());
        }
        let mut program = Program::of(ctx, function, &Options::of_iterations());
        let found = all.into_iter().filter_map(|op| {
            let below = below(ctx, &mut program, op)?;
            Some((op, below))
        });
        let found: Vec<(Op, Option<bool>)> = found.collect();
        ctx.count("num-remainders", found.len() as u64);
        for (op, below) in found {
            replace(ctx, op, below);
        }
        Ok(())
    }
}

/// Whether an op is a remainder of a scalar by a value that is no constant.
fn is_asked(ctx: &Context, op: Op) -> bool {
    matches!(op.name(ctx), arith::RemSIOp::NAME | arith::RemUIOp::NAME) && {
        let by = op.operand(ctx, 1);
        let ty = by.ty(ctx);
        (ty.is_index(ctx) || ty.int_width(ctx).is_some()) && ctx.constant_int(by).is_none()
    }
}

/// Whether the dividend is less than the divisor, `Some(None)` if only sometimes; `None` where it
/// may be outside of what wraps around once.
fn below(ctx: &Context, program: &mut Program, op: Op) -> Option<Option<bool>> {
    use CmpIPredicate::{Sge, Sgt, Slt};
    let [x, by] = [op.operand(ctx, 0), op.operand(ctx, 1)];
    let least = match op.isa::<arith::RemSIOp>(ctx) {
        true => (Sgt, x, (-1, by)),
        false => (Sge, x, (0, by)),
    };
    let mut always = |what| Some(program.compared(ctx, op, what)?.always);
    if always(least)? != Some(true) {
        return None;
    }
    let below = always((Slt, x, (1, by)))?;
    let once = below == Some(true) || always((Slt, x, (2, by)))? == Some(true);
    once.then_some(below)
}

fn replace(ctx: &mut Context, op: Op, below: Option<bool>) {
    let [x, by] = [op.operand(ctx, 0), op.operand(ctx, 1)];
    if below == Some(true) {
        op.replace(ctx, &[x]);
        return;
    }
    let mut b = Builder::before(ctx, op);
    b.loc = op.loc(b.ctx);
    let ty = x.ty(b.ctx);
    let flags = arith::OVERFLOW.attr(b.ctx, arith::overflow::NSW);
    let less: Value = b.value::<arith::SubIOp>(&[x, by], ty, &[(arith::ATTR_OVERFLOW, flags)]);
    let v = match below {
        Some(_) => less,
        None => {
            let wraps = CmpIOp::build(&mut b, CmpIPredicate::Sge, x, by);
            b.value::<arith::SelectOp>(&[wraps, less, x], ty, &[])
        }
    };
    op.replace(ctx, &[v]);
}
