//! Instruction types, register types, and which of the two fit each other.

use std::fmt;

/// A type as it stands in an instruction's suffix or in a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
#[repr(u8)]
pub enum Ty {
    /// An unused type position of an instruction.
    #[default]
    None,
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F64,
}

/// What a type's bits mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Pred,
    Bits,
    Unsigned,
    Signed,
    Float,
}

impl Ty {
    /// Every type, [`Ty::None`] left out.
    pub const ALL: [Ty; 20] = [
        Ty::Pred,
        Ty::B8,
        Ty::B16,
        Ty::B32,
        Ty::B64,
        Ty::U8,
        Ty::U16,
        Ty::U32,
        Ty::U64,
        Ty::S8,
        Ty::S16,
        Ty::S32,
        Ty::S64,
        Ty::F16,
        Ty::F16x2,
        Ty::Bf16,
        Ty::Bf16x2,
        Ty::Tf32,
        Ty::F32,
        Ty::F64,
    ];

    /// The suffix with its dot, for example `.s32`; empty for [`Ty::None`].
    pub const fn suffix(self) -> &'static str {
        match self {
            Ty::None => "",
            Ty::Pred => ".pred",
            Ty::B8 => ".b8",
            Ty::B16 => ".b16",
            Ty::B32 => ".b32",
            Ty::B64 => ".b64",
            Ty::U8 => ".u8",
            Ty::U16 => ".u16",
            Ty::U32 => ".u32",
            Ty::U64 => ".u64",
            Ty::S8 => ".s8",
            Ty::S16 => ".s16",
            Ty::S32 => ".s32",
            Ty::S64 => ".s64",
            Ty::F16 => ".f16",
            Ty::F16x2 => ".f16x2",
            Ty::Bf16 => ".bf16",
            Ty::Bf16x2 => ".bf16x2",
            Ty::Tf32 => ".tf32",
            Ty::F32 => ".f32",
            Ty::F64 => ".f64",
        }
    }

    /// Width in bits; 1 for a predicate, 0 for [`Ty::None`].
    pub const fn bits(self) -> u32 {
        match self {
            Ty::None => 0,
            Ty::Pred => 1,
            Ty::B8 | Ty::U8 | Ty::S8 => 8,
            Ty::B16 | Ty::U16 | Ty::S16 | Ty::F16 | Ty::Bf16 => 16,
            Ty::B32 | Ty::U32 | Ty::S32 | Ty::F16x2 | Ty::Bf16x2 | Ty::Tf32 | Ty::F32 => 32,
            Ty::B64 | Ty::U64 | Ty::S64 | Ty::F64 => 64,
        }
    }

    /// Width in memory, in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// What the bits mean.
    pub const fn class(self) -> Class {
        match self {
            Ty::Pred => Class::Pred,
            Ty::None | Ty::B8 | Ty::B16 | Ty::B32 | Ty::B64 => Class::Bits,
            Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 => Class::Unsigned,
            Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64 => Class::Signed,
            _ => Class::Float,
        }
    }

    /// True for the signed and unsigned integers.
    pub const fn is_int(self) -> bool {
        matches!(self.class(), Class::Unsigned | Class::Signed)
    }

    /// True for every float type, packed ones too.
    pub const fn is_float(self) -> bool {
        matches!(self.class(), Class::Float)
    }

    /// True for the signed integers.
    pub const fn is_signed(self) -> bool {
        matches!(self.class(), Class::Signed)
    }

    /// The register type that holds a value of this type. There are no 8-bit
    /// registers: a byte lives in 16 bits. f16 and bf16 live in `.b16`, the
    /// packed pairs and tf32 in `.b32`.
    pub const fn reg(self) -> RegTy {
        match self {
            Ty::Pred => RegTy::Pred,
            Ty::F32 => RegTy::F32,
            Ty::F64 => RegTy::F64,
            _ => match self.bits() {
                64 => RegTy::B64,
                32 => RegTy::B32,
                _ => RegTy::B16,
            },
        }
    }

    /// The integer type of twice the width and the same sign, which
    /// `mul.wide` yields; [`Ty::None`] where there is none.
    pub const fn widened(self) -> Ty {
        match self {
            Ty::U16 => Ty::U32,
            Ty::S16 => Ty::S32,
            Ty::U32 => Ty::U64,
            Ty::S32 => Ty::S64,
            _ => Ty::None,
        }
    }

    /// The untyped bits of the same width.
    pub const fn as_bits(self) -> Ty {
        match self.bits() {
            1 => Ty::Pred,
            8 => Ty::B8,
            16 => Ty::B16,
            32 => Ty::B32,
            64 => Ty::B64,
            _ => Ty::None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Ty::None {
            "(no type)"
        } else {
            self.suffix()
        })
    }
}

/// The type a virtual register is declared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum RegTy {
    Pred,
    B16,
    B32,
    B64,
    F32,
    F64,
}

impl RegTy {
    /// Every register type, in the order in which they are declared.
    pub const ALL: [RegTy; 6] = [
        RegTy::Pred,
        RegTy::B16,
        RegTy::B32,
        RegTy::B64,
        RegTy::F32,
        RegTy::F64,
    ];

    /// The type it is declared with.
    pub const fn ty(self) -> Ty {
        match self {
            RegTy::Pred => Ty::Pred,
            RegTy::B16 => Ty::B16,
            RegTy::B32 => Ty::B32,
            RegTy::B64 => Ty::B64,
            RegTy::F32 => Ty::F32,
            RegTy::F64 => Ty::F64,
        }
    }

    /// Prefix of the names of unnamed registers of this type.
    pub const fn prefix(self) -> &'static str {
        match self {
            RegTy::Pred => "p",
            RegTy::B16 => "rs",
            RegTy::B32 => "r",
            RegTy::B64 => "rd",
            RegTy::F32 => "f",
            RegTy::F64 => "fd",
        }
    }

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        self.ty().bits()
    }

    /// Whether an operand position of type `ty` takes this register. `wider`
    /// is the relaxed rule of loads, stores and conversions, where an integer
    /// register may be wider than the type.
    pub const fn fits(self, ty: Ty, wider: bool) -> bool {
        match ty.class() {
            Class::Pred => matches!(self, RegTy::Pred),
            Class::Float => match ty {
                Ty::F32 => matches!(self, RegTy::F32 | RegTy::B32),
                Ty::F64 => matches!(self, RegTy::F64 | RegTy::B64),
                _ => matches!(self, RegTy::B16 | RegTy::B32) && self.bits() == ty.bits(),
            },
            class => {
                let float = matches!(self, RegTy::F32 | RegTy::F64);
                if matches!(self, RegTy::Pred) || ty.bits() == 0 {
                    false
                } else if self.bits() == ty.bits() {
                    !float || matches!(class, Class::Bits)
                } else {
                    wider && !float && self.bits() > ty.bits()
                }
            }
        }
    }
}

impl fmt::Display for RegTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ty().suffix())
    }
}

/// A set of [`Ty`], as a bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TySet(u32);

impl TySet {
    /// The set of the given types.
    pub const fn of(tys: &[Ty]) -> TySet {
        let mut mask = 0;
        let mut i = 0;
        while i < tys.len() {
            mask |= 1 << tys[i] as u32;
            i += 1;
        }
        TySet(mask)
    }

    /// Both sets together.
    pub const fn or(self, other: TySet) -> TySet {
        TySet(self.0 | other.0)
    }

    /// Membership.
    pub const fn has(self, ty: Ty) -> bool {
        self.0 >> ty as u32 & 1 == 1
    }

    /// The members, in the order of [`Ty::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Ty> {
        Ty::ALL.into_iter().filter(move |t| self.has(*t))
    }
}

impl fmt::Display for TySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, ty) in self.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{ty}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_fit_types_by_the_isa_rules() {
        assert!(RegTy::B32.fits(Ty::S32, false));
        assert!(RegTy::B32.fits(Ty::F32, false));
        assert!(RegTy::F32.fits(Ty::B32, false));
        assert!(!RegTy::F32.fits(Ty::S32, false));
        assert!(!RegTy::B64.fits(Ty::S32, false));
        assert!(RegTy::B64.fits(Ty::S32, true));
        assert!(RegTy::B16.fits(Ty::U8, true));
        assert!(!RegTy::B16.fits(Ty::U8, false));
        assert!(RegTy::B16.fits(Ty::Bf16, false));
        assert!(!RegTy::F64.fits(Ty::B32, true));
        assert!(!RegTy::Pred.fits(Ty::B16, true));
        assert!(!RegTy::B16.fits(Ty::None, true));
    }

    #[test]
    fn every_type_fits_the_register_made_for_it() {
        for ty in Ty::ALL {
            assert!(ty.reg().fits(ty, true), "{ty}");
        }
    }
}
