//! Instructions that only compute: integers and bits here, floats and moves
//! beside.

use super::code::PureFn;
use super::{pure_bits, pure_float, pure_move};
use crate::count::Class;
use crate::value::int::{
    bfe, bfi, bfind, div, low, mul_hi, mul_wide, number, prmt, rem, saturate, shl, shr, signed,
};
use crate::wide::{binary, ternary, unary};
use terrace_ptx::modifiers::{Half as Part, Sat, ShiftAmount};
use terrace_ptx::{Inst, Op, Ty};

pub(super) fn un(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> PureFn {
    Box::new(move |[a, _, _], out| unary(&f, a, out))
}

pub(super) fn bin(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> PureFn {
    Box::new(move |[a, b, _], out| binary(&f, a, b, out))
}

pub(super) fn tri(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> PureFn {
    Box::new(move |[a, b, c], out| ternary(&f, a, b, c, out))
}

/// The function of an instruction with one result and up to three register
/// sources; none if it is not such an instruction. `register_bits` is the width
/// of the result's register.
pub(super) fn build(inst: &Inst, register_bits: u32) -> Option<PureFn> {
    match inst.op {
        Op::Slct => pure_bits::build(inst),
        Op::Mov | Op::Selp | Op::Cvt => pure_move::build(inst, register_bits),
        _ => integer(inst)
            .or_else(|| long_integer(inst))
            .or_else(|| pure_bits::build(inst))
            .or_else(|| pure_float::build(inst)),
    }
}

/// What class an instruction without effect counts as.
pub(super) fn class(inst: &Inst) -> Class {
    match inst.op {
        Op::Mov | Op::Selp | Op::Setp | Op::Cvta | Op::Testp => Class::Move,
        Op::Set | Op::Slct | Op::Isspacep => Class::Move,
        Op::Cvt => Class::Convert,
        Op::Sin | Op::Cos | Op::Ex2 | Op::Lg2 | Op::Tanh | Op::Rsqrt => Class::Function,
        Op::Rcp | Op::Sqrt | Op::Div if inst.ty().is_float() => Class::Function,
        _ => match inst.ty() {
            Ty::F32 => Class::Float,
            Ty::F64 => Class::Double,
            Ty::F16 | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2 => Class::Half,
            _ => Class::Integer,
        },
    }
}

/// The operations that are a few machine instructions a lane: what varies is
/// captured as a mask, so that loops over lanes stay simple.
fn integer(inst: &Inst) -> Option<PureFn> {
    let ty = inst.ty();
    if ty.is_float() {
        return None;
    }
    let bits = ty.bits();
    let mask = low(u64::MAX, bits);
    let is_signed = ty.is_signed();
    let sat = inst.mods.sat == Sat::On;
    Some(match inst.op {
        Op::Add if sat => {
            bin(move |a, b| saturate(number(a, bits, true) + number(b, bits, true), bits, true))
        }
        Op::Sub if sat => {
            bin(move |a, b| saturate(number(a, bits, true) - number(b, bits, true), bits, true))
        }
        Op::Add => bin(move |a, b| a.wrapping_add(b) & mask),
        Op::Sub => bin(move |a, b| a.wrapping_sub(b) & mask),
        Op::Mul => match inst.mods.half {
            Part::Hi => bin(move |a, b| mul_hi(a, b, bits, is_signed)),
            Part::Wide if bits == 32 && is_signed => {
                bin(|a, b| (i64::from(a as i32)).wrapping_mul(i64::from(b as i32)) as u64)
            }
            Part::Wide => bin(move |a, b| mul_wide(a, b, bits, is_signed)),
            _ => bin(move |a, b| a.wrapping_mul(b) & mask),
        },
        Op::Mad => match inst.mods.half {
            Part::Hi => tri(move |a, b, c| mul_hi(a, b, bits, is_signed).wrapping_add(c) & mask),
            Part::Wide => {
                let wide = low(u64::MAX, bits * 2);
                tri(move |a, b, c| mul_wide(a, b, bits, is_signed).wrapping_add(c) & wide)
            }
            _ => tri(move |a, b, c| a.wrapping_mul(b).wrapping_add(c) & mask),
        },
        Op::And => bin(|a, b| a & b),
        Op::Or => bin(|a, b| a | b),
        Op::Xor => bin(|a, b| a ^ b),
        Op::Not => un(move |a| !a & mask),
        Op::Neg => un(move |a| a.wrapping_neg() & mask),
        Op::Abs => un(move |a| signed(a, bits).wrapping_abs() as u64 & mask),
        Op::Shl => bin(move |a, b| shl(a, b, bits)),
        Op::Shr => bin(move |a, b| shr(a, b, bits, is_signed)),
        Op::Min if is_signed => bin(move |a, b| {
            if signed(a, bits) <= signed(b, bits) {
                a
            } else {
                b
            }
        }),
        Op::Max if is_signed => bin(move |a, b| {
            if signed(a, bits) >= signed(b, bits) {
                a
            } else {
                b
            }
        }),
        Op::Min => bin(|a, b| a.min(b)),
        Op::Max => bin(|a, b| a.max(b)),
        _ => return None,
    })
}

fn long_integer(inst: &Inst) -> Option<PureFn> {
    let ty = inst.ty();
    if ty.is_float() {
        return None;
    }
    let bits = ty.bits();
    let is_signed = ty.is_signed();
    Some(match inst.op {
        Op::Div => bin(move |a, b| div(a, b, bits, is_signed)),
        Op::Rem => bin(move |a, b| rem(a, b, bits, is_signed)),
        Op::Popc => un(|a| u64::from(a.count_ones())),
        Op::Clz => un(move |a| u64::from(a.leading_zeros()) - u64::from(64 - bits)),
        Op::Brev => un(move |a| a.reverse_bits() >> (64 - bits)),
        Op::Bfind if inst.mods.shiftamt == ShiftAmount::On => {
            un(move |a| match bfind(a, bits, is_signed) {
                0xffff_ffff => 0xffff_ffff,
                at => u64::from(bits - 1) - at,
            })
        }
        Op::Bfind => un(move |a| bfind(a, bits, is_signed)),
        Op::Bfe => tri(move |a, pos, len| bfe(a, pos, len, bits, is_signed)),
        Op::Prmt => tri(prmt),
        _ => return None,
    })
}

/// `bfi`, which has four sources: the position and length share the third row.
pub(super) fn insert_field(bits: u32) -> PureFn {
    tri(move |a, into, field| bfi(a, into, field & 255, field >> 8, bits))
}
