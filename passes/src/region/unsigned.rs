//! `offload-unsigned`: unsigned numbers of 32 bits that index are signed ones, under conditions on the sizes
//! that a region is given.
//!
//! ```text
//! func.func @f(%A, %n: i32, %m: i32)         func.func @f(...) attributes {acc.presumes = n * m <= 2^31, ...}
//!   affine.for %i = 0 to %n                    affine.for %i = 0 to %n
//!     affine.for %j = 0 to %m            =>      affine.for %j = 0 to %m
//!       %k = i * m + j : i32                       %l = i * m + j : index
//!       %l = arith.index_castui %k
//! ```
//!
//! C's unsigned numbers start again at 0 behind the greatest, so that nothing tells rows of `m` elements apart.
//! Signed ones do not overflow, and every analysis builds on that.
//!
//! Legal because what 32 bits hold is the number itself where that is from 0 to 2^31 - 1. Sums, differences
//! and products are right up to a multiple of 2^32 whatever is between, so only what indexes, is divided or bounds
//! a loop has to be in that range. Its least and greatest value over the loops are polynomials in the
//! arguments (`unsigned/numbers.rs`). The call of the region looks at these, and runs the C statement where
//! one of them is out of the range.

mod guards;
mod numbers;

use terrace_dialects::arith::{
    AddIOp, CmpIOp, DivUIOp, ExtUIOp, FloorDivSIOp, IndexCastOp, IndexCastUIOp, MulIOp, RemSIOp,
    RemUIOp, ShLIOp, ShRUIOp, SubIOp,
};
use terrace_dialects::attributes::ACC_REGION;
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

use self::guards::comparison;
use self::numbers::{Numbers, Reading};
use crate::analysis::dependence::{Presumed, presume};
use crate::loops::build::index;

/// The most conditions that a call may have to look at.
const MAX_CONDITIONS: usize = 12;

/// `offload-unsigned`.
pub static INFO: PassInfo = PassInfo {
    name: "offload-unsigned",
    title: "OffloadUnsigned",
    summary: "Take unsigned numbers that index for signed ones, where sizes let them",
    description: "In a region, unsigned numbers of 32 bits that are computed from counters and arguments and index an array, are divided or bound a loop become signed ones. acc.presumes says for which arguments all of them are from 0 to 2^31 - 1. Whoever calls the function has to look whether they are.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-numbers",
        "Number of conversions that became signed",
    )],
    make: |_| Ok(Box::new(Unsigned)),
    ..PassInfo::EMPTY
};

struct Unsigned;

impl Pass for Unsigned {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        if function.attr(ctx, ACC_REGION).is_none() {
            return Ok(());
        }
        let made = signed(ctx, function);
        ctx.count("num-numbers", made as u64);
        Ok(())
    }
}

/// Makes what it can of a function signed; how many conversions and comparisons.
fn signed(ctx: &mut Context, function: Op) -> usize {
    let all = function.pre_order(ctx);
    let conversions = all.iter().copied().filter(|op| is_conversion(ctx, *op));
    let comparisons = all.iter().filter_map(|op| comparison(ctx, *op));
    let mut numbers = Numbers::new(ctx, function);
    // Arguments alone are what they are, unless they are in what changes.
    let (plain, computed): (Vec<Op>, Vec<Op>) =
        conversions.partition(|op| numbers.argument(op.operand(ctx, 0)).is_some());
    let mut reading = Reading::default();
    let mut varies = false;
    let mut made: Vec<Op> = Vec::new();
    for op in computed {
        if let Some(found) = numbers.conversion(op) {
            varies |= found.varies;
            reading.add(&found.of);
            made.push(op);
        }
    }
    if !varies {
        return 0;
    }
    let Some(mut conditions) = presumed(&numbers, &reading) else {
        return 0;
    };
    let mut compared = Vec::new();
    for c in comparisons {
        let Some(found) = numbers.comparison(c).filter(|f| f.varies) else {
            continue;
        };
        let mut with_it = found.of;
        with_it.add(&reading);
        if let Some(all) = presumed(&numbers, &with_it) {
            (conditions, reading) = (all, with_it);
            compared.push(c);
        }
    }
    let with_them = |op: &Op| {
        let argument = numbers.argument(op.operand(ctx, 0));
        argument.is_some_and(|i| reading.arguments.contains(&i))
    };
    made.extend(plain.into_iter().filter(with_them));
    presume(ctx, function, conditions);
    for op in &made {
        replace(ctx, *op);
    }
    for c in &compared {
        compare(ctx, *c);
    }
    made.len() + compared.len()
}

/// The conditions, if they are so few that a call can look at them.
fn presumed(numbers: &Numbers, of: &Reading) -> Option<Vec<Presumed>> {
    let all = numbers.presumed(of.needs.clone())?;
    (all.len() <= MAX_CONDITIONS).then_some(all)
}

/// Whether an op takes 32 bits for an unsigned number of more.
fn is_conversion(ctx: &Context, op: Op) -> bool {
    let wider = op.isa::<IndexCastUIOp>(ctx) || op.isa::<ExtUIOp>(ctx);
    wider && op.operand(ctx, 0).ty(ctx).int_width(ctx) == Some(32)
}

/// Computes what an op converts as an index, from indices.
fn replace(ctx: &mut Context, op: Op) {
    let (result, of, loc) = (op.result(ctx, 0), op.operand(ctx, 0), op.loc(ctx));
    let ty = result.ty(ctx);
    let mut b = Builder::new(ctx, InsertPoint::Before(op), loc);
    let number = as_index(&mut b, of);
    let number = match ty == b.ctx.index() {
        true => number,
        false => b.value::<IndexCastOp>(&[number], ty, &[]),
    };
    result.replace_all_uses(b.ctx, number);
    op.erase(b.ctx);
}

/// Compares indices.
fn compare(ctx: &mut Context, c: CmpIOp) {
    let Some(p) = c.predicate(ctx) else { return };
    let (op, loc) = (c.op(), c.op().loc(ctx));
    let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let mut b = Builder::new(ctx, InsertPoint::Before(op), loc);
    let x = as_index(&mut b, x);
    let y = as_index(&mut b, y);
    let new = CmpIOp::build(&mut b, guards::signed(p, false), x, y);
    op.result(b.ctx, 0).replace_all_uses(b.ctx, new);
    op.erase(b.ctx);
}

/// A number as an index, which is computed from indices as far as numbers are read
/// ([`Numbers::conversion`]).
fn as_index(b: &mut Builder, v: Value) -> Value {
    if let Some(c) = b.ctx.constant_int(v) {
        return index::constant(b, c);
    }
    let Some(op) = v.def_op() else {
        return index::of_value(b, v);
    };
    let ty = b.ctx.index();
    let operand = |b: &mut Builder, i: usize| as_index(b, op.operand(b.ctx, i));
    match op.name(b.ctx) {
        IndexCastOp::NAME => op.operand(b.ctx, 0),
        AddIOp::NAME | SubIOp::NAME | MulIOp::NAME | DivUIOp::NAME | RemUIOp::NAME => {
            let (x, y) = (operand(b, 0), operand(b, 1));
            match op.name(b.ctx) {
                AddIOp::NAME => index::add(b, x, y),
                SubIOp::NAME => index::sub(b, x, y),
                MulIOp::NAME => index::mul(b, x, y),
                DivUIOp::NAME => b.value::<FloorDivSIOp>(&[x, y], ty, &[]),
                _ => b.value::<RemSIOp>(&[x, y], ty, &[]),
            }
        }
        ShLIOp::NAME | ShRUIOp::NAME => {
            let by = b.ctx.constant_int(op.operand(b.ctx, 1));
            let Some(by) = by.filter(|by| (0..31).contains(by)) else {
                return index::of_value(b, v);
            };
            let x = operand(b, 0);
            let by = index::constant(b, 1 << by);
            match op.isa::<ShLIOp>(b.ctx) {
                true => index::mul(b, x, by),
                false => b.value::<FloorDivSIOp>(&[x, by], ty, &[]),
            }
        }
        _ => index::of_value(b, v),
    }
}
