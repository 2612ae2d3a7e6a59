//! The operations that combine an old value with a new one: reductions of
//! `affine.parallel`, and `memref.atomic_rmw`.

use super::{
    ATOMIC_RMW_KIND, AddFOp, AddIOp, AndIOp, MaxNumFOp, MaxSIOp, MaxUIOp, MaximumFOp, MinNumFOp,
    MinSIOp, MinUIOp, MinimumFOp, MulFOp, MulIOp, OrIOp, XOrIOp, constant::splat_float,
    constant::splat_int,
};
use terrace_ir::num::{Float, Int};
use terrace_ir::{Attr, Builder, Context, Type, Value};

/// Upstream's `AtomicRMWKind`, with its keywords and numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicRmwKind {
    /// Sum of floats.
    AddF = 0,
    /// Sum of integers.
    AddI = 1,
    /// Bitwise and.
    AndI = 2,
    /// The new value.
    Assign = 3,
    /// Greater float; NaN if one is NaN.
    MaximumF = 4,
    /// Greater float; the other if one is NaN.
    MaxNumF = 5,
    /// Greater signed integer.
    MaxS = 6,
    /// Greater unsigned integer.
    MaxU = 7,
    /// Lesser float; NaN if one is NaN.
    MinimumF = 8,
    /// Lesser float; the other if one is NaN.
    MinNumF = 9,
    /// Lesser signed integer.
    MinS = 10,
    /// Lesser unsigned integer.
    MinU = 11,
    /// Product of floats.
    MulF = 12,
    /// Product of integers.
    MulI = 13,
    /// Bitwise or.
    OrI = 14,
    /// Bitwise exclusive or.
    XOrI = 15,
}

use AtomicRmwKind as K;

const ALL: [K; 16] = [
    K::AddF,
    K::AddI,
    K::AndI,
    K::Assign,
    K::MaximumF,
    K::MaxNumF,
    K::MaxS,
    K::MaxU,
    K::MinimumF,
    K::MinNumF,
    K::MinS,
    K::MinU,
    K::MulF,
    K::MulI,
    K::OrI,
    K::XOrI,
];

impl AtomicRmwKind {
    /// The kind of this number in the IR; `None` if there is none.
    pub fn from_i64(v: i64) -> Option<Self> {
        ALL.into_iter().find(|k| *k as i64 == v)
    }

    /// The word in the IR, `addf`.
    pub fn keyword(self) -> String {
        ATOMIC_RMW_KIND.keyword(self as i64).unwrap_or_default()
    }

    /// The value that changes nothing when combined with any other of type `ty`;
    /// `None` where there is none or the type does not fit.
    pub fn identity(self, ctx: &Context, ty: Type) -> Option<Attr> {
        let elem = ty.element_or_self(ctx);
        let float = |f: fn(terrace_ir::num::FloatKind) -> Float| {
            Some(splat_float(ctx, ty, &f(elem.float_kind(ctx)?)))
        };
        let int = |f: fn(u32) -> Int| {
            let width = if elem.is_index(ctx) {
                64
            } else {
                elem.int_width(ctx)?
            };
            Some(splat_int(ctx, ty, &f(width)))
        };
        match self {
            // Upstream's is 0, to which -0 added is 0.
            K::AddF => float(|k| Float::zero(k).neg()),
            K::MulF => float(Float::one),
            K::MaximumF => float(|k| Float::infinity(k, true)),
            K::MinimumF => float(|k| Float::infinity(k, false)),
            // A NaN of either sign does; these are upstream's.
            K::MinNumF => float(Float::nan),
            K::MaxNumF => float(|k| Float::nan(k).neg()),
            K::AddI | K::OrI | K::XOrI | K::MaxU => int(Int::zero),
            K::MulI => int(Int::one),
            K::AndI | K::MinU => int(Int::all_ones),
            K::MaxS => int(Int::signed_min),
            K::MinS => int(Int::signed_max),
            K::Assign => None,
        }
    }

    /// The op that combines two values of type `ty`, the old one first.
    pub fn combine(self, b: &mut Builder, old: Value, new: Value, ty: Type) -> Value {
        let v = [old, new];
        match self {
            K::AddF => b.value::<AddFOp>(&v, ty, &[]),
            K::AddI => b.value::<AddIOp>(&v, ty, &[]),
            K::Assign => new,
            K::MaximumF => b.value::<MaximumFOp>(&v, ty, &[]),
            K::MaxS => b.value::<MaxSIOp>(&v, ty, &[]),
            K::MaxU => b.value::<MaxUIOp>(&v, ty, &[]),
            K::MinimumF => b.value::<MinimumFOp>(&v, ty, &[]),
            K::MinS => b.value::<MinSIOp>(&v, ty, &[]),
            K::MinU => b.value::<MinUIOp>(&v, ty, &[]),
            K::MulF => b.value::<MulFOp>(&v, ty, &[]),
            K::MulI => b.value::<MulIOp>(&v, ty, &[]),
            K::OrI => b.value::<OrIOp>(&v, ty, &[]),
            K::AndI => b.value::<AndIOp>(&v, ty, &[]),
            K::MaxNumF => b.value::<MaxNumFOp>(&v, ty, &[]),
            K::MinNumF => b.value::<MinNumFOp>(&v, ty, &[]),
            K::XOrI => b.value::<XOrIOp>(&v, ty, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, K};
    use crate::arith::ATOMIC_RMW_KIND;

    #[test]
    fn numbers_are_those_of_the_attribute() {
        for k in ALL {
            assert_eq!(ATOMIC_RMW_KIND.parse(&k.keyword()), Some(k as i64));
        }
        for (k, keyword) in [
            (K::AndI, "andi"),
            (K::MinNumF, "minnumf"),
            (K::MulF, "mulf"),
            (K::MaxU, "maxu"),
        ] {
            assert_eq!(k.keyword(), keyword);
        }
    }
}
