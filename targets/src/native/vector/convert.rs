//! Conversions between widths, and between integers and floats.
//!
//! A conversion to lanes twice as wide gives two registers for each; one to lanes half as
//! wide makes one register of two. Wider steps are several such.

use super::{as_type, high_half, lanes_of, low_halves, masks, splat, unsupported};
use crate::native::abi::{Lanes, Scalar};
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, ConstantData, InstBuilder, types};
use terrace_dialects::arith::rounding_of;
use terrace_ir::Op;
use terrace_ir::num::Rounding;

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let (from, to) = (
        lanes_of(l, op.operand(ctx, 0))?,
        lanes_of(l, op.result(ctx, 0))?,
    );
    let all = l.many(op.operand(ctx, 0))?;
    let nearest = matches!(rounding_of(ctx, op), None | Some(Rounding::NearestEven));
    let (a, b) = (from.elem.bytes(), to.elem.bytes());
    let converted = match (name, from.elem, to.elem) {
        ("extui", Scalar::Int(1), Scalar::Int(_)) => {
            let ones = l.b.ins().iconst(to.elem.clif(), 1);
            let one = splat(l, to, ones)[0];
            let mask = masks::of_width(l, &all, b);
            mask.into_iter().map(|m| l.b.ins().band(m, one)).collect()
        }
        ("extsi", Scalar::Int(1), Scalar::Int(_)) => masks::of_width(l, &all, b),
        ("extui" | "extsi", Scalar::Int(2..), Scalar::Int(_)) => {
            wider(l, &all, a, b, name == "extsi")
        }
        ("trunci", Scalar::Int(_), Scalar::Int(2..)) => shorter(l, &all, a, b),
        ("extf", Scalar::F32, Scalar::F64) => promoted(l, &all),
        ("truncf", Scalar::F64, Scalar::F32) if nearest => demoted(l, &all),
        ("sitofp" | "uitofp", Scalar::Int(2..), Scalar::F32 | Scalar::F64) => {
            to_float(l, &all, a, to, name == "sitofp")
        }
        ("fptosi" | "fptoui", Scalar::F32 | Scalar::F64, Scalar::Int(2..)) => {
            let signed = name == "fptosi";
            to_int(l, &all, from, b, signed).ok_or_else(|| unsupported(l, op))?
        }
        ("bitcast", ..) if a == b && from.elem != Scalar::Int(1) => {
            all.iter().map(|v| as_type(l, to.clif(), *v)).collect()
        }
        _ => return Err(unsupported(l, op)),
    };
    l.bind_many(op, converted);
    Ok(())
}

/// Integers of `from` bytes as such of `to` bytes.
fn wider(l: &mut Lower, all: &[ir::Value], from: u32, to: u32, signed: bool) -> Vec<ir::Value> {
    let mut all = all.to_vec();
    let mut have = from;
    while have < to {
        let halves = all.iter().flat_map(|v| match signed {
            true => [l.b.ins().swiden_low(*v), l.b.ins().swiden_high(*v)],
            false => [l.b.ins().uwiden_low(*v), l.b.ins().uwiden_high(*v)],
        });
        all = halves.collect();
        have *= 2;
    }
    all
}

/// The low `to` bytes of integers of `from` bytes.
fn shorter(l: &mut Lower, all: &[ir::Value], from: u32, to: u32) -> Vec<ir::Value> {
    let mut all = all.to_vec();
    let mut have = from;
    if have == 8 && to < 8 {
        let pairs = all.chunks(2);
        let words = pairs.map(|p| {
            let v = masks::even_words(l, p[0], p[p.len() - 1]);
            as_type(l, types::I32X4, v)
        });
        all = words.collect();
        have = 4;
    }
    // What is packed in two steps needs its upper bits cleared once.
    if have == 4 && to == 1 {
        for v in &mut all {
            let low = vconst(l, types::I32X4, &0xffu32.to_le_bytes());
            *v = l.b.ins().band(*v, low);
        }
        let pairs = all.chunks(2);
        all = pairs
            .map(|p| l.b.ins().snarrow(p[0], p[p.len() - 1]))
            .collect();
        let pairs = all.chunks(2);
        return pairs
            .map(|p| l.b.ins().unarrow(p[0], p[p.len() - 1]))
            .collect();
    }
    while have > to {
        let pairs = all.chunks(2);
        all = pairs
            .map(|p| narrower(l, p[0], p[p.len() - 1], have, have / 2))
            .collect();
        have /= 2;
    }
    all
}

/// The low `to` bytes of each lane of two registers, in one; `to` is half of `from`, and 1 or
/// 2. Instructions saturate, so that what does not fit is cut off before.
pub(super) fn narrower(l: &mut Lower, a: ir::Value, b: ir::Value, from: u32, to: u32) -> ir::Value {
    if to == 1 {
        let low = vconst(l, types::I16X8, &0xffu16.to_le_bytes());
        let [a, b] = [a, b].map(|v| l.b.ins().band(v, low));
        return l.b.ins().unarrow(a, b);
    }
    let by = l.b.ins().iconst(types::I32, i64::from(8 * (from - to)));
    let [a, b] = [a, b].map(|v| {
        let up = l.b.ins().ishl(v, by);
        l.b.ins().sshr(up, by)
    });
    l.b.ins().snarrow(a, b)
}

/// A register of copies of these bytes.
pub(super) fn vconst(l: &mut Lower, ty: ir::Type, bytes: &[u8]) -> ir::Value {
    let all = bytes.repeat(Lanes::BYTES as usize / bytes.len());
    let data = l.b.func.dfg.constants.insert(ConstantData::from(&all[..]));
    l.b.ins().vconst(ty, data)
}

/// `f32` as `f64`.
fn promoted(l: &mut Lower, all: &[ir::Value]) -> Vec<ir::Value> {
    let halves = all.iter().flat_map(|v| {
        let high = high_half(l, *v);
        [*v, high].map(|v| l.b.ins().fvpromote_low(v))
    });
    halves.collect()
}

/// `f64` as `f32`, rounded to nearest.
fn demoted(l: &mut Lower, all: &[ir::Value]) -> Vec<ir::Value> {
    let pairs = all.chunks(2).map(|p| {
        let [a, b] = [p[0], p[p.len() - 1]].map(|v| l.b.ins().fvdemote(v));
        low_halves(l, a, b)
    });
    pairs.collect()
}

/// Integers of `bytes` bytes as floats.
fn to_float(
    l: &mut Lower,
    all: &[ir::Value],
    bytes: u32,
    to: Lanes,
    signed: bool,
) -> Vec<ir::Value> {
    if bytes == 8 {
        let single = to.elem == Scalar::F32;
        let doubles: Vec<ir::Value> = all
            .iter()
            .map(|v| long_to_double(l, *v, signed, single))
            .collect();
        return match single {
            true => demoted(l, &doubles),
            false => doubles,
        };
    }
    // What was shorter is not negative in 32 bits.
    let is_signed = signed || bytes < 4;
    let words = wider(l, all, bytes, 4, signed);
    if to.elem == Scalar::F32 {
        let one = |v: &ir::Value| match is_signed {
            true => l.b.ins().fcvt_from_sint(types::F32X4, *v),
            false => l.b.ins().fcvt_from_uint(types::F32X4, *v),
        };
        return words.iter().map(one).collect();
    }
    let mut out = Vec::new();
    for v in words {
        for half in [v, high_half(l, v)] {
            out.push(match is_signed {
                true => {
                    let wide = l.b.ins().swiden_low(half);
                    l.b.ins().fcvt_from_sint(types::F64X2, wide)
                }
                false => {
                    let wide = l.b.ins().uwiden_low(half);
                    l.b.ins().fcvt_from_uint(types::F64X2, wide)
                }
            });
        }
    }
    out
}

/// Integers of 64 bits as `f64`, rounded once, for which vectors have no instruction. The upper
/// and the lower halves become the last digits of 2^84 and of 2^52, from which these are taken
/// away; the sum of what is left is rounded. With `inexact` the result is one that gives the
/// number's `f32` when it is rounded again: of numbers of more than 53 digits the last one that
/// is kept says whether any of those behind it is set.
fn long_to_double(l: &mut Lower, v: ir::Value, signed: bool, inexact: bool) -> ir::Value {
    let bits = |l: &mut Lower, n: u64| vconst(l, types::I64X2, &n.to_le_bytes());
    let shifted = |l: &mut Lower, v: ir::Value, by: i64| {
        let by = l.b.ins().iconst(types::I32, by);
        l.b.ins().ushr(v, by)
    };
    let mut number = v;
    if inexact {
        if signed {
            number = l.b.ins().iabs(number);
        }
        let low = bits(l, 0x7ff);
        let behind = l.b.ins().band(number, low);
        let carried = l.b.ins().iadd(behind, low);
        let any = l.b.ins().bor(number, carried);
        let kept = l.b.ins().band_not(any, low);
        let more = shifted(l, number, 53);
        let zero = bits(l, 0);
        let short = l.b.ins().icmp(IntCC::Equal, more, zero);
        number = l.b.ins().bitselect(short, number, kept);
    } else if signed {
        // From the least number on, which is taken away below.
        let sign = bits(l, 1 << 63);
        number = l.b.ins().bxor(number, sign);
    }
    let upper = shifted(l, number, 32);
    let in_upper = bits(l, 0x4530_0000_0000_0000);
    let upper = l.b.ins().bor(upper, in_upper);
    let low = bits(l, 0xffff_ffff);
    let lower = l.b.ins().band(number, low);
    let in_lower = bits(l, 0x4330_0000_0000_0000);
    let lower = l.b.ins().bor(lower, in_lower);
    let added = match signed && !inexact {
        true => 2f64.powi(84) + 2f64.powi(63) + 2f64.powi(52),
        false => 2f64.powi(84) + 2f64.powi(52),
    };
    let added = vconst(l, types::F64X2, &added.to_le_bytes());
    let upper = as_type(l, types::F64X2, upper);
    let upper = l.b.ins().fsub(upper, added);
    let lower = as_type(l, types::F64X2, lower);
    let sum = l.b.ins().fadd(upper, lower);
    if !(signed && inexact) {
        return sum;
    }
    let sign = bits(l, 1 << 63);
    let sign = l.b.ins().band(v, sign);
    let sum = as_type(l, types::I64X2, sum);
    let sum = l.b.ins().bor(sum, sign);
    as_type(l, types::F64X2, sum)
}

/// Floats as integers of `bytes` bytes, towards zero; what does not fit goes to the closest
/// that does, NaN to 0. There are instructions for 32 bits.
fn to_int(
    l: &mut Lower,
    all: &[ir::Value],
    from: Lanes,
    bytes: u32,
    signed: bool,
) -> Option<Vec<ir::Value>> {
    if bytes == 8 || (from.elem == Scalar::F64 && bytes == 4 && !signed) {
        return None;
    }
    let words: Vec<ir::Value> = match from.elem {
        Scalar::F32 => all
            .iter()
            .map(|v| match signed || bytes < 4 {
                true => l.b.ins().fcvt_to_sint_sat(types::I32X4, *v),
                false => l.b.ins().fcvt_to_uint_sat(types::I32X4, *v),
            })
            .collect(),
        _ => {
            let zero = vconst(l, types::I64X2, &[0]);
            let mut halves = |v: ir::Value| {
                let wide = l.b.ins().fcvt_to_sint_sat(types::I64X2, v);
                l.b.ins().snarrow(wide, zero)
            };
            let halves: Vec<_> = all.iter().map(|v| halves(*v)).collect();
            halves
                .chunks(2)
                .map(|p| low_halves(l, p[0], p[p.len() - 1]))
                .collect()
        }
    };
    if bytes == 4 {
        return Some(words);
    }
    let (least, most) = match signed {
        true => (-1i32 << (8 * bytes - 1), (1i32 << (8 * bytes - 1)) - 1),
        false => (0, (1i32 << (8 * bytes)) - 1),
    };
    let least = vconst(l, types::I32X4, &least.to_le_bytes());
    let most = vconst(l, types::I32X4, &most.to_le_bytes());
    let clamped: Vec<_> = words
        .into_iter()
        .map(|v| {
            let v = l.b.ins().smax(v, least);
            l.b.ins().smin(v, most)
        })
        .collect();
    Some(shorter(l, &clamped, 4, bytes))
}
