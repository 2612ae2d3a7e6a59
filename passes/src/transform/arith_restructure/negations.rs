//! A negative is computed by turning a difference around that is used for nothing else.
//!
//! ```text
//! -(x*(a - b)/c)    =>    x*(b - a)/c
//! ```
//!
//! Sums are kept with their first term positive, so that a sum and its negative are found to be one. Where
//! only the negative is needed, its sign is left over. Chains get it back here, once they are ops.

use super::read::{number, ops_of};
use terrace_dialects::arith::{self, fastmath, fastmath_of};
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
        if let Some(path) = path(ctx, of, DEEPEST) {
            turn(ctx, &path);
            op.replace(ctx, &[of]);
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
}

/// How a value that nothing else uses becomes its negative without another op.
fn path(ctx: &Context, v: Value, deepest: usize) -> Option<Turn> {
    let op = v.def_op()?;
    if v.num_uses(ctx) != 1 || !unsigned(ctx, op) || deepest == 0 {
        return None;
    }
    if op.isa::<arith::SubFOp>(ctx) {
        return Some(Turn::Swap(op));
    }
    if !op.isa::<arith::MulFOp>(ctx) && !op.isa::<arith::DivFOp>(ctx) {
        return None;
    }
    // The square of a value has it twice.
    if op.operand(ctx, 0) == op.operand(ctx, 1) {
        return None;
    }
    let inside = (0..2).find_map(|k| path(ctx, op.operand(ctx, k), deepest - 1));
    inside.or_else(|| {
        (0..2).find_map(|k| {
            let n = number(ctx, op.operand(ctx, k))?;
            Some(Turn::Constant(op, k, n))
        })
    })
}

fn turn(ctx: &mut Context, t: &Turn) {
    match *t {
        Turn::Swap(op) => {
            let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
            op.set_operand(ctx, 0, b);
            op.set_operand(ctx, 1, a);
        }
        Turn::Constant(op, k, n) => {
            let ty = op.operand(ctx, k).ty(ctx);
            let mut b = Builder::before(ctx, op);
            let negative = arith::constant_float(&mut b, -n, ty);
            op.set_operand(ctx, k, negative);
        }
    }
}
