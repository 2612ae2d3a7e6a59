//! Scalar types of the IR as register types.

use super::matrices::held;
use crate::ptx::{RegTy, Ty};
use terrace_dialects::gpu::MmaMatrix;
use terrace_ir::num::FloatKind;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Type, TypeData};

/// Most lanes of a vector; each takes a register.
const MAX_LANES: i64 = 1024;

/// An integer of `w` bits in a register of `c` bits (16, 32 or 64). The bits
/// above `w` are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IntTy {
    pub w: u32,
    pub c: u32,
}

impl IntTy {
    pub const INDEX: IntTy = IntTy { w: 64, c: 64 };

    pub fn new(w: u32) -> IntTy {
        let c = match w {
            0..=16 => 16,
            17..=32 => 32,
            _ => 64,
        };
        IntTy { w, c }
    }

    pub fn is_full(self) -> bool {
        self.w == self.c
    }

    pub fn unsigned(self) -> Ty {
        [Ty::U16, Ty::U32, Ty::U64][self.step()]
    }

    pub fn signed(self) -> Ty {
        [Ty::S16, Ty::S32, Ty::S64][self.step()]
    }

    pub fn bits(self) -> Ty {
        [Ty::B16, Ty::B32, Ty::B64][self.step()]
    }

    fn step(self) -> usize {
        (self.c / 32) as usize
    }

    /// The bits that a value may have set.
    pub fn mask(self) -> u64 {
        if self.w >= 64 {
            u64::MAX
        } else {
            (1 << self.w) - 1
        }
    }
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `i1`, in a predicate.
    Bool,
    /// Wider integers, and `index` as 64 bits.
    Int(IntTy),
    F16,
    Bf16,
    F32,
    F64,
}

impl Kind {
    pub const INDEX: Kind = Kind::Int(IntTy::INDEX);

    /// The register type that holds it.
    pub fn reg(self) -> RegTy {
        match self {
            Kind::Bool => RegTy::Pred,
            Kind::Int(t) => t.bits().reg(),
            Kind::F16 | Kind::Bf16 => RegTy::B16,
            Kind::F32 => RegTy::F32,
            Kind::F64 => RegTy::F64,
        }
    }

    /// The type that loads and stores move.
    pub fn memory(self) -> Ty {
        match self {
            Kind::Bool => Ty::U8,
            Kind::Int(t) if t.w <= 8 => Ty::U8,
            Kind::Int(t) => t.unsigned(),
            Kind::F16 | Kind::Bf16 => Ty::B16,
            Kind::F32 => Ty::F32,
            Kind::F64 => Ty::F64,
        }
    }

    /// Bytes in memory.
    pub fn bytes(self) -> u32 {
        self.memory().bytes()
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Kind::Bool | Kind::Int(_))
    }

    pub fn is_half(self) -> bool {
        matches!(self, Kind::F16 | Kind::Bf16)
    }

    /// As an integer; none for floats.
    pub fn int(self) -> Option<IntTy> {
        match self {
            Kind::Bool => Some(IntTy::new(1)),
            Kind::Int(t) => Some(t),
            _ => None,
        }
    }

    /// The kind of a scalar type.
    pub fn of(ctx: &Context, ty: Type) -> Result<Kind, String> {
        let found = match ty.data(ctx) {
            TypeData::Index => Some(Kind::INDEX),
            TypeData::Integer { width: 1, .. } => Some(Kind::Bool),
            TypeData::Integer {
                width: w @ 2..=64, ..
            } => Some(Kind::Int(IntTy::new(*w))),
            TypeData::Float(FloatKind::F16) => Some(Kind::F16),
            TypeData::Float(FloatKind::BF16) => Some(Kind::Bf16),
            TypeData::Float(FloatKind::F32) => Some(Kind::F32),
            TypeData::Float(FloatKind::F64) => Some(Kind::F64),
            _ => None,
        };
        found.ok_or_else(|| {
            format!(
                "type '{}' has no registers on the GPU; integers of 1 to 64 bits, index, f16, bf16, f32, f64 have",
                ctx.type_text(ty)
            )
        })
    }

    /// Element kind and number of lanes; no number for a scalar.
    pub fn of_lanes(ctx: &Context, ty: Type) -> Result<(Kind, Option<usize>), String> {
        let TypeData::Vector {
            shape,
            elem,
            scalable,
        } = ty.data(ctx)
        else {
            let Some(m) = MmaMatrix::of(ctx, ty) else {
                return Ok((Kind::of(ctx, ty)?, None));
            };
            let n = held(m.shape[0], m.shape[1]).filter(|n| *n <= MAX_LANES as usize);
            return match n {
                Some(n) => Ok((Kind::of(ctx, m.elem)?, Some(n))),
                None => Err(format!(
                    "type '{}' does not fit the registers of a warp; matrices of a multiple of 32 and at most {} elements do",
                    ctx.type_text(ty),
                    32 * MAX_LANES
                )),
            };
        };
        let lanes = ty.num_elements(ctx).filter(|n| (1..=MAX_LANES).contains(n));
        match lanes {
            Some(n) if !scalable.contains(&true) && !shape.contains(&DYNAMIC) => {
                Ok((Kind::of(ctx, *elem)?, Some(n as usize)))
            }
            _ => Err(format!(
                "type '{}' does not fit registers; vectors of 1 to {MAX_LANES} elements do",
                ctx.type_text(ty)
            )),
        }
    }
}
