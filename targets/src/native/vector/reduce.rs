//! All lanes of a vector combined to one number.

use super::{as_type, high_half, lanes_of, unsupported};
use crate::native::abi::{Lanes, Scalar};
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::arith::{ExtSIOp, ExtUIOp};
use terrace_dialects::vector::ReductionOp;
use terrace_ir::{Op, OpKind};

/// One lane after another, in their order: that of floats tells in the result. What has no
/// order is combined register by register first.
pub(super) fn lower(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.operand(ctx, 0))?;
    if lanes.elem == Scalar::Int(1) {
        return of_mask(l, op);
    }
    let kind = ReductionOp::wrap(op).kind(ctx);
    let mut all = match &*kind {
        "add" if lanes.register == Lanes::BYTES => of_pairs(l, op)?,
        _ => None,
    }
    .map_or_else(|| Ok(l.many(op.operand(ctx, 0))?.to_vec()), R::Ok)?;
    if let Some(instruction) = unordered(&kind, lanes.elem) {
        while all.len() > 1 {
            let pairs = all.chunks(2);
            all = pairs
                .map(|p| match p {
                    [a, b] => instruction(l, *a, *b),
                    _ => p[0],
                })
                .collect();
        }
    }
    let mut sum = match op.num_operands(ctx) {
        2 => Some(l.one(op.operand(ctx, 1))?),
        _ => None,
    };
    // Halves of a register are combined as registers are, down to one lane.
    let halved = unordered(&kind, lanes.elem)
        .filter(|_| !lanes.elem.is_float() && lanes.register == Lanes::BYTES);
    if let Some(instruction) = halved {
        for v in &mut all {
            *v = in_first_lane(l, *v, lanes.elem.bytes(), instruction);
        }
    }
    let count = match halved {
        Some(_) => 1,
        None => lanes.clif().lane_count(),
    };
    for v in all {
        for lane in 0..count {
            let x = l.b.ins().extractlane(v, lane as u8);
            let Some(so_far) = sum else {
                sum = Some(x);
                continue;
            };
            let next = combine(l, &kind, so_far, x).ok_or_else(|| unsupported(l, op))?;
            sum = Some(next);
        }
    }
    let sum = sum.ok_or("has no lanes")?;
    l.bind_one(op, sum);
    Ok(())
}

/// Registers whose lanes have the sum of integers that were extended: neighbours are added while
/// they are extended, which is one instruction, and leaves half as many registers to add up.
fn of_pairs(l: &mut Lower, op: Op) -> R<Option<Vec<ir::Value>>> {
    let ctx = l.ctx;
    let summed = op.operand(ctx, 0);
    let Some(extension) = summed.def_op() else {
        return Ok(None);
    };
    let mut signed = match extension.name(ctx) {
        ExtSIOp::NAME => true,
        ExtUIOp::NAME => false,
        _ => return Ok(None),
    };
    let narrow = extension.operand(ctx, 0);
    let (from, to) = (lanes_of(l, narrow)?, lanes_of(l, summed)?);
    let mut have = from.elem.bytes();
    // The bits of a mask are no integers.
    if from.elem == Scalar::Int(1) || have > 2 || to.elem.bytes() > 4 {
        return Ok(None);
    }
    let mut all = l.many(narrow)?.to_vec();
    while have < to.elem.bytes() {
        for v in &mut all {
            let (low, high) = match signed {
                true => (l.b.ins().swiden_low(*v), l.b.ins().swiden_high(*v)),
                false => (l.b.ins().uwiden_low(*v), l.b.ins().uwiden_high(*v)),
            };
            *v = l.b.ins().iadd_pairwise(low, high);
        }
        // The sum of two numbers without a sign has room for one.
        signed = true;
        have *= 2;
    }
    Ok(Some(all))
}

/// All lanes of a register, of `bytes` bytes each, combined in the first; others hold anything.
fn in_first_lane(l: &mut Lower, v: ir::Value, bytes: u32, instruction: Instruction) -> ir::Value {
    let ty = l.b.func.dfg.value_type(v);
    let high = high_half(l, v);
    let high = as_type(l, ty, high);
    let mut v = instruction(l, v, high);
    let mut half = 4;
    while half >= bytes {
        let words = as_type(l, types::I64X2, v);
        let by = l.b.ins().iconst(types::I32, i64::from(8 * half));
        let down = l.b.ins().ushr(words, by);
        let down = as_type(l, ty, down);
        v = instruction(l, v, down);
        half /= 2;
    }
    v
}

/// Whether any lane of a mask is set, or all of them are.
fn of_mask(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let any = match (&*ReductionOp::wrap(op).kind(ctx), op.num_operands(ctx)) {
        ("or", 1) => true,
        ("and", 1) => false,
        _ => return Err(unsupported(l, op)),
    };
    let all = l.many(op.operand(ctx, 0))?;
    let mut whole = all[0];
    for v in &all[1..] {
        whole = match any {
            true => l.b.ins().bor(whole, *v),
            false => l.b.ins().band(whole, *v),
        };
    }
    let truth = match any {
        true => l.b.ins().vany_true(whole),
        false => l.b.ins().vall_true(whole),
    };
    l.bind_one(op, truth);
    Ok(())
}

type Instruction = fn(&mut Lower, ir::Value, ir::Value) -> ir::Value;

/// The instruction on registers of a reduction that gives the same in any order.
fn unordered(kind: &str, elem: Scalar) -> Option<Instruction> {
    if elem.is_float() {
        return match kind {
            "maximumf" => Some(|l, a, b| l.b.ins().fmax(a, b)),
            "minimumf" => Some(|l, a, b| l.b.ins().fmin(a, b)),
            _ => None,
        };
    }
    match kind {
        "add" => Some(|l, a, b| l.b.ins().iadd(a, b)),
        "and" => Some(|l, a, b| l.b.ins().band(a, b)),
        "or" => Some(|l, a, b| l.b.ins().bor(a, b)),
        "xor" => Some(|l, a, b| l.b.ins().bxor(a, b)),
        _ => None,
    }
}

/// Two scalars combined as a reduction of this kind does.
fn combine(l: &mut Lower, kind: &str, a: ir::Value, b: ir::Value) -> Option<ir::Value> {
    let float = l.b.func.dfg.value_type(a).is_float();
    let greater = |l: &mut Lower, cc: IntCC| {
        let c = l.b.ins().icmp(cc, a, b);
        l.b.ins().select(c, a, b)
    };
    Some(match (kind, float) {
        ("add", true) => l.b.ins().fadd(a, b),
        ("mul", true) => l.b.ins().fmul(a, b),
        ("maximumf", true) => l.b.ins().fmax(a, b),
        ("minimumf", true) => l.b.ins().fmin(a, b),
        ("maxnumf", true) => crate::native::float::number(l, a, b, (true, false)),
        ("minnumf", true) => crate::native::float::number(l, a, b, (false, false)),
        ("add", false) => l.b.ins().iadd(a, b),
        ("mul", false) => l.b.ins().imul(a, b),
        ("and", false) => l.b.ins().band(a, b),
        ("or", false) => l.b.ins().bor(a, b),
        ("xor", false) => l.b.ins().bxor(a, b),
        ("maxsi", false) => greater(l, IntCC::SignedGreaterThan),
        ("minsi", false) => greater(l, IntCC::SignedLessThan),
        ("maxui", false) => greater(l, IntCC::UnsignedGreaterThan),
        ("minui", false) => greater(l, IntCC::UnsignedLessThan),
        _ => return None,
    })
}
