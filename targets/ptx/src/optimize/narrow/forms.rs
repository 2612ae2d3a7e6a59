//! Which 32-bit instruction stands for a 64-bit one, given which operands fit.

use crate::inst::Inst;
use crate::modifiers::{Cmp, Half, Mods, Sat, Space};
use crate::op::Op;
use crate::operand::Operand;
use crate::optimize::ranges::Range;
use crate::types::Ty;

/// In which readings a 64-bit value is the extension of its low 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fit {
    /// By the sign.
    pub signed: bool,
    /// By zeros.
    pub unsigned: bool,
}

impl Fit {
    pub fn of(range: Range) -> Fit {
        Fit {
            signed: range.fits_signed(32),
            unsigned: range.fits_unsigned(32),
        }
    }

    pub fn both(self, other: Fit) -> Fit {
        Fit {
            signed: self.signed && other.signed,
            unsigned: self.unsigned && other.unsigned,
        }
    }

    pub fn any(self) -> bool {
        self.signed || self.unsigned
    }

    /// The 32-bit type in whose reading it fits, the signed one first.
    fn ty(self) -> Option<Ty> {
        match (self.signed, self.unsigned) {
            (true, _) => Some(Ty::S32),
            (_, true) => Some(Ty::U32),
            _ => None,
        }
    }
}

/// The 32-bit type of the same class.
fn halved(ty: Ty) -> Ty {
    match ty {
        Ty::U64 => Ty::U32,
        Ty::S64 => Ty::S32,
        Ty::B64 => Ty::B32,
        other => other,
    }
}

/// A 32-bit instruction in place of a 64-bit one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct New {
    pub op: Op,
    pub mods: Mods,
    pub tys: [Ty; 2],
    /// The operands whose low halves are taken, as a bit mask by position.
    pub low: u32,
    /// An operand that is a constant now: its position and value.
    pub constant: Option<(usize, i64)>,
}

impl New {
    fn same(inst: &Inst, ty: Ty, low: &[usize]) -> New {
        New {
            op: inst.op,
            mods: inst.mods,
            tys: [ty, Ty::None],
            low: low.iter().fold(0, |mask, at| mask | 1 << at),
            constant: None,
        }
    }
}

/// What computes the low half of the result, for a result that fits; none if
/// nothing of 32 bits does. `fits` is by operand, the result first.
pub(super) fn of_result(inst: &Inst, fits: &[Fit]) -> Option<New> {
    let fit = |at: usize| fits.get(at).copied().unwrap_or_default();
    if !fit(0).any() || inst.mods.sat != Sat::Off {
        return None;
    }
    let (ty, half) = (inst.ty(), inst.mods.half);
    let plain = inst.mods == Mods::default();
    let sources = fit(1).both(fit(2));
    let alike = match ty.is_signed() {
        true => sources.ty(),
        false => sources.unsigned.then_some(Ty::U32),
    };
    match inst.op {
        Op::Cvt if plain => return of_extension(inst),
        Op::Ld => {
            let whole = inst.mods
                == Mods {
                    space: Space::Param,
                    ..Mods::default()
                };
            return (whole && ty.bits() == 64).then(|| New::same(inst, Ty::U32, &[0]));
        }
        Op::Mul | Op::Mad if half == Half::Wide && ty.bits() == 32 => {
            let mut new = New::same(inst, ty, &[0]);
            new.mods.half = Half::Lo;
            new.low |= if inst.op == Op::Mad { 1 << 3 } else { 0 };
            return Some(new);
        }
        _ if ty.bits() != 64 || ty.is_float() => return None,
        _ => {}
    }
    let h = halved(ty);
    Some(match inst.op {
        Op::Mov | Op::Not | Op::Neg | Op::Abs if plain => {
            let simple = matches!(
                inst.operands.get(1),
                Some(Operand::Reg(_) | Operand::Imm(_))
            );
            // The magnitude of a number needs its sign.
            if !simple || inst.op == Op::Abs && !fit(1).signed {
                return None;
            }
            New::same(inst, h, &[0, 1])
        }
        Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor if plain => New::same(inst, h, &[0, 1, 2]),
        Op::Mul if half == Half::Lo => New::same(inst, h, &[0, 1, 2]),
        Op::Mad if half == Half::Lo => New::same(inst, h, &[0, 1, 2, 3]),
        // Amounts over the width give zero, or the sign, at both widths.
        Op::Shl => New::same(inst, h, &[0, 1]),
        Op::Shr => {
            let ty = match ty.is_signed() {
                true => fit(1).ty()?,
                false => fit(1).unsigned.then_some(Ty::U32)?,
            };
            New::same(inst, ty, &[0, 1])
        }
        Op::Selp => New::same(inst, h, &[0, 1, 2]),
        // The one quotient that overflows, -2^31 / -1, fits only unsigned.
        Op::Div if alike == Some(Ty::S32) && !fit(0).signed => return None,
        Op::Div | Op::Rem => New::same(inst, alike?, &[0, 1, 2]),
        // Extension by the sign keeps the order of unsigned numbers too.
        Op::Min | Op::Max if ty.is_signed() => New::same(inst, alike?, &[0, 1, 2]),
        Op::Min | Op::Max if sources.any() => New::same(inst, Ty::U32, &[0, 1, 2]),
        _ => return None,
    })
}

/// An extension to 64 bits, done to 32.
fn of_extension(inst: &Inst) -> Option<New> {
    let (to, from) = (inst.tys[0], inst.tys[1]);
    if to.bits() != 64 || !to.is_int() || !from.is_int() {
        return None;
    }
    Some(match from.bits() {
        32 => New {
            op: Op::Mov,
            mods: Mods::default(),
            tys: [Ty::B32, Ty::None],
            low: 0b11,
            constant: None,
        },
        8 | 16 => New {
            op: Op::Cvt,
            mods: Mods::default(),
            tys: [if from.is_signed() { Ty::S32 } else { Ty::U32 }, from],
            low: 0b11,
            constant: None,
        },
        _ => return None,
    })
}

/// What gives the same result, which stays as it is, from the low halves of
/// operands that fit.
pub(super) fn of_sources(inst: &Inst, fits: &[Fit]) -> Option<New> {
    let fit = |at: usize| fits.get(at).copied().unwrap_or_default();
    let ty = inst.ty();
    let sources = fit(1).both(fit(2));
    if inst.op == Op::Cvt {
        return of_conversion(inst, fit(1));
    }
    if ty.bits() != 64 || ty.is_float() || inst.mods.sat != Sat::Off {
        return None;
    }
    match inst.op {
        Op::Setp => {
            let order = !matches!(inst.mods.cmp, Cmp::Eq | Cmp::Ne);
            let unsigned = order && !ty.is_signed();
            let ty = match (order, unsigned) {
                (false, _) if sources.any() => halved(ty),
                (true, true) if sources.any() => Ty::U32,
                (true, false) => sources.ty()?,
                _ => return None,
            };
            Some(New::same(inst, ty, &[1, 2]))
        }
        Op::Mul | Op::Mad if inst.mods.half == Half::Lo => {
            let mut new = New::same(inst, sources.ty()?, &[1, 2]);
            new.mods.half = Half::Wide;
            Some(new)
        }
        Op::Shl => {
            let k = inst.operands.get(2)?.as_imm()?;
            let (ty, most) = match fit(1) {
                Fit { signed: true, .. } => (Ty::S32, 30),
                Fit { unsigned: true, .. } => (Ty::U32, 31),
                _ => return None,
            };
            (0..=most).contains(&k).then(|| New {
                op: Op::Mul,
                mods: Mods {
                    half: Half::Wide,
                    ..Mods::default()
                },
                constant: Some((2, 1i64 << k)),
                ..New::same(inst, ty, &[1])
            })
        }
        _ => None,
    }
}

/// A conversion from 64 bits, done from 32.
fn of_conversion(inst: &Inst, fit: Fit) -> Option<New> {
    let (to, from) = (inst.tys[0], inst.tys[1]);
    if from.bits() != 64 || from.is_float() {
        return None;
    }
    let new = |op: Op, mods: Mods, tys: [Ty; 2]| New {
        op,
        mods,
        tys,
        low: 0b10,
        constant: None,
    };
    if to.is_float() {
        // The same number, rounded the same way.
        let from = match from.is_signed() {
            true => fit.ty()?,
            false => fit.unsigned.then_some(Ty::U32)?,
        };
        return Some(new(Op::Cvt, inst.mods, [to, from]));
    }
    if inst.mods != Mods::default() {
        return None;
    }
    match to.bits() {
        32 => Some(new(Op::Mov, Mods::default(), [Ty::B32, Ty::None])),
        8 | 16 => Some(new(Op::Cvt, Mods::default(), [to, Ty::U32])),
        _ => None,
    }
}

/// About how many instructions of the machine one is, with 64-bit types.
pub(super) fn cost(inst: &Inst) -> i64 {
    if inst.op == Op::Ld {
        return 1;
    }
    let wide = inst.tys.iter().any(|t| t.bits() == 64 && !t.is_float());
    cost_of(inst.op, inst.mods.half, wide)
}

/// The same for a replacement.
pub(super) fn new_cost(new: &New) -> i64 {
    match new.op {
        // A copy that the next cleanup removes.
        Op::Mov if new.tys[0] == Ty::B32 => 0,
        op => cost_of(op, new.mods.half, false),
    }
}

fn cost_of(op: Op, half: Half, wide: bool) -> i64 {
    match (op, wide) {
        (Op::Mul | Op::Mad, true) if half == Half::Lo => 4,
        (Op::Min | Op::Max, true) => 4,
        (Op::Abs, true) => 3,
        (Op::Div | Op::Rem, true) => 60,
        (Op::Div | Op::Rem, false) => 20,
        (Op::Cvt, _) => 1,
        (_, true) => 2,
        (_, false) => 1,
    }
}
