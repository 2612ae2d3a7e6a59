//! Matrix products of a warp, and the loads and stores of their operands.
//!
//! The lists of registers are a lane's part of each matrix ("fragment"): packed
//! pairs of halves and quadruples of bytes in 32 bits, other elements one a
//! register.

use super::*;
use crate::modifiers::{Shape, Space, Tiles, Trans};

const F32: TyRef = TyRef::Is(Ty::F32);
const F64: TyRef = TyRef::Is(Ty::F64);
const S32: TyRef = TyRef::Is(Ty::S32);

/// A product: shape, the types of D, A, B and C as written, the register type and
/// the number of registers of C and D, of A (bits unless doubles) and of B.
macro_rules! product {
    ($shape:ident, [$d:expr, $a:expr, $b:expr, $c:expr], $acc:expr, $part:expr,
     $nd:literal, $na:literal, $nb:literal, sm $sm:literal, ptx $ptx:expr $(, $sat:expr)?) => {
        Form::new(
            &[
                Slot::Req(Field::Shape, Shape::$shape.bit()),
                Slot::Lit(".row.col"),
                $( $sat, )?
                Slot::Ty(0, TySet::of(&[$d])),
                Slot::Ty(1, TySet::of($a)),
                Slot::Ty(2, TySet::of($b)),
                Slot::Ty(3, TySet::of(&[$c])),
            ],
            &[
                Kind::DefRegs($acc, $nd),
                Kind::UseRegs($part, $na),
                Kind::UseRegs($part, $nb),
                Kind::UseRegs($acc, $nd),
            ],
        )
        .since($sm, $ptx)
    };
}

/// Halves, bf16 or tf32 with sums in singles.
macro_rules! singles {
    ($shape:ident, $ty:expr, $na:literal, $nb:literal, sm $sm:literal, ptx $ptx:expr) => {
        product!($shape, [Ty::F32, &[$ty], &[$ty], Ty::F32], F32, B32, 4, $na, $nb, sm $sm, ptx $ptx)
    };
}

macro_rules! halves {
    ($shape:ident, $na:literal, $nb:literal, sm $sm:literal, ptx $ptx:expr) => {
        product!($shape, [Ty::F16, &[Ty::F16], &[Ty::F16], Ty::F16], B32, B32, 2, $na, $nb, sm $sm, ptx $ptx)
    };
}

macro_rules! doubles {
    ($shape:ident, $nd:literal, $na:literal, $nb:literal, sm $sm:literal, ptx $ptx:expr) => {
        product!($shape, [Ty::F64, &[Ty::F64], &[Ty::F64], Ty::F64], F64, F64, $nd, $na, $nb, sm $sm, ptx $ptx)
    };
}

const BYTES: &[Ty] = &[Ty::U8, Ty::S8];
const SATFINITE: Slot = Slot::Opt(Field::Sat, Sat::Finite.bit());

macro_rules! bytes {
    ($shape:ident, $nd:literal, $na:literal, $nb:literal, sm $sm:literal, ptx $ptx:expr) => {
        product!($shape, [Ty::S32, BYTES, BYTES, Ty::S32], S32, B32, $nd, $na, $nb, sm $sm, ptx $ptx, SATFINITE)
    };
}

const MMA: &[Form] = &[
    halves!(M16n8k8, 2, 1, sm 75, ptx (6, 5)),
    halves!(M16n8k16, 4, 2, sm 80, ptx (7, 0)),
    singles!(M16n8k8, Ty::F16, 2, 1, sm 75, ptx (6, 5)),
    singles!(M16n8k16, Ty::F16, 4, 2, sm 80, ptx (7, 0)),
    singles!(M16n8k8, Ty::Bf16, 2, 1, sm 80, ptx (7, 0)),
    singles!(M16n8k16, Ty::Bf16, 4, 2, sm 80, ptx (7, 0)),
    singles!(M16n8k4, Ty::Tf32, 2, 1, sm 80, ptx (7, 0)),
    singles!(M16n8k8, Ty::Tf32, 4, 2, sm 80, ptx (7, 0)),
    doubles!(M8n8k4, 2, 1, 1, sm 80, ptx (7, 0)),
    doubles!(M16n8k4, 4, 2, 1, sm 90, ptx (7, 8)),
    doubles!(M16n8k8, 4, 4, 2, sm 90, ptx (7, 8)),
    doubles!(M16n8k16, 4, 8, 4, sm 90, ptx (7, 8)),
    bytes!(M8n8k16, 2, 1, 1, sm 75, ptx (6, 5)),
    bytes!(M16n8k16, 4, 2, 1, sm 80, ptx (7, 0)),
    bytes!(M16n8k32, 4, 4, 2, sm 80, ptx (7, 0)),
];

macro_rules! tiles {
    ($tiles:ident) => {
        &[
            Slot::Req(Field::Tiles, Tiles::$tiles.bit()),
            Slot::Opt(Field::Trans, Trans::On.bit()),
            Slot::Opt(Field::Space, Space::Shared.bit()),
            Slot::Lit(".b16"),
        ]
    };
}

const LDMATRIX: &[Form] = &[
    Form::new(tiles!(X1), &[Kind::DefRegs(B32, 1), Kind::Addr]).since(75, (6, 5)),
    Form::new(tiles!(X2), &[Kind::DefRegs(B32, 2), Kind::Addr]).since(75, (6, 5)),
    Form::new(tiles!(X4), &[Kind::DefRegs(B32, 4), Kind::Addr]).since(75, (6, 5)),
];

const STMATRIX: &[Form] = &[
    Form::new(tiles!(X1), &[Kind::Addr, Kind::UseRegs(B32, 1)]).since(90, (7, 8)),
    Form::new(tiles!(X2), &[Kind::Addr, Kind::UseRegs(B32, 2)]).since(90, (7, 8)),
    Form::new(tiles!(X4), &[Kind::Addr, Kind::UseRegs(B32, 4)]).since(90, (7, 8)),
];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Mma => MMA,
        Op::Ldmatrix => LDMATRIX,
        Op::Stmatrix => STMATRIX,
        _ => &[],
    }
}
