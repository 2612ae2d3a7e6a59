//! Moves, selections, comparisons, conversions.

use super::code::PureFn;
use super::pure::{bin, tri, un};
use super::pure_float::{mode, number32};
use crate::value::convert::{
    Whole, float_to_float, float_to_int, int_to_float, int_to_int, int_to_int_saturating,
    round_to_whole, to_tf32, value,
};
use crate::value::float::{Format, bits64, flush, saturate32, saturate64};
use crate::value::half::Half;
use crate::value::int::{low, signed};
use std::cmp::Ordering;
use terrace_ptx::modifiers::{Cmp, Combine, Ftz, Mods, Rnd, Sat};
use terrace_ptx::{Inst, Op, Ty};

/// `register_bits` is the width of the result's register, which may be wider
/// than the type.
pub(super) fn build(inst: &Inst, register_bits: u32) -> Option<PureFn> {
    match inst.op {
        Op::Mov => Some(un(|a| a)),
        Op::Selp => Some(tri(|a, b, p| if p != 0 { a } else { b })),
        Op::Cvt => convert(inst, register_bits),
        _ => None,
    }
}

/// A float format of a scalar type.
pub(super) const fn format(ty: Ty) -> Option<Format> {
    match ty {
        Ty::F16 => Some(Format::F16),
        Ty::Bf16 => Some(Format::Bf16),
        Ty::F32 => Some(Format::F32),
        Ty::F64 => Some(Format::F64),
        _ => None,
    }
}

const fn whole(rnd: Rnd) -> Option<Whole> {
    match rnd {
        Rnd::Rni => Some(Whole::Nearest),
        Rnd::Rzi => Some(Whole::Zero),
        Rnd::Rmi => Some(Whole::Down),
        Rnd::Rpi => Some(Whole::Up),
        _ => None,
    }
}

/// `.sat` on a float result.
fn saturated(v: u64, format: Format) -> u64 {
    match format {
        Format::F32 => saturate32(v),
        Format::F64 => saturate64(v),
        Format::F16 | Format::Bf16 => {
            let x = value(v, format);
            let x = if x > 0.0 { x.min(1.0) } else { 0.0 };
            float_to_float(bits64(x), Format::F64, format, Default::default())
        }
    }
}

fn convert(inst: &Inst, register_bits: u32) -> Option<PureFn> {
    let [to, from, ..] = inst.tys;
    let mods = inst.mods;
    let (ftz, sat) = (mods.ftz == Ftz::On, mods.sat == Sat::On);
    let mode = mode(&mods);
    let to_int = (to.bits(), to.is_signed());
    let from_int = (from.bits(), from.is_signed());
    // A narrow signed result fills the register with its sign.
    let fill = register_bits;
    let extend = move |v: u64| {
        if to_int.1 {
            low(signed(v, to_int.0) as u64, fill)
        } else {
            v
        }
    };
    Some(match (format(to), format(from)) {
        (None, None) if to.is_int() && from.is_int() => {
            if sat {
                un(move |a| extend(int_to_int_saturating(a, from_int, to_int)))
            } else {
                un(move |a| extend(int_to_int(a, from_int, to_int.0)))
            }
        }
        (Some(to), None) if from.is_int() => un(move |a| int_to_float(a, from_int, to, mode)),
        (None, Some(from)) if to.is_int() => {
            let whole = whole(mods.rnd)?;
            un(move |a| {
                let a = if ftz && from == Format::F32 {
                    flush(a)
                } else {
                    a
                };
                extend(float_to_int(a, from, to_int, whole))
            })
        }
        // A move; of halves it is a sum with -0 in the machine, which makes a NaN the one
        // that operations give.
        (Some(to), Some(from)) if to == from && to != Format::F16 && mods == Mods::default() => {
            un(|a| a)
        }
        (Some(to), Some(from)) => {
            let whole = whole(mods.rnd);
            // Halves are made of subnormal singles all the same. Of a NaN that is
            // flushed only one kind is left.
            let flushes = ftz && from == Format::F32 && to != Format::F16;
            un(move |a| {
                let a = if flushes { number32(flush(a)) } else { a };
                let v = match whole {
                    Some(whole) if to == from => round_to_whole(a, to, whole),
                    _ => float_to_float(a, from, to, mode),
                };
                let v = if ftz && to == Format::F32 {
                    flush(v)
                } else {
                    v
                };
                if sat { saturated(v, to) } else { v }
            })
        }
        (None, Some(Format::F32)) if to == Ty::Tf32 => un(to_tf32),
        (None, Some(Format::F32)) => {
            let half = match to {
                Ty::F16x2 => Half::F16,
                Ty::Bf16x2 => Half::Bf16,
                _ => return None,
            };
            let one = move |v: u64| half.of_f32(f32::from_bits(v as u32), mode);
            bin(move |a, b| one(a) << 16 | one(b))
        }
        _ => return None,
    })
}

/// A comparison: in bit 0 of the result what it gives, in bit 1 what its opposite
/// gives, each combined with a predicate if there is one.
pub(super) fn compare(inst: &Inst, negate_third: bool) -> Option<PureFn> {
    compare_as(inst, inst.ty(), negate_third)
}

/// `set`: all ones where the comparison holds, or one where a float is asked for.
pub(super) fn compare_to_value(inst: &Inst, negate_third: bool) -> Option<PureFn> {
    let f = compare_as(inst, inst.tys[1], negate_third)?;
    let yes = match inst.ty() {
        Ty::F32 => u64::from(1f32.to_bits()),
        _ => 0xffff_ffff,
    };
    Some(Box::new(move |from, out| {
        f(from, out);
        for v in out {
            *v = if *v & 1 == 1 { yes } else { 0 };
        }
    }))
}

fn compare_as(inst: &Inst, ty: Ty, negate_third: bool) -> Option<PureFn> {
    let cmp = inst.mods.cmp;
    let bits = ty.bits();
    let combine = inst.mods.combine;
    let ftz = inst.mods.ftz == Ftz::On;
    let with = move |r: bool, c: u64| {
        let c = (c != 0) != negate_third;
        let one = |r: bool| {
            u64::from(match combine {
                Combine::Default => r,
                Combine::And => r && c,
                Combine::Or => r || c,
                Combine::Xor => r != c,
            })
        };
        one(r) | one(!r) << 1
    };
    if let Some(format) = format(ty) {
        let before = move |v| match format {
            Format::F32 if ftz => flush(v),
            Format::F16 if ftz && v & 0x7c00 == 0 => v & 0x8000,
            _ => v,
        };
        return Some(tri(move |a, b, c| {
            let order = value(before(a), format).partial_cmp(&value(before(b), format));
            with(holds_float(cmp, order), c)
        }));
    }
    if ty.is_signed() {
        return Some(tri(move |a, b, c| {
            with(holds(cmp, signed(a, bits).cmp(&signed(b, bits))), c)
        }));
    }
    let mask = low(u64::MAX, bits);
    Some(tri(move |a, b, c| {
        with(holds(cmp, (a & mask).cmp(&(b & mask))), c)
    }))
}

const fn holds(cmp: Cmp, order: Ordering) -> bool {
    use Ordering::{Equal, Greater, Less};
    match cmp {
        Cmp::Eq => matches!(order, Equal),
        Cmp::Ne => !matches!(order, Equal),
        Cmp::Lt | Cmp::Lo => matches!(order, Less),
        Cmp::Le | Cmp::Ls => !matches!(order, Greater),
        Cmp::Gt | Cmp::Hi => matches!(order, Greater),
        Cmp::Ge | Cmp::Hs => !matches!(order, Less),
        _ => false,
    }
}

const fn holds_float(cmp: Cmp, order: Option<Ordering>) -> bool {
    let Some(order) = order else {
        return matches!(
            cmp,
            Cmp::Nan | Cmp::Equ | Cmp::Neu | Cmp::Ltu | Cmp::Leu | Cmp::Gtu | Cmp::Geu
        );
    };
    match cmp {
        Cmp::Num => true,
        Cmp::Nan => false,
        Cmp::Equ => holds(Cmp::Eq, order),
        Cmp::Neu => holds(Cmp::Ne, order),
        Cmp::Ltu => holds(Cmp::Lt, order),
        Cmp::Leu => holds(Cmp::Le, order),
        Cmp::Gtu => holds(Cmp::Gt, order),
        Cmp::Geu => holds(Cmp::Ge, order),
        _ => holds(cmp, order),
    }
}
