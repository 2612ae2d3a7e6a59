//! Integer arithmetic.
//!
//! Values of odd widths are zero-extended in their machine type; what reads the sign
//! extends it first, and what may set higher bits clears them again.

use super::abi::{Scalar, Val, int_type};
use super::lower::{Lower, R};
use super::trap::Trap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_ir::num::{Int, short_reciprocal};
use terrace_ir::{Op, Value};

/// Clear the bits of `v` above the low `bits`.
pub(super) fn mask(l: &mut Lower, v: ir::Value, bits: u32) -> ir::Value {
    let ty = int_type(bits);
    if bits == ty.bits() {
        return v;
    }
    let m = super::constant::int_bits(l, (1u128 << bits) - 1, ty);
    l.b.ins().band(v, m)
}

/// Copy bit `bits - 1` of `v` into those above it.
pub(super) fn sext(l: &mut Lower, v: ir::Value, bits: u32) -> ir::Value {
    let ty = int_type(bits);
    if bits == ty.bits() {
        return v;
    }
    let by = l.iconst(types::I32, i64::from(ty.bits() - bits));
    let up = l.b.ins().ishl(v, by);
    l.b.ins().sshr(up, by)
}

/// `v` of `from` bits as one of `to` bits, of its low bits or extended.
pub(super) fn resize(l: &mut Lower, v: ir::Value, from: u32, to: u32, signed: bool) -> ir::Value {
    let (have, want) = (int_type(from), int_type(to));
    let v = if signed && to > from {
        sext(l, v, from)
    } else {
        v
    };
    let v = if want.bits() > have.bits() {
        match signed {
            true => l.b.ins().sextend(want, v),
            false => l.b.ins().uextend(want, v),
        }
    } else if want.bits() < have.bits() {
        l.b.ins().ireduce(want, v)
    } else {
        v
    };
    if to < from || signed {
        mask(l, v, to)
    } else {
        v
    }
}

/// The integer that `v` is in every run.
fn known(l: &Lower, v: Value) -> Option<Int> {
    l.ctx.constant_of(v)?.as_int(l.ctx).cloned()
}

/// `a` times `b`, which may be known. Shifts and a sum take less time than a product: of three,
/// five and nine times a number an address may be made, which takes a third.
fn product(l: &mut Lower, a: ir::Value, b: ir::Value, known: Option<Int>) -> ir::Value {
    let known = known.and_then(|n| n.to_i64()).filter(|n| *n > 2);
    let narrow = l.b.func.dfg.value_type(a).bits() < 32;
    let Some(n) = known.filter(|_| !narrow) else {
        return l.b.ins().imul(a, b);
    };
    let twos = n.trailing_zeros();
    let shifted = |l: &mut Lower, v, by: u32| match by {
        0 => v,
        by => l.b.ins().ishl_imm_u(v, i64::from(by)),
    };
    match n >> twos {
        3 | 5 | 9 => {
            let more = shifted(l, a, (n >> twos).ilog2());
            let sum = l.b.ins().iadd(a, more);
            shifted(l, sum, twos)
        }
        odd if twos == 0 && (odd - 1).count_ones() == 1 => {
            let more = shifted(l, a, odd.ilog2());
            l.b.ins().iadd(more, a)
        }
        odd if twos == 0 && (odd as u64 + 1).is_power_of_two() => {
            let more = shifted(l, a, odd.ilog2() + 1);
            l.b.ins().isub(more, a)
        }
        _ => l.b.ins().imul(a, b),
    }
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let Scalar::Int(bits) = l.scalar_of(op.operand(ctx, 0))? else {
        return Err("needs integer operands".into());
    };
    if name == "andi"
        && let Some(between) = super::between::of_both(ctx, op)
    {
        return between.lower(l, op);
    }
    if name == "subi"
        && let Some(rest) = super::floor::of_difference(ctx, op)
    {
        return rest.lower(l, op);
    }
    let (x, y) = (op.operand(ctx, 0), op.operand(ctx, 1));
    let (a, b) = (l.one(x)?, l.one(y)?);
    match name {
        "addui_extended" => {
            let sum = l.b.ins().iadd(a, b);
            let sum = mask(l, sum, bits);
            let carry = l.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
            l.bind(op.result(ctx, 0), Val::One(sum));
            l.bind(op.result(ctx, 1), Val::One(carry));
            return Ok(());
        }
        "mulsi_extended" | "mului_extended" => {
            return extended_product(l, op, a, b, bits, name == "mulsi_extended");
        }
        _ => {}
    }
    let v = match name {
        "addi" => l.b.ins().iadd(a, b),
        "subi" => l.b.ins().isub(a, b),
        "muli" => product(l, a, b, known(l, y)),
        "andi" => l.b.ins().band(a, b),
        "ori" => l.b.ins().bor(a, b),
        "xori" => l.b.ins().bxor(a, b),
        "shli" | "shrui" | "shrsi" => {
            let by = shift_amount(l, b);
            match name {
                "shli" => l.b.ins().ishl(a, by),
                "shrui" => l.b.ins().ushr(a, by),
                _ => {
                    let a = sext(l, a, bits);
                    l.b.ins().sshr(a, by)
                }
            }
        }
        "maxui" => pick(l, IntCC::UnsignedGreaterThan, (a, a), (b, b)),
        "minui" => pick(l, IntCC::UnsignedLessThan, (a, a), (b, b)),
        "maxsi" | "minsi" => {
            let cc = match name {
                "maxsi" => IntCC::SignedGreaterThan,
                _ => IntCC::SignedLessThan,
            };
            let (sa, sb) = (sext(l, a, bits), sext(l, b, bits));
            pick(l, cc, (sa, a), (sb, b))
        }
        "divui" | "remui" | "ceildivui" | "divsi" | "remsi" | "ceildivsi" | "floordivsi" => {
            let d = Division {
                op,
                bits,
                divisor: known(l, y),
            };
            d.lower(l, name, a, b)?
        }
        _ => return Err(super::check::advice(op.name(ctx))),
    };
    let v = mask(l, v, bits);
    l.bind_one(op, v);
    Ok(())
}

/// A shift amount as Cranelift takes it: of at most 64 bits.
fn shift_amount(l: &mut Lower, b: ir::Value) -> ir::Value {
    match l.b.func.dfg.value_type(b) {
        types::I128 => l.b.ins().ireduce(types::I64, b),
        _ => b,
    }
}

/// The second of `a` where the first of `a` and `b` compare so, else that of `b`.
fn pick(
    l: &mut Lower,
    cc: IntCC,
    a: (ir::Value, ir::Value),
    b: (ir::Value, ir::Value),
) -> ir::Value {
    let c = l.b.ins().icmp(cc, a.0, b.0);
    super::compare::choose(l, c, a.1, b.1)
}

/// Low and high half of a product.
fn extended_product(
    l: &mut Lower,
    op: Op,
    a: ir::Value,
    b: ir::Value,
    bits: u32,
    signed: bool,
) -> R {
    let wide = match bits {
        0..=32 => 64,
        33..=64 => 128,
        _ => return Err("is of more than 64 bits; split it into narrower products".into()),
    };
    let (a, b) = (
        resize(l, a, bits, wide, signed),
        resize(l, b, bits, wide, signed),
    );
    let product = l.b.ins().imul(a, b);
    let by = l.iconst(types::I32, i64::from(bits));
    let high = l.b.ins().ushr(product, by);
    for (i, v) in [product, high].into_iter().enumerate() {
        let v = l.b.ins().ireduce(int_type(bits), v);
        let v = mask(l, v, bits);
        l.bind(op.result(l.ctx, i), Val::One(v));
    }
    Ok(())
}

/// A division or remainder.
struct Division {
    op: Op,
    bits: u32,
    divisor: Option<Int>,
}

impl Division {
    fn lower(&self, l: &mut Lower, name: &str, a: ir::Value, b: ir::Value) -> R<ir::Value> {
        let signed = name.ends_with("si");
        if self.divisor.as_ref().is_none_or(|d| d.is_zero()) {
            let zero = l.iconst(int_type(self.bits), 0);
            let bad = l.b.ins().icmp(IntCC::Equal, b, zero);
            l.trap_if(bad, Trap::DivisionByZero, self.op)?;
        }
        let (a, b) = match signed {
            true => (sext(l, a, self.bits), sext(l, b, self.bits)),
            false => (a, b),
        };
        if name == "remsi" || name == "remui" {
            return self.remainder(l, a, b, signed);
        }
        if let (true, "floordivsi" | "ceildivsi", Some(k)) = (signed, name, self.shift(signed)) {
            return Ok(self.shifted(l, a, k, name == "ceildivsi"));
        }
        let q = self.quotient(l, a, b, signed)?;
        if name == "divsi" || name == "divui" {
            return Ok(q);
        }
        // Rounded the other way where something is left over.
        let ty = int_type(self.bits);
        let back = l.b.ins().imul(q, b);
        let rest = l.b.ins().isub(a, back);
        let zero = l.iconst(ty, 0);
        let inexact = l.b.ins().icmp(IntCC::NotEqual, rest, zero);
        let off = if signed {
            let signs = l.b.ins().bxor(rest, b);
            let cc = match name {
                "floordivsi" => IntCC::SignedLessThan,
                _ => IntCC::SignedGreaterThanOrEqual,
            };
            let other = l.b.ins().icmp(cc, signs, zero);
            l.b.ins().band(inexact, other)
        } else {
            inexact
        };
        let one = l.iconst(ty, 1);
        let moved = match name {
            "floordivsi" => l.b.ins().isub(q, one),
            _ => l.b.ins().iadd(q, one),
        };
        Ok(l.b.ins().select(off, moved, q))
    }

    /// Divided by two to the power of `k`: a shift rounds down, and what it loses asks for one
    /// more.
    fn shifted(&self, l: &mut Lower, a: ir::Value, k: u32, up: bool) -> ir::Value {
        let by = l.iconst(types::I32, i64::from(k));
        let down = l.b.ins().sshr(a, by);
        if !up {
            return down;
        }
        let ty = int_type(self.bits);
        let one = l.iconst(ty, 1);
        let low = l.b.ins().ishl(one, by);
        let low = l.b.ins().isub(low, one);
        let lost = l.b.ins().band(a, low);
        let zero = l.iconst(ty, 0);
        let is_lost = l.b.ins().icmp(IntCC::NotEqual, lost, zero);
        let more = l.b.ins().iadd(down, one);
        l.b.ins().select(is_lost, more, down)
    }

    /// The exponent of a divisor that is a positive power of two.
    fn shift(&self, signed: bool) -> Option<u32> {
        let d = self.divisor.as_ref()?;
        let negative = signed && d.is_negative();
        (d.count_ones() == 1 && !negative).then(|| d.trailing_zeros())
    }

    /// 64 bits, unsigned, divided by an even constant whose reciprocal has 65 bits: the dividend is
    /// halved first, after which 64 bits are enough (Warren, Hacker's Delight, 10-9). Cranelift
    /// adds the dividend to the product instead, which takes three operations more.
    fn by_high_product(&self, l: &mut Lower, a: ir::Value) -> Option<ir::Value> {
        let d = self.divisor.as_ref()?.to_u64()?;
        let twos = d.checked_ilog2().map(|_| d.trailing_zeros())?;
        let reciprocal = |most: u64, d: u64| {
            let found = short_reciprocal(u128::from(most), u128::from(d), 128);
            found.and_then(|(m, s)| Some((u64::try_from(m).ok()?, s)))
        };
        if twos == 0 || d.is_power_of_two() || reciprocal(u64::MAX, d).is_some() {
            return None;
        }
        let (m, s) = reciprocal(u64::MAX >> twos, d >> twos)?;
        // The high half is shifted by 64 already.
        let more = 64u32.saturating_sub(s);
        let m = l.iconst(types::I64, (m << more) as i64);
        let twos = l.iconst(types::I32, i64::from(twos));
        let half = l.b.ins().ushr(a, twos);
        let high = l.b.ins().umulhi(half, m);
        let by = l.iconst(types::I32, i64::from(s + more - 64));
        Some(l.b.ins().ushr(high, by))
    }

    /// 32 bits divided by a constant that is no power of two: a product of 64 bits and a shift,
    /// which take half the time of the high half of a product of 32 (for the factor see
    /// [`short_reciprocal`]).
    fn by_product(&self, l: &mut Lower, a: ir::Value, signed: bool) -> Option<ir::Value> {
        if self.bits == 64 && !signed {
            return self.by_high_product(l, a);
        }
        let divisor = self.divisor.as_ref().filter(|_| self.bits == 32)?;
        let d = u128::from(divisor.to_u64()?);
        if !signed {
            let most = u128::from(u32::MAX);
            let (m, s) = (d > 1).then(|| short_reciprocal(most, d, 64)).flatten()?;
            let wide = l.b.ins().uextend(types::I64, a);
            let m = l.iconst(types::I64, i64::try_from(m).ok()?);
            let product = l.b.ins().imul(wide, m);
            let by = l.iconst(types::I32, i64::from(s));
            let q = l.b.ins().ushr(product, by);
            return Some(l.b.ins().ireduce(types::I32, q));
        }
        let d = i128::from(divisor.to_i64()?);
        let size = d.unsigned_abs();
        if size == 0 || size.is_power_of_two() {
            return None;
        }
        let (m, s) = short_reciprocal(1 << 31, size, 64).filter(|(m, _)| *m < 1 << 32)?;
        // The product is at most 2 to the power of 63, and the shift rounds down: of a negative
        // dividend, which is not divided without a rest of the product, the quotient is one more.
        let wide = l.b.ins().sextend(types::I64, a);
        let m = l.iconst(types::I64, i64::try_from(m).ok()?);
        let product = l.b.ins().imul(wide, m);
        let by = l.iconst(types::I32, i64::from(s));
        let q = l.b.ins().sshr(product, by);
        let q = l.b.ins().ireduce(types::I32, q);
        let last = l.iconst(types::I32, 31);
        let sign = l.b.ins().sshr(a, last);
        Some(match d < 0 {
            true => l.b.ins().isub(sign, q),
            false => l.b.ins().isub(q, sign),
        })
    }

    /// Rounded towards zero. The least number divided by -1 wraps to itself.
    fn quotient(&self, l: &mut Lower, a: ir::Value, b: ir::Value, signed: bool) -> R<ir::Value> {
        let ty = int_type(self.bits);
        if let Some(k) = self.shift(signed) {
            let by = l.iconst(types::I32, i64::from(k));
            if !signed {
                return Ok(l.b.ins().ushr(a, by));
            }
            if k == 0 {
                return Ok(a);
            }
            // A negative dividend is moved up, so that the shift rounds towards zero.
            let last = l.iconst(types::I32, i64::from(ty.bits() - 1));
            let sign = l.b.ins().sshr(a, last);
            let down = l.iconst(types::I32, i64::from(ty.bits() - k));
            let bias = l.b.ins().ushr(sign, down);
            let up = l.b.ins().iadd(a, bias);
            return Ok(l.b.ins().sshr(up, by));
        }
        if ty == types::I128 {
            let name = match signed {
                true => "terrace_div_i128",
                false => "terrace_div_u128",
            };
            return self.wide(l, name, a, b);
        }
        if let Some(q) = self.by_product(l, a, signed) {
            return Ok(q);
        }
        if !signed {
            return Ok(l.b.ins().udiv(a, b));
        }
        let (b, minus_one) = self.safe_divisor(l, b);
        let q = l.b.ins().sdiv(a, b);
        Ok(match minus_one {
            Some(m) => {
                let neg = l.b.ins().ineg(a);
                l.b.ins().select(m, neg, q)
            }
            None => q,
        })
    }

    fn remainder(&self, l: &mut Lower, a: ir::Value, b: ir::Value, signed: bool) -> R<ir::Value> {
        let ty = int_type(self.bits);
        if let Some(k) = self.shift(signed) {
            if !signed {
                let m = super::constant::int_bits(l, (1u128 << k) - 1, ty);
                return Ok(l.b.ins().band(a, m));
            }
            let q = self.quotient(l, a, b, true)?;
            let by = l.iconst(types::I32, i64::from(k));
            let back = l.b.ins().ishl(q, by);
            return Ok(l.b.ins().isub(a, back));
        }
        if ty == types::I128 {
            let name = match signed {
                true => "terrace_rem_i128",
                false => "terrace_rem_u128",
            };
            return self.wide(l, name, a, b);
        }
        if let Some(q) = self.by_product(l, a, signed) {
            let whole = l.b.ins().imul(q, b);
            return Ok(l.b.ins().isub(a, whole));
        }
        if !signed {
            return Ok(l.b.ins().urem(a, b));
        }
        // Divided by 1 in place of -1, nothing is left over either.
        let (b, _) = self.safe_divisor(l, b);
        Ok(l.b.ins().srem(a, b))
    }

    /// The divisor with 1 in place of -1, and whether it was -1: the least number
    /// divided by -1 would trap. Odd widths cannot overflow their machine type.
    fn safe_divisor(&self, l: &mut Lower, b: ir::Value) -> (ir::Value, Option<ir::Value>) {
        let ty = int_type(self.bits);
        let fine =
            self.bits != ty.bits() || self.divisor.as_ref().is_some_and(|d| !d.is_all_ones());
        if fine {
            return (b, None);
        }
        let minus_one = l.iconst(ty, -1);
        let is = l.b.ins().icmp(IntCC::Equal, b, minus_one);
        let one = l.iconst(ty, 1);
        (l.b.ins().select(is, one, b), Some(is))
    }

    /// 128 bits wide, which machines have no instruction for.
    fn wide(&self, l: &mut Lower, name: &str, a: ir::Value, b: ir::Value) -> R<ir::Value> {
        let slot = l.slot(16, 4);
        let out = l.slot_addr(slot);
        let ((a0, a1), (b0, b1)) = (l.b.ins().isplit(a), l.b.ins().isplit(b));
        l.helper(name, &[a0, a1, b0, b1, out], None)?;
        let flags = ir::MemFlagsData::trusted();
        Ok(l.b.ins().load(types::I128, flags, out, 0))
    }
}
