//! `affine-conditions-to-arith`: conditions in innermost loops become comparisons of 32 bits, which
//! lanes of vectors can make.
//!
//! ```text
//! affine.for %i = 0 to 1000 {                     affine.for %i = 0 to 1000 {
//!   affine.if (%i mod 4 - 1 == 0) {                 %0 = arith.index_cast %i : index to i32
//!     body                                          %1 = arith.andi %0, %c3 : i32
//!   }                                       =>      %2 = arith.cmpi eq, %1 - 1, %c0 : i32
//! }                                                 scf.if %2 {
//!                                                     body
//!                                                   }
//!                                                 }
//! ```
//!
//! Only conditions about the variable of the loop itself, and only where all that they compute is
//! known to fit. What could be done with the form of the conditions is to be done before.

use terrace_dialects::affine::{ForOp, IfOp};
use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, IndexCastOp, MulIOp, ShRSIOp,
};
use terrace_dialects::{func, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, IntegerSet};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value};

use crate::analysis::ranges::Ranges;

pub static INFO: PassInfo = PassInfo {
    name: "affine-conditions-to-arith",
    title: "AffineConditionsToArith",
    summary: "Compare in 32 bits what conditions in innermost affine loops are about",
    description: "Replaces affine.if ops of innermost affine.for ops that depend on the loop's variable by scf.if ops, where everything is known to fit into 32 bits and is divided by powers of two only.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-conditions",
        "Number of conditions replaced",
    )],
    make: |_| Ok(Box::new(ConditionsToArith)),
    ..PassInfo::EMPTY
};

struct ConditionsToArith;

impl Pass for ConditionsToArith {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut ranges = Ranges::default();
        for l in op.find_all::<ForOp>(ctx) {
            if l.op().find_all::<ForOp>(ctx).len() > 1 {
                continue;
            }
            for i in l.op().find_all::<IfOp>(ctx) {
                let (set, operands) = i.composed(ctx);
                if operands.contains(&l.iv(ctx)) && fits(ctx, &mut ranges, &set, &operands) {
                    replace(ctx, i, &set, &operands);
                    ctx.count("num-conditions", 1);
                }
            }
        }
        Ok(())
    }
}

/// Whether 32 bits with a sign hold everything that is computed, and instructions compute it.
fn fits(ctx: &Context, ranges: &mut Ranges, set: &IntegerSet, operands: &[Value]) -> bool {
    let mut parts = Vec::new();
    let all = set.constraints().iter();
    if !all.clone().all(|c| collect(&c.expr, &mut parts)) {
        return false;
    }
    let map = AffineMap::new(set.num_dims(), set.num_symbols(), parts);
    let fit = i64::from(i32::MIN)..=i64::from(i32::MAX);
    let found = ranges.of_results(ctx, &map, operands);
    found.into_iter().all(|r| {
        let inside = |bound: Option<i64>| bound.is_some_and(|b| fit.contains(&b));
        inside(r.lo) && inside(r.hi)
    })
}

/// The parts of an expression, each before what it is part of; whether all have an instruction.
fn collect(e: &AffineExpr, parts: &mut Vec<AffineExpr>) -> bool {
    let known = match e.as_binary() {
        None => true,
        Some((op, a, b)) => {
            let constant = b.as_constant();
            let simple = match op {
                AffineOp::Add => true,
                AffineOp::Mul => constant.is_some(),
                AffineOp::Mod | AffineOp::FloorDiv => {
                    constant.is_some_and(|c| c > 0 && c & (c - 1) == 0)
                }
                AffineOp::CeilDiv => false,
            };
            simple && collect(a, parts) && collect(b, parts)
        }
    };
    parts.push(e.clone());
    known
}

fn replace(ctx: &mut Context, i: IfOp, set: &IntegerSet, operands: &[Value]) {
    let ty = ctx.i32();
    let mut b = Builder::before(ctx, i.op());
    b.loc = i.op().loc(b.ctx);
    let inputs: Vec<Value> = operands
        .iter()
        .map(|v| b.value::<IndexCastOp>(&[*v], ty, &[]))
        .collect();
    let (dims, symbols) = inputs.split_at(set.num_dims() as usize);
    let mut holds: Option<Value> = None;
    for c in set.constraints() {
        let value = computed(&mut b, &c.expr, dims, symbols, ty);
        let zero = number(&mut b, 0, ty);
        let how = match c.is_eq {
            true => CmpIPredicate::Eq,
            false => CmpIPredicate::Sge,
        };
        let one = CmpIOp::build(&mut b, how, value, zero);
        let bool_type = one.ty(b.ctx);
        holds = Some(match holds {
            Some(others) => b.value::<AndIOp>(&[others, one], bool_type, &[]),
            None => one,
        });
    }
    let holds = holds.unwrap_or_else(|| arith::constant_bool(&mut b, true));
    let types = i.op().result_types(b.ctx);
    let other = i.else_block(b.ctx);
    let loc = b.loc;
    let (new, then, otherwise) = scf::IfOp::build(&mut b, holds, &types, other.is_some());
    let ctx = b.ctx;
    for (from, to) in [(Some(i.then_block(ctx)), Some(then)), (other, otherwise)] {
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        let end = from.last_op(ctx);
        let given = end.map(|e| e.operands(ctx)).unwrap_or_default();
        if let Some(end) = end {
            end.erase(ctx);
        }
        to.append_ops_of(ctx, from);
        let mut b = Builder::at_end(ctx, to, loc);
        b.op::<scf::YieldOp>(&given, &[], &[]);
    }
    let results = new.op().results(ctx);
    i.op().replace(ctx, &results);
}

/// What an expression computes. Remainders and quotients by powers of two are those of affine
/// maps, which round down, whatever the sign.
fn computed(b: &mut Builder, e: &AffineExpr, dims: &[Value], symbols: &[Value], ty: Type) -> Value {
    let (op, x, y) = match e {
        AffineExpr::Dim(d) => return dims[*d as usize],
        AffineExpr::Symbol(s) => return symbols[*s as usize],
        AffineExpr::Constant(c) => return number(b, *c, ty),
        AffineExpr::Binary(_) => match e.as_binary() {
            Some(parts) => parts,
            None => return number(b, 0, ty),
        },
    };
    let first = computed(b, x, dims, symbols, ty);
    let by = y.as_constant().unwrap_or(1);
    match op {
        AffineOp::Add => {
            let second = computed(b, y, dims, symbols, ty);
            b.value::<AddIOp>(&[first, second], ty, &[])
        }
        AffineOp::Mul => {
            let by = number(b, by, ty);
            b.value::<MulIOp>(&[first, by], ty, &[])
        }
        AffineOp::Mod => {
            let low = number(b, by - 1, ty);
            b.value::<AndIOp>(&[first, low], ty, &[])
        }
        AffineOp::FloorDiv | AffineOp::CeilDiv => {
            let by = number(b, i64::from(by.trailing_zeros()), ty);
            b.value::<ShRSIOp>(&[first, by], ty, &[])
        }
    }
}

fn number(b: &mut Builder, n: i64, ty: Type) -> Value {
    let attr = b.ctx.int_attr(ty, n);
    arith::constant(b, attr)
}
