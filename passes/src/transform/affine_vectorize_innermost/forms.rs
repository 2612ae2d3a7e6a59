//! Which ops have a form on vectors, and how wide their lanes are.

use crate::analysis::captured::is_inside;
use crate::loops::vectorize::lanes::growth;
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{
    self, BitcastOp, CmpFOp, CmpIOp, ExtFOp, ExtSIOp, ExtUIOp, FPToSIOp, FPToUIOp, IndexCastOp,
    IndexCastUIOp, SIToFPOp, SelectOp, ShLIOp, ShRSIOp, ShRUIOp, TruncFOp, TruncIOp, UIToFPOp,
};
use terrace_dialects::math;
use terrace_ir::num::Reciprocal;
use terrace_ir::{Context, Op, OpKind, Type, Value};

/// Bits of an element that registers have lanes of.
pub fn lane_bits(ctx: &Context, ty: Type) -> Option<u32> {
    if ty.is_index(ctx) {
        return None;
    }
    let bits = ty.bit_width(ctx)?;
    let number = ty.is_signless_int(ctx) || (ty.is_float(ctx) && bits >= 32);
    (number && [8, 16, 32, 64].contains(&bits)).then_some(bits)
}

fn is_truth(ctx: &Context, ty: Type) -> bool {
    ty.int_width(ctx) == Some(1)
}

/// What an op costs on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// An instruction for each register.
    Register,
    /// So many for each register of the wider side.
    Registers(u32),
    /// Work that takes as long for each lane as on scalars.
    Lane(u32),
}

/// What an op in the body of `l` costs on vectors, and on scalars; nothing where it has no
/// form on them.
pub fn cost_of(ctx: &Context, l: ForOp, op: Op) -> Option<(Cost, u32)> {
    let bits = |v: Value| lane_bits(ctx, v.ty(ctx));
    if op.isa::<SelectOp>(ctx) {
        return bits(op.result(ctx, 0)).map(|_| (Cost::Registers(2), 1));
    }
    if op.isa::<CmpFOp>(ctx) || op.isa::<CmpIOp>(ctx) {
        return bits(op.operand(ctx, 0)).map(|_| (Cost::Register, 1));
    }
    if op.num_results(ctx) != 1 {
        return None;
    }
    let result = op.result(ctx, 0);
    if is_truth(ctx, result.ty(ctx)) {
        let on_masks = matches!(
            op.name(ctx),
            arith::AndIOp::NAME | arith::OrIOp::NAME | arith::XOrIOp::NAME
        );
        return (on_masks && are_masks(ctx, l, op)).then_some((Cost::Register, 1));
    }
    let width = bits(result)?;
    if let Some(cost) = conversion(ctx, l, op, width) {
        return Some((cost, 1));
    }
    let float = result.ty(ctx).is_float(ctx);
    Some(match op.name(ctx) {
        arith::AddFOp::NAME | arith::SubFOp::NAME | arith::MulFOp::NAME | arith::NegFOp::NAME => {
            (Cost::Register, 1)
        }
        arith::MaximumFOp::NAME | arith::MinimumFOp::NAME => (Cost::Registers(4), 4),
        arith::MaxNumFOp::NAME | arith::MinNumFOp::NAME => (Cost::Registers(4), 4),
        arith::DivFOp::NAME | math::SqrtOp::NAME => (Cost::Registers(6), 4),
        arith::AddIOp::NAME | arith::SubIOp::NAME => (Cost::Register, 1),
        arith::AndIOp::NAME | arith::OrIOp::NAME | arith::XOrIOp::NAME => (Cost::Register, 1),
        arith::MaxSIOp::NAME
        | arith::MinSIOp::NAME
        | arith::MaxUIOp::NAME
        | arith::MinUIOp::NAME => (Cost::Registers(3), 2),
        arith::MulIOp::NAME => match width {
            8 => (Cost::Registers(8), 1),
            16 => (Cost::Register, 1),
            32 => (Cost::Registers(4), 1),
            _ => (Cost::Registers(6), 1),
        },
        arith::DivSIOp::NAME | arith::RemSIOp::NAME if width == 32 => {
            let by = ctx.constant_int(op.operand(ctx, 1))?;
            Reciprocal::signed(by.unsigned_abs().try_into().ok()?)?;
            (Cost::Registers(14), 5)
        }
        arith::DivUIOp::NAME | arith::RemUIOp::NAME if width == 32 => {
            // A constant is held with the sign of its highest bit.
            let by = ctx.constant_int(op.operand(ctx, 1))? as u32;
            Reciprocal::unsigned(by)?;
            (Cost::Registers(8), 4)
        }
        ShLIOp::NAME | ShRSIOp::NAME | ShRUIOp::NAME if is_uniform(ctx, l, op.operand(ctx, 1)) => {
            let cost = if width == 8 { 5 } else { 1 };
            (Cost::Registers(cost), 1)
        }
        math::AbsFOp::NAME => (Cost::Register, 1),
        math::AbsIOp::NAME => (Cost::Registers(2), 2),
        name if float => {
            // The library computes it, for each lane what it gives a scalar.
            math::library_function(name.strip_prefix("math.")?)?;
            (Cost::Lane(20), 20)
        }
        _ => return None,
    })
}

/// Whether an op that has a form on vectors has one on registers of more than 16 bytes: those that
/// take lanes apart, reorder them or change their widths have none.
pub fn has_long_form(ctx: &Context, op: Op) -> bool {
    let result = op.result(ctx, 0).ty(ctx);
    let bits = lane_bits(ctx, op.operand(ctx, 0).ty(ctx)).unwrap_or(0);
    match op.name(ctx) {
        arith::AddFOp::NAME
        | arith::SubFOp::NAME
        | arith::MulFOp::NAME
        | arith::NegFOp::NAME
        | arith::DivFOp::NAME
        | arith::MaximumFOp::NAME
        | arith::MinimumFOp::NAME
        | arith::MaxNumFOp::NAME
        | arith::MinNumFOp::NAME
        | math::SqrtOp::NAME
        | math::AbsFOp::NAME
        | CmpFOp::NAME
        | arith::AddIOp::NAME
        | arith::SubIOp::NAME
        | arith::AndIOp::NAME
        | arith::OrIOp::NAME
        | arith::XOrIOp::NAME => true,
        arith::MulIOp::NAME => matches!(bits, 16 | 32),
        arith::MaxSIOp::NAME
        | arith::MinSIOp::NAME
        | arith::MaxUIOp::NAME
        | arith::MinUIOp::NAME
        | math::AbsIOp::NAME => bits < 64,
        ShLIOp::NAME | ShRUIOp::NAME => bits > 8,
        ShRSIOp::NAME => matches!(bits, 16 | 32),
        CmpIOp::NAME => op
            .cast::<CmpIOp>(ctx)
            .and_then(|c| c.predicate(ctx))
            .is_some_and(|p| !p.is_unsigned()),
        SelectOp::NAME => !is_truth(ctx, result),
        _ => false,
    }
}

/// A value that all iterations of `l` share, or a constant.
fn is_uniform(ctx: &Context, l: ForOp, v: Value) -> bool {
    let constant = v
        .def_op()
        .is_some_and(|op| op.isa::<arith::ConstantOp>(ctx));
    constant || !is_inside(ctx, l.op(), v)
}

/// Whether all operands are the results of comparisons in the body: a truth value from
/// elsewhere has no lanes.
fn are_masks(ctx: &Context, l: ForOp, op: Op) -> bool {
    // A mask does not leave its block.
    let inside = |v: &Value| {
        let made = v.def_op().filter(|_| is_inside(ctx, l.op(), *v));
        made.is_some_and(|d| d.block(ctx) == op.block(ctx))
    };
    let constant = |v: &Value| {
        v.def_op()
            .is_some_and(|op| op.isa::<arith::ConstantOp>(ctx))
    };
    op.operands(ctx).iter().all(|v| inside(v) && !constant(v))
}

/// The cost of a conversion to `to` bits, where it is one that has a form.
fn conversion(ctx: &Context, l: ForOp, op: Op, to: u32) -> Option<Cost> {
    if op.isa::<IndexCastOp>(ctx) || op.isa::<IndexCastUIOp>(ctx) {
        // The index of each lane is that of the first one and a constant.
        let v = op.operand(ctx, 0);
        growth(ctx, v, l)?;
        return (v.ty(ctx).is_index(ctx) && to >= 32).then_some(Cost::Register);
    }
    let name = op.name(ctx);
    let source = match name {
        ExtSIOp::NAME
        | ExtUIOp::NAME
        | TruncIOp::NAME
        | ExtFOp::NAME
        | TruncFOp::NAME
        | SIToFPOp::NAME
        | UIToFPOp::NAME
        | FPToSIOp::NAME
        | FPToUIOp::NAME
        | BitcastOp::NAME => op.operand(ctx, 0).ty(ctx),
        _ => return None,
    };
    if is_truth(ctx, source) {
        let extends = matches!(name, ExtSIOp::NAME | ExtUIOp::NAME);
        return (extends && are_masks(ctx, l, op)).then_some(Cost::Registers(2));
    }
    let from = lane_bits(ctx, source)?;
    match name {
        ExtSIOp::NAME | ExtUIOp::NAME | ExtFOp::NAME => Some(Cost::Register),
        TruncIOp::NAME => Some(Cost::Registers(2)),
        TruncFOp::NAME if arith::rounding_of(ctx, op).is_none() => Some(Cost::Register),
        SIToFPOp::NAME | UIToFPOp::NAME => Some(Cost::Registers(match (from, to) {
            (64, 64) => 6,
            (64, _) => 13,
            _ => 2,
        })),
        FPToSIOp::NAME if to < 64 => Some(Cost::Registers(4)),
        FPToUIOp::NAME if to < 32 || (to == 32 && from == 32) => Some(Cost::Registers(6)),
        BitcastOp::NAME if from == to => Some(Cost::Register),
        _ => None,
    }
}
