//! `expand-twice`: what is doubled is added to itself.
//!
//! Always legal: both wrap alike.
//!
//!     %0 = own.twice %x : i32    =>    %0 = arith.addi %x, %x : i32

use crate::own::TwiceOp;
use terrace::dialects::arith::AddIOp;
use terrace::ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace::ir::{Builder, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "expand-twice",
    title: "ExpandTwice",
    summary: "Add values to themselves in place of own.twice",
    description: "Rewrites own.twice to arith.addi, at most `limit` times in one function.",
    anchor: Some("func.func"),
    options: &[OptionInfo::new(
        "limit",
        OptionKind::UInt,
        "4294967295",
        "Rewrites in one function",
    )],
    statistics: &[StatisticInfo::new(
        "num-expanded",
        "Number of ops rewritten",
    )],
    make: |o| {
        Ok(Box::new(ExpandTwice {
            limit: o.uint("limit"),
        }))
    },
};

struct ExpandTwice {
    limit: u64,
}

impl Pass for ExpandTwice {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let mut done = 0;
        for twice in function.find_all::<TwiceOp>(ctx) {
            if done == self.limit {
                break;
            }
            let op = twice.op();
            let x = op.operand(ctx, 0);
            let ty = x.ty(ctx);
            let sum = Builder::before(ctx, op).value::<AddIOp>(&[x, x], ty, &[]);
            op.replace(ctx, &[sum]);
            done += 1;
        }
        ctx.count("num-expanded", done);
        Ok(())
    }
}
