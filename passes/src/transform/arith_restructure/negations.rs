//! A negative is computed by turning a difference around that is used for nothing else.
//!
//! ```text
//! -(x*(a - b)/c)    =>    x*(b - a)/c
//! -((a - b) + c)    =>    (b - a) - c
//! ```
//!
//! Others may use it where they add or subtract it, since they can do the other one.
//!
//! Sums are kept with their first term positive, so that a sum and its negative are found to be one. Where
//! only the negative is needed, its sign is left over. Chains get it back here, once they are ops.

use super::read::{number, ops_of};
use terrace_dialects::arith::{self, ATTR_FASTMATH, FASTMATH, fastmath, fastmath_of};
use terrace_ir::{Builder, Context, Op, Value};

/// Products above each other that a sign is carried through.
const DEEPEST: usize = 16;

/// Whether the sign of nought in an op's result does not count.
fn unsigned(ctx: &Context, op: Op) -> bool {
    fastmath_of(ctx, op) & fastmath::NSZ != 0
}

/// Turns differences around in front of negations. Returns how many of these are gone.
pub fn absorb(ctx: &mut Context, function: Op) -> u64 {
    let mut gone = 0;
    for op in ops_of(ctx, function).into_iter().rev() {
        if !op.isa::<arith::NegFOp>(ctx) || !unsigned(ctx, op) {
            continue;
        }
        let of = op.operand(ctx, 0);
        let mut turns = Vec::new();
        let others: Vec<Op> = of.users(ctx).into_iter().filter(|u| *u != op).collect();
        if others.iter().all(|u| takes_sign(ctx, *u, of)) && inside(ctx, of, DEEPEST, &mut turns) {
            for u in others {
                give_sign(ctx, u, of);
            }
            let mut made = of;
            for t in &turns {
                if let (v, Some(new)) = turn(ctx, t)
                    && v == made
                {
                    made = new;
                }
            }
            op.replace(ctx, &[made]);
            gone += 1;
        }
    }
    gone
}

/// What is changed for a value to become its negative.
enum Turn {
    /// The operands of a difference change places.
    Swap(Op),
    /// An operand, a constant, becomes its negative.
    Constant(Op, usize, f64),
    /// A sum whose operand of this number has become its negative is that less the other one.
    Subtract(Op, usize),
}

/// How a value that nothing else uses becomes its negative without another op: what is to be done, from the
/// inside. Whether it can is returned; where it cannot, nothing is added.
fn path(ctx: &Context, v: Value, deepest: usize, turns: &mut Vec<Turn>) -> bool {
    v.num_uses(ctx) == 1 && inside(ctx, v, deepest, turns)
}

/// The same of a value whose uses are looked after.
fn inside(ctx: &Context, v: Value, deepest: usize, turns: &mut Vec<Turn>) -> bool {
    let Some(op) = v.def_op() else {
        return false;
    };
    if !unsigned(ctx, op) || deepest == 0 {
        return false;
    }
    if op.isa::<arith::SubFOp>(ctx) {
        turns.push(Turn::Swap(op));
        return true;
    }
    let sum = op.isa::<arith::AddFOp>(ctx);
    if !sum && !op.isa::<arith::MulFOp>(ctx) && !op.isa::<arith::DivFOp>(ctx) {
        return false;
    }
    // The square of a value has it twice.
    if op.operand(ctx, 0) == op.operand(ctx, 1) {
        return false;
    }
    for k in 0..2 {
        let (x, square) = (op.operand(ctx, k), op.operand(ctx, 1 - k));
        // In x * (x*x) the sign of the second factor stays.
        let cube = !sum && x.num_uses(ctx) == 3 && is_square_of(ctx, square, x);
        let turned = match cube {
            true => inside(ctx, x, deepest - 1, turns),
            false => path(ctx, x, deepest - 1, turns),
        };
        if turned {
            if sum {
                turns.push(Turn::Subtract(op, k));
            }
            return true;
        }
    }
    let mut numbers = (0..2).filter_map(|k| Some((k, number(ctx, op.operand(ctx, k))?)));
    if let Some((k, n)) = numbers.next() {
        turns.push(Turn::Constant(op, k, n));
        if sum {
            turns.push(Turn::Subtract(op, k));
        }
        return true;
    }
    false
}

fn is_square_of(ctx: &Context, square: Value, x: Value) -> bool {
    let op = square.def_op().filter(|o| o.isa::<arith::MulFOp>(ctx));
    op.is_some_and(|o| o.operand(ctx, 0) == x && o.operand(ctx, 1) == x)
}

/// Whether an op can use the negative of one of its operands as it does the operand.
fn takes_sign(ctx: &Context, op: Op, v: Value) -> bool {
    if !unsigned(ctx, op) || op.num_operands(ctx) != 2 {
        return false;
    }
    let (first, second) = (op.operand(ctx, 0) == v, op.operand(ctx, 1) == v);
    match op.isa::<arith::AddFOp>(ctx) {
        true => first != second,
        false => op.isa::<arith::SubFOp>(ctx) && second && !first,
    }
}

/// Lets such an op use the negative, which `v` is from now on.
fn give_sign(ctx: &mut Context, op: Op, v: Value) {
    let operands = op.operands(ctx);
    let other = operands.into_iter().find(|o| *o != v).unwrap_or(v);
    let (result, adds) = (op.result(ctx, 0), op.isa::<arith::AddFOp>(ctx));
    let flags = FASTMATH.attr(ctx, fastmath_of(ctx, op));
    let ty = result.ty(ctx);
    let mut b = Builder::before(ctx, op);
    let attrs = [(ATTR_FASTMATH, flags)];
    let new = match adds {
        true => b.value::<arith::SubFOp>(&[other, v], ty, &attrs),
        false => b.value::<arith::AddFOp>(&[other, v], ty, &attrs),
    };
    result.replace_all_uses(ctx, new);
}

/// Does one of the changes. The value that it is about, and the one in its place if there is another.
fn turn(ctx: &mut Context, t: &Turn) -> (Value, Option<Value>) {
    match *t {
        Turn::Swap(op) => {
            let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
            op.set_operand(ctx, 0, b);
            op.set_operand(ctx, 1, a);
            (op.result(ctx, 0), None)
        }
        Turn::Constant(op, k, n) => {
            let ty = op.operand(ctx, k).ty(ctx);
            let mut b = Builder::before(ctx, op);
            let negative = arith::constant_float(&mut b, -n, ty);
            op.set_operand(ctx, k, negative);
            (op.result(ctx, 0), None)
        }
        Turn::Subtract(op, k) => {
            let (v, operands) = (op.result(ctx, 0), op.operands(ctx));
            let flags = FASTMATH.attr(ctx, fastmath_of(ctx, op));
            let ty = v.ty(ctx);
            let mut b = Builder::before(ctx, op);
            let both = [operands[k], operands[1 - k]];
            let new = b.value::<arith::SubFOp>(&both, ty, &[(ATTR_FASTMATH, flags)]);
            v.replace_all_uses(ctx, new);
            (v, Some(new))
        }
    }
}
