//! Whether a number is between two constants, by one comparison.
//!
//! ```text
//! %a = arith.cmpi sge, %x, %c97
//! %b = arith.cmpi sle, %x, %c122        =>     (%x - 97) <= 25, both unsigned
//! arith.andi %a, %b
//! ```

use super::abi::{Scalar, int_type};
use super::lower::{Lower, R};
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate};
use terrace_ir::{Context, Op, OpKind, Value};

/// A number, and the least and the greatest that it may be.
pub(super) struct Between {
    of: Value,
    least: i64,
    most: i64,
}

/// What `op`, the conjunction of two truth values, asks.
pub(super) fn of_both(ctx: &Context, op: Op) -> Option<Between> {
    let sides = [
        bound(ctx, op.operand(ctx, 0))?,
        bound(ctx, op.operand(ctx, 1))?,
    ];
    let (least, most) = match sides {
        [(x, Bound::Least(l)), (y, Bound::Most(m))] if x == y => (l, m),
        [(x, Bound::Most(m)), (y, Bound::Least(l))] if x == y => (l, m),
        _ => return None,
    };
    (least <= most).then_some(Between {
        of: sides[0].0,
        least,
        most,
    })
}

enum Bound {
    Least(i64),
    Most(i64),
}

/// The bound that a comparison asks for, where nothing else uses it.
fn bound(ctx: &Context, condition: Value) -> Option<(Value, Bound)> {
    let c = condition.def_op()?.cast::<CmpIOp>(ctx)?;
    let x = c.op().operand(ctx, 0);
    if !condition.has_one_use(ctx) || !matches!(x.ty(ctx).int_width(ctx), Some(8 | 16 | 32 | 64)) {
        return None;
    }
    let to = ctx.constant_int(c.op().operand(ctx, 1))?;
    let bound = match c.predicate(ctx)? {
        CmpIPredicate::Sge => Bound::Least(to),
        CmpIPredicate::Sgt => Bound::Least(to.checked_add(1)?),
        CmpIPredicate::Sle => Bound::Most(to),
        CmpIPredicate::Slt => Bound::Most(to.checked_sub(1)?),
        _ => return None,
    };
    Some((x, bound))
}

impl Between {
    pub fn lower(&self, l: &mut Lower, op: Op) -> R {
        let Scalar::Int(bits) = l.scalar_of(self.of)? else {
            return Err("needs integers".into());
        };
        let ty = int_type(bits);
        let x = l.one(self.of)?;
        let least = l.iconst(ty, self.least);
        let above = l.b.ins().isub(x, least);
        let room = l.iconst(ty, self.most.wrapping_sub(self.least));
        let v = l.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, above, room);
        l.bind_one(op, v);
        Ok(())
    }
}
