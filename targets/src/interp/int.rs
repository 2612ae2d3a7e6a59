//! Integer arithmetic: on machine words for widths up to 64, on [`Int`] above.
//!
//! Results wrap. What MLIR leaves undefined or makes poison is an error here: division
//! by zero, a quotient that does not fit, a shift by the width or more, and an overflow
//! or lost bit where a flag of the op promises none.

use super::error::{Fault, Run};
use super::value::{mask, sign_extend};
use terrace_ir::num::Int;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntBin {
    Add,
    Sub,
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    CeilDivU,
    CeilDivS,
    FloorDivS,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinS,
    MaxS,
    MinU,
    MaxU,
    /// The second operand, for atomic assignment.
    Second,
}

/// Promises of an op about its result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// No signed overflow.
    pub nsw: bool,
    /// No unsigned overflow.
    pub nuw: bool,
    /// No remainder, no bit shifted out.
    pub exact: bool,
}

impl Flags {
    fn any(self) -> bool {
        self.nsw || self.nuw || self.exact
    }
}

fn by_zero() -> Fault {
    Fault::new("division by zero")
}

fn quotient_overflow(a: impl std::fmt::Display, width: u32) -> Fault {
    Fault::new(format!(
        "signed division overflows: {a} / -1 does not fit {width} bits"
    ))
}

fn bad_shift(b: impl std::fmt::Display, width: u32) -> Fault {
    Fault::new(format!(
        "shift by {b}: the amount must be less than the width of {width} bits"
    ))
}

/// `a op b` on values of `width` bits, at most 64.
#[inline]
pub(super) fn binary(op: IntBin, flags: Flags, width: u32, a: u64, b: u64) -> Run<u64> {
    use IntBin::*;
    if flags.any() {
        check_flags(op, flags, width, a, b)?;
    }
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let r = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        MinS => {
            if sa <= sb {
                a
            } else {
                b
            }
        }
        MaxS => {
            if sa >= sb {
                a
            } else {
                b
            }
        }
        MinU => a.min(b),
        MaxU => a.max(b),
        Second => b,
        Shl | ShrU | ShrS if b >= u64::from(width) => return Err(bad_shift(b, width)),
        Shl => a << b,
        ShrU => a >> b,
        ShrS => (sa >> b) as u64,
        _ if b == 0 => return Err(by_zero()),
        DivU => a / b,
        RemU => a % b,
        CeilDivU => a.div_ceil(b),
        // x86 and LLVM leave the remainder of the overflowing division undefined too.
        DivS | CeilDivS | FloorDivS | RemS if sb == -1 && a == 1 << (width - 1) => {
            return Err(quotient_overflow(sa, width));
        }
        DivS => (sa / sb) as u64,
        RemS => (sa % sb) as u64,
        FloorDivS => (sa / sb - i64::from(sa % sb != 0 && (sa < 0) != (sb < 0))) as u64,
        CeilDivS => (sa / sb + i64::from(sa % sb != 0 && (sa < 0) == (sb < 0))) as u64,
    };
    Ok(mask(r, width))
}

/// Fails where a promise of the op is broken.
fn check_flags(op: IntBin, flags: Flags, width: u32, a: u64, b: u64) -> Run<()> {
    use IntBin::*;
    let (sa, sb) = (
        i128::from(sign_extend(a, width)),
        i128::from(sign_extend(b, width)),
    );
    let (ua, ub) = (i128::from(a), i128::from(b));
    let exact = |f: fn(i128, i128) -> Option<i128>| (f(sa, sb), f(ua, ub));
    let (s, u) = match op {
        Add => exact(i128::checked_add),
        Sub => exact(i128::checked_sub),
        Mul => (
            sa.checked_mul(sb),
            (a as u128)
                .checked_mul(b as u128)
                .and_then(|v| i128::try_from(v).ok()),
        ),
        Shl if b < u64::from(width) => (Some(sa << b), Some(ua << b)),
        DivU | ShrU | DivS | ShrS if flags.exact => {
            let lost = match op {
                DivU | DivS => {
                    sb != 0
                        && if op == DivU {
                            ua % ub != 0
                        } else {
                            sa % sb != 0
                        }
                }
                _ => b < 64 && a & ((1u64 << b) - 1) != 0,
            };
            return if lost {
                Err("the result is not exact, which the op promises".into())
            } else {
                Ok(())
            };
        }
        _ => return Ok(()),
    };
    let (low, high) = (-(1i128 << (width.max(1) - 1)), 1i128 << (width.max(1) - 1));
    if flags.nsw && !s.is_some_and(|s| (low..high).contains(&s)) {
        return Err("signed overflow, which the op promises not to happen (nsw)".into());
    }
    if flags.nuw && !u.is_some_and(|u| (0..1i128 << width).contains(&u)) {
        return Err("unsigned overflow, which the op promises not to happen (nuw)".into());
    }
    Ok(())
}

/// `a op b` on values of any one width.
pub(super) fn binary_wide(op: IntBin, flags: Flags, a: &Int, b: &Int) -> Run<Int> {
    use IntBin::*;
    let width = a.width();
    if flags.any() {
        check_flags_wide(op, flags, a, b)?;
    }
    let divided = |q: Option<Int>| {
        q.ok_or_else(|| {
            if b.is_zero() {
                by_zero()
            } else {
                quotient_overflow(a.to_string_signed(), width)
            }
        })
    };
    let shifted = |v: Option<Int>| v.ok_or_else(|| bad_shift(b.to_string_unsigned(), width));
    Ok(match op {
        Add => a.add(b),
        Sub => a.sub(b),
        Mul => a.mul(b),
        And => a.and(b),
        Or => a.or(b),
        Xor => a.xor(b),
        MinS => a.min_s(b),
        MaxS => a.max_s(b),
        MinU => a.min_u(b),
        MaxU => a.max_u(b),
        Second => b.clone(),
        Shl => shifted(a.shl(b))?,
        ShrU => shifted(a.lshr(b))?,
        ShrS => shifted(a.ashr(b))?,
        DivU => divided(a.udiv(b))?,
        RemU => divided(a.urem(b))?,
        CeilDivU => divided(a.ceildiv_u(b))?,
        DivS => divided(a.sdiv(b))?,
        RemS if b.is_all_ones() && a.is_signed_min() => divided(None)?,
        RemS => divided(a.srem(b))?,
        CeilDivS => divided(a.ceildiv_s(b))?,
        FloorDivS => divided(a.floordiv_s(b))?,
    })
}

/// [`check_flags`] for any width: the op is repeated where nothing can overflow.
fn check_flags_wide(op: IntBin, flags: Flags, a: &Int, b: &Int) -> Run<()> {
    use IntBin::*;
    let width = a.width();
    let room = width * 2 + 2;
    let exact = |signed: bool| {
        let extend = |v: &Int| if signed { v.sext(room) } else { v.zext(room) };
        let (x, y) = (extend(a), extend(b));
        Some(match op {
            Add => x.add(&y),
            Sub => x.sub(&y),
            Mul => x.mul(&y),
            Shl => x
                .shl(&b.zext(room))
                .filter(|_| b.cmp_u(&Int::from_u64(width, width.into())).is_lt())?,
            _ => return None,
        })
    };
    if flags.nsw && exact(true).is_some_and(|v| v.trunc(width).sext(room) != v) {
        return Err("signed overflow, which the op promises not to happen (nsw)".into());
    }
    if flags.nuw && exact(false).is_some_and(|v| v.trunc(width).zext(room) != v) {
        return Err("unsigned overflow, which the op promises not to happen (nuw)".into());
    }
    let lost = match op {
        DivU => a.urem(b).is_some_and(|r| !r.is_zero()),
        DivS => a.srem(b).is_some_and(|r| !r.is_zero()),
        ShrU | ShrS => a.lshr(b).and_then(|v| v.shl(b)).is_some_and(|v| v != *a),
        _ => false,
    };
    if flags.exact && lost {
        return Err("the result is not exact, which the op promises".into());
    }
    Ok(())
}
