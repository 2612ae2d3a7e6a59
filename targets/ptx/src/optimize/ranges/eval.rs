//! What one instruction makes of the ranges of its operands.

use super::interval::Range;
use crate::ids::Reg;
use crate::inst::Inst;
use crate::modifiers::{Approx, Half, Mods, Sat, Space};
use crate::module::{Func, FuncKind};
use crate::op::Op;
use crate::operand::{Address, Base, Operand, Special, Sym};
use crate::types::{RegTy, Ty};

/// The most threads of a block along each dimension, on every architecture.
const MAX_BLOCK: [u64; 3] = [1024, 1024, 64];

/// The most blocks of a grid along each dimension, on every architecture.
const MAX_GRID: [u64; 3] = [0x7fff_ffff, 65_535, 65_535];

/// Ranges of registers at a point; none for one that has no value there yet.
pub(super) type Lookup<'a> = &'a dyn Fn(Reg) -> Option<Range>;

/// Whether ranges are kept of a register.
pub(super) fn is_int(ty: RegTy) -> bool {
    matches!(ty, RegTy::B16 | RegTy::B32 | RegTy::B64)
}

/// The range of the one result of an instruction, whose register has so many
/// bits; none if an operand has no value yet.
pub(super) fn result(func: &Func, inst: &Inst, bits: u32, of: Lookup<'_>) -> Option<Range> {
    let ty = inst.ty();
    let full = Some(Range::full(bits));
    let w = ty.bits();
    let arg = |at: usize, ty: Ty| operand(func, inst.operands.get(at), ty, of);
    if inst.op == Op::Ld {
        return Some(load(func, inst, bits));
    }
    if inst.op == Op::Cvt {
        return convert(inst, bits, arg(1, inst.tys[1]));
    }
    if ty.is_float() || w < 16 || w > bits {
        return full;
    }
    let signed = ty.is_signed();
    let plain = inst.mods == Mods::default();
    // The results of what follows have the width of the type, but for the
    // wide products and the counts.
    let sized = |r: Option<Range>| match r {
        Some(r) if r.bits() != bits => full,
        r => r,
    };
    let half = inst.mods.half;
    let only_half = inst.mods
        == Mods {
            half,
            ..Mods::default()
        };
    sized(match inst.op {
        Op::Mov => match inst.operands.get(1) {
            Some(Operand::Vec(_) | Operand::Sym(_)) | None => full,
            _ => arg(1, ty),
        },
        Op::Add if plain => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.add(b)),
        Op::Sub if plain => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.sub(b)),
        Op::Mul if only_half => {
            let (a, b) = arg(1, ty).zip(arg(2, ty))?;
            Some(product(a, b, half, signed))
        }
        Op::Mad if only_half => {
            let (a, b) = arg(1, ty).zip(arg(2, ty))?;
            let third = if half == Half::Wide { ty.widened() } else { ty };
            Some(product(a, b, half, signed).add(arg(3, third)?))
        }
        Op::Div => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.div(b, signed)),
        Op::Rem => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.rem(b, signed)),
        Op::Neg if plain => arg(1, ty).map(|a| Range::constant(w, 0).sub(a)),
        Op::Abs if plain => arg(1, ty).map(Range::abs),
        Op::Min if plain => (arg(1, ty).zip(arg(2, ty))).map(|(a, b)| a.minimum(b, signed)),
        Op::Max if plain => (arg(1, ty).zip(arg(2, ty))).map(|(a, b)| a.maximum(b, signed)),
        Op::And => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.and(b)),
        Op::Or => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.or(b)),
        Op::Xor => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.xor(b)),
        Op::Not => arg(1, ty).map(Range::not),
        Op::Shl => {
            let (a, k) = arg(1, ty).zip(arg(2, Ty::U32))?;
            Some(a.shl(k.umin(), k.umax()))
        }
        Op::Shr => {
            let (a, k) = arg(1, ty).zip(arg(2, Ty::U32))?;
            Some(a.shr(k.umin(), k.umax(), signed))
        }
        Op::Selp => arg(1, ty).zip(arg(2, ty)).map(|(a, b)| a.join(b)),
        Op::Popc | Op::Clz => Some(Range::unsigned(32, 0, u64::from(w))),
        Op::Bfind => Some(Range::signed(32, -1, i64::from(w) - 1)),
        Op::Bfe => Some(field(ty, inst.operands.get(3))),
        _ => full,
    })
}

fn product(a: Range, b: Range, half: Half, signed: bool) -> Range {
    match half {
        Half::Wide => a.mul_wide(b, signed),
        Half::Hi => a.mul_high(b, signed),
        _ => a.mul(b),
    }
}

/// A field of so many bits, extended by its sign for a signed type.
fn field(ty: Ty, len: Option<&Operand>) -> Range {
    let w = ty.bits();
    match len.and_then(Operand::as_imm) {
        Some(0) => Range::constant(w, 0),
        Some(n) if n > 0 && n < i64::from(w) => {
            if ty.is_signed() {
                let half = 1i64 << (n - 1);
                // A field past the top is filled with the sign.
                Range::signed(w, -half, half - 1)
            } else {
                Range::unsigned(w, 0, (1u64 << n) - 1)
            }
        }
        _ => Range::full(w),
    }
}

/// An operand read as a value of a type.
pub(super) fn operand(
    func: &Func,
    operand: Option<&Operand>,
    ty: Ty,
    of: Lookup<'_>,
) -> Option<Range> {
    let w = ty.bits();
    Some(match operand {
        Some(Operand::Reg(r)) => {
            let range = of(*r)?;
            if range.bits() < w {
                Range::full(w)
            } else {
                range.truncated(w)
            }
        }
        Some(Operand::Imm(v)) => Range::constant(w, *v),
        Some(Operand::Special(s)) if s.ty().bits() == w => special(func, *s),
        _ => Range::full(w),
    })
}

fn convert(inst: &Inst, bits: u32, from: Option<Range>) -> Option<Range> {
    let (to, source) = (inst.tys[0], inst.tys[1]);
    if to.is_float() || inst.mods.approx != Approx::Exact {
        return Some(Range::full(bits));
    }
    if source.is_float() {
        // Out of range is clamped, and the result extended.
        return Some(Range::of_type(bits, to));
    }
    let from = from?;
    let signed = source.is_signed();
    let value = match inst.mods.sat {
        Sat::On | Sat::Finite => from.saturated(signed, to),
        Sat::Off if to.bits() > from.bits() => from.extended(to.bits(), signed),
        Sat::Off => from.truncated(to.bits()),
    };
    Some(value.extended(bits, to.is_signed()))
}

/// The values that a load gives one register.
pub(super) fn load(func: &Func, inst: &Inst, bits: u32) -> Range {
    let ty = inst.ty();
    let any = match ty.is_float() {
        true => Range::full(bits),
        false => Range::of_type(bits, ty),
    };
    let Some(Address {
        base: Base::Sym(Sym::Param(i)),
        offset: 0,
    }) = inst.address()
    else {
        return any;
    };
    let param = func.params.get(i as usize);
    let promised = param
        .filter(|p| inst.mods.space == Space::Param && p.len.is_none() && p.ty.bits() == ty.bits());
    match promised.and_then(|p| p.range) {
        Some((low, high)) if low <= high && ty.bits() == bits => {
            any.meet(Range::signed(bits, low, high)).unwrap_or(any)
        }
        _ => any,
    }
}

/// The values of a special register in a launch that the kernel's bounds and
/// every device allow.
pub fn special(func: &Func, special: Special) -> Range {
    let bounds = match func.kind {
        FuncKind::Kernel => func.bounds,
        FuncKind::Device => Default::default(),
    };
    // `.maxntid` bounds the number of threads of the block, not each extent.
    let product = |b: [u32; 3]| {
        b.iter()
            .fold(1u64, |n, d| n.saturating_mul(u64::from(*d).max(1)))
    };
    let most = |d: usize| match (bounds.required_threads, bounds.max_threads) {
        (Some(exact), _) => u64::from(exact[d]).max(1),
        (None, Some(max)) => product(max).min(MAX_BLOCK[d]),
        (None, None) => MAX_BLOCK[d],
    };
    let blocks = |d: usize| bounds.grid.map_or(MAX_GRID[d], |g| u64::from(g[d]).max(1));
    let index = |n: u64| Range::unsigned(32, 0, n.saturating_sub(1));
    let size = |n: u64, exact: bool| Range::unsigned(32, if exact { n } else { 1 }, n);
    let exact = bounds.required_threads.is_some();
    let exact_grid = bounds.grid.is_some();
    match special {
        Special::TidX => index(most(0)),
        Special::TidY => index(most(1)),
        Special::TidZ => index(most(2)),
        Special::NtidX => size(most(0), exact),
        Special::NtidY => size(most(1), exact),
        Special::NtidZ => size(most(2), exact),
        Special::CtaidX => index(blocks(0)),
        Special::CtaidY => index(blocks(1)),
        Special::CtaidZ => index(blocks(2)),
        Special::NctaidX => size(blocks(0), exact_grid),
        Special::NctaidY => size(blocks(1), exact_grid),
        Special::NctaidZ => size(blocks(2), exact_grid),
        Special::LaneId => index(32),
        // The manual lets a warp have any number below %nwarpid, which may
        // exceed the warps of the block.
        Special::WarpId => index(64),
        Special::NWarpId => Range::unsigned(32, 1, 64),
        other => Range::full(other.ty().bits()),
    }
}

#[cfg(test)]
mod tests;
