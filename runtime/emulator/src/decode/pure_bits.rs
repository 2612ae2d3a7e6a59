//! The rarer operations on integers and bits, and those with a carry.

use super::code::{CarryFn, PureFn};
use super::pure::{bin, tri, un};
use crate::value::float::{f32_of, flush};
use crate::value::int::{low, number, saturate, signed};
use terrace_ptx::modifiers::{Amount, Ftz, Funnel, Half as Part, Sat};
use terrace_ptx::{Inst, Op, Ty};

pub(super) fn build(inst: &Inst) -> Option<PureFn> {
    let ty = inst.ty();
    let bits = ty.bits();
    let is_signed = ty.is_signed();
    let high = inst.mods.half == Part::Hi;
    Some(match inst.op {
        Op::Shf => {
            let clamp = inst.mods.amount == Amount::Clamp;
            let left = inst.mods.funnel == Funnel::L;
            tri(move |a, b, by| {
                let pair = low(b, 32) << 32 | low(a, 32);
                let by = if clamp { low(by, 32).min(32) } else { by & 31 };
                match left {
                    // 32 to the left is the lower word.
                    true if by == 32 => low(a, 32),
                    true => pair << by >> 32,
                    false => low(pair >> by, 32),
                }
            })
        }
        Op::Fns => tri(find_nth_set),
        Op::Cnot => un(move |a| u64::from(low(a, bits) == 0)),
        Op::Sad => tri(move |a, b, c| {
            let difference = number(a, bits, is_signed) - number(b, bits, is_signed);
            low((difference.unsigned_abs() as u64).wrapping_add(c), bits)
        }),
        Op::Mul24 => bin(move |a, b| product24(a, b, is_signed, high)),
        Op::Mad24 if inst.mods.sat == Sat::On => tri(move |a, b, c| {
            let product = number(product24(a, b, true, true), 32, true);
            saturate(product + number(c, 32, true), 32, true)
        }),
        Op::Mad24 => tri(move |a, b, c| low(product24(a, b, is_signed, high).wrapping_add(c), 32)),
        Op::Dp4a => {
            let signs = [is_signed, inst.tys[1].is_signed()];
            tri(move |a, b, c| {
                let part = |v: u64, i: u32, is_signed| number(v >> (8 * i) & 255, 8, is_signed);
                let sum: i128 = (0..4)
                    .map(|i| part(a, i, signs[0]) * part(b, i, signs[1]))
                    .sum();
                low((sum as u64).wrapping_add(c), 32)
            })
        }
        Op::Dp2a => {
            let signs = [is_signed, inst.tys[1].is_signed()];
            let first = if high { 2 } else { 0 };
            tri(move |a, b, c| {
                let word = |i: u32| number(a >> (16 * i) & 0xffff, 16, signs[0]);
                let byte = |i: u32| number(b >> (8 * (first + i)) & 255, 8, signs[1]);
                let sum = word(0) * byte(0) + word(1) * byte(1);
                low((sum as u64).wrapping_add(c), 32)
            })
        }
        Op::Slct if inst.tys[1] == Ty::F32 => {
            let ftz = inst.mods.ftz == Ftz::On;
            // NaN is not at least 0.
            tri(move |a, b, c| {
                let c = if ftz { flush(c) } else { c };
                if f32_of(c) >= 0.0 { a } else { b }
            })
        }
        Op::Slct => tri(|a, b, c| if signed(c, 32) >= 0 { a } else { b }),
        _ => return None,
    })
}

/// Any logic of three operands: bit `4 a + 2 b + c` of the table.
pub(super) fn lop3(table: u64) -> PureFn {
    tri(move |a, b, c| {
        let mut out = 0;
        for i in 0..8 {
            if table >> i & 1 == 1 {
                let a = if i & 4 != 0 { a } else { !a };
                let b = if i & 2 != 0 { b } else { !b };
                let c = if i & 1 != 0 { c } else { !c };
                out |= a & b & c;
            }
        }
        low(out, 32)
    })
}

/// The lower, or the upper 32, of the 48 bits of a product of the operands' lower
/// 24.
fn product24(a: u64, b: u64, is_signed: bool, high: bool) -> u64 {
    let part = |v: u64| match is_signed {
        true => (v << 40) as i64 >> 40,
        false => (v & 0xff_ffff) as i64,
    };
    let product = part(a).wrapping_mul(part(b));
    low((if high { product >> 16 } else { product }) as u64, 32)
}

/// `fns`: the position of the n-th set bit of a mask, from a base upwards, or
/// downwards for negative n; all ones if there is none.
///
/// A base beyond 31 is undefined and finds nothing. The least n has no opposite in 32
/// bits: machines take it for a count that any number of bits exceeds, step over all
/// bits and give the last position of a search downwards, whatever the mask is.
pub(crate) fn find_nth_set(mask: u64, base: u64, nth: u64) -> u64 {
    const NONE: u64 = 0xffff_ffff;
    if nth as i32 == i32::MIN {
        return 0;
    }
    let nth = i64::from(nth as i32);
    let base = i64::from(low(base, 32) as u32);
    if base >= 32 {
        return NONE;
    }
    let set = |at: i64| mask >> at & 1 == 1;
    if nth == 0 {
        return if set(base) { base as u64 } else { NONE };
    }
    let step = nth.signum();
    let mut left = nth.abs();
    let mut at = base;
    while (0..32).contains(&at) {
        if set(at) {
            left -= 1;
            if left == 0 {
                return at as u64;
            }
        }
        at += step;
    }
    NONE
}

/// The operation on operands of so many bits and a carry.
pub(super) fn carry(inst: &Inst) -> CarryFn {
    let is_signed = inst.ty().is_signed();
    match inst.op {
        Op::SubCc | Op::Subc => |[a, b, _, carry], bits| {
            let (a, b) = (i128::from(low(a, bits)), i128::from(low(b, bits)));
            let difference = a - b - i128::from(carry);
            (low(difference as u64, bits), u64::from(difference < 0))
        },
        Op::MadLoCc | Op::MadcLo => {
            |[a, b, c, carry], bits| add(low(a.wrapping_mul(b), bits), c, carry, bits)
        }
        Op::MadHiCc | Op::MadcHi if is_signed => |[a, b, c, carry], bits| {
            add(crate::value::int::mul_hi(a, b, bits, true), c, carry, bits)
        },
        Op::MadHiCc | Op::MadcHi => |[a, b, c, carry], bits| {
            add(crate::value::int::mul_hi(a, b, bits, false), c, carry, bits)
        },
        _ => |[a, b, _, carry], bits| add(a, b, carry, bits),
    }
}

fn add(a: u64, b: u64, carry: u64, bits: u32) -> (u64, u64) {
    let sum = u128::from(low(a, bits)) + u128::from(low(b, bits)) + u128::from(carry);
    (low(sum as u64, bits), (sum >> bits) as u64)
}

#[cfg(test)]
mod tests {
    use super::find_nth_set;

    #[test]
    fn the_nth_set_bit_up_and_down() {
        let mask = 0b1011_0100;
        let minus = |n: i32| u64::from((-n) as u32);
        assert_eq!(find_nth_set(mask, 2, 0), 2);
        assert_eq!(find_nth_set(mask, 3, 0), 0xffff_ffff);
        assert_eq!(find_nth_set(mask, 2, 1), 2);
        assert_eq!(find_nth_set(mask, 3, 2), 5);
        assert_eq!(find_nth_set(mask, 7, minus(2)), 5);
        assert_eq!(find_nth_set(mask, 3, minus(2)), 0xffff_ffff);
        assert_eq!(find_nth_set(mask, 40, 1), 0xffff_ffff);
    }
}
