//! Division of 32-bit lanes by a constant: a product with its reciprocal, of which the upper
//! half is kept. There is no instruction that divides lanes.

use super::convert::vconst;
use super::{as_type, shuffle, splat_bytes, unsupported};
use crate::native::abi::{Lanes, Scalar};
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_ir::Op;
use terrace_ir::num::Reciprocal;

pub(super) fn lower(l: &mut Lower, op: Op, name: &str, lanes: Lanes) -> R {
    let bytes = splat_bytes(l.ctx, op.operand(l.ctx, 1)).unwrap_or_default();
    let (Ok(bytes), Scalar::Int(32)) = (<[u8; 4]>::try_from(&bytes[..]), lanes.elem) else {
        return Err(unsupported(l, op));
    };
    let (by, signed) = (i32::from_le_bytes(bytes), name.ends_with("si"));
    let reciprocal = match signed {
        true => Reciprocal::signed(by.unsigned_abs()),
        false => Reciprocal::unsigned(by as u32),
    };
    let Some(reciprocal) = reciprocal else {
        return Err(unsupported(l, op));
    };
    let mut all = Vec::new();
    for v in l.many(op.operand(l.ctx, 0))?.iter() {
        let mut quotient = match signed {
            true => signed_quotient(l, *v, &reciprocal),
            false => {
                let high = high_product(l, *v, reciprocal.factor);
                shifted(l, high, reciprocal.shift, false)
            }
        };
        if signed && by < 0 {
            quotient = l.b.ins().ineg(quotient);
        }
        if name.starts_with("rem") {
            let by = vconst(l, types::I32X4, &by.to_le_bytes());
            let whole = l.b.ins().imul(quotient, by);
            quotient = l.b.ins().isub(*v, whole);
        }
        all.push(quotient);
    }
    l.bind_many(op, all);
    Ok(())
}

/// Rounded towards zero: one more than the product says where the dividend is negative.
fn signed_quotient(l: &mut Lower, v: ir::Value, r: &Reciprocal) -> ir::Value {
    let sign = shifted(l, v, 31, true);
    let high = high_product(l, v, r.factor);
    // As an unsigned number a negative dividend is 2^32 too large.
    let factor = vconst(l, types::I32X4, &r.factor.to_le_bytes());
    let too_much = l.b.ins().band(sign, factor);
    let high = l.b.ins().isub(high, too_much);
    let quotient = shifted(l, high, r.shift, true);
    l.b.ins().isub(quotient, sign)
}

fn shifted(l: &mut Lower, v: ir::Value, by: u32, signed: bool) -> ir::Value {
    if by == 0 {
        return v;
    }
    let by = l.iconst(types::I32, i64::from(by));
    match signed {
        true => l.b.ins().sshr(v, by),
        false => l.b.ins().ushr(v, by),
    }
}

/// The upper halves of the products of unsigned lanes with `factor`.
fn high_product(l: &mut Lower, v: ir::Value, factor: u32) -> ir::Value {
    let factor = vconst(l, types::I32X4, &factor.to_le_bytes());
    let (a, b) = (l.b.ins().uwiden_low(v), l.b.ins().uwiden_low(factor));
    let low = l.b.ins().imul(a, b);
    let (a, b) = (l.b.ins().uwiden_high(v), l.b.ins().uwiden_high(factor));
    let high = l.b.ins().imul(a, b);
    // The words at odd places of both.
    let at = std::array::from_fn(|i| (i / 4 * 8 + 4 + i % 4) as u8);
    let words = shuffle(l, low, high, at);
    as_type(l, types::I32X4, words)
}
