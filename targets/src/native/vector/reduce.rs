//! All lanes of a vector combined to one number.

use super::{lanes_of, unsupported};
use crate::native::abi::Scalar;
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder};
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
    let mut all = l.many(op.operand(ctx, 0))?.to_vec();
    let kind = ReductionOp::wrap(op).kind(ctx);
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
    for v in all {
        for lane in 0..lanes.clif().lane_count() {
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
        ("maxnumf", true) => crate::native::float::number(l, a, b, true),
        ("minnumf", true) => crate::native::float::number(l, a, b, false),
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
