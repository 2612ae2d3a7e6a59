//! The less common operations on integers and bits, and what picks or tests.

use super::other::{COMBINE, EQ_NE, FLOAT_CMP, MOVABLE, SIGNED_CMP, UNSIGNED, UNSIGNED_CMP, cmp};
use super::*;
use crate::modifiers::{Amount, Funnel, Half, Sat, Space};

const ONLY_B32: TySet = TySet::of(&[Ty::B32]);
const WORDS: TySet = TySet::of(&[Ty::U32, Ty::S32]);
const S32: TyRef = TyRef::Is(Ty::S32);
const LO_HI: Slot = Slot::Req(Field::Half, Half::Lo.bit() | Half::Hi.bit());

/// Any logic of three operands: bit `4a + 2b + c` of the table is the result.
const LOP3: &[Form] = &[Form::new(
    &[Slot::Ty(0, ONLY_B32)],
    &[
        Kind::Def(T),
        Kind::Use(T),
        Kind::Use(T),
        Kind::Use(T),
        Kind::Const(0, 255),
    ],
)];

const SHF: &[Form] = &[Form::new(
    &[
        Slot::Req(Field::Funnel, Funnel::L.bit() | Funnel::R.bit()),
        Slot::Req(Field::Amount, Amount::Wrap.bit() | Amount::Clamp.bit()),
        Slot::Ty(0, ONLY_B32),
    ],
    &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::Use(COUNT)],
)];

const MAD24: &[Form] = &[
    Form::new(&[LO_HI, Slot::Ty(0, WORDS)], DABC),
    Form::new(
        &[
            Slot::Req(Field::Half, Half::Hi.bit()),
            Slot::Req(Field::Sat, Sat::On.bit()),
            Slot::Ty(0, TySet::of(&[Ty::S32])),
        ],
        DABC,
    ),
];

/// Of bytes whose signs the two types tell; the sum is signed if one of them is.
const DOT: &[Kind] = &[
    Kind::Def(U32),
    Kind::Use(U32),
    Kind::Use(U32),
    Kind::Use(U32),
];
const DP4A: &[Form] =
    &[Form::new(&[Slot::Ty(0, WORDS), Slot::Ty(1, WORDS)], DOT).since(61, (6, 0))];
const DP2A: &[Form] =
    &[Form::new(&[LO_HI, Slot::Ty(0, WORDS), Slot::Ty(1, WORDS)], DOT).since(61, (6, 0))];

const SET_TO: Slot = Slot::Ty(0, TySet::of(&[Ty::U32, Ty::S32, Ty::F32]));
const SET_AB: &[Kind] = &[Kind::Def(T), Kind::Use(U), Kind::Use(U)];
const SET_ABC: &[Kind] = &[Kind::Def(T), Kind::Use(U), Kind::Use(U), Kind::UsePred];

const SET: &[Form] = &[
    Form::new(&[cmp(EQ_NE), SET_TO, Slot::Ty(1, BITS)], SET_AB),
    Form::new(&[cmp(SIGNED_CMP), SET_TO, Slot::Ty(1, SIGNED)], SET_AB),
    Form::new(&[cmp(UNSIGNED_CMP), SET_TO, Slot::Ty(1, UNSIGNED)], SET_AB),
    Form::new(
        &[cmp(FLOAT_CMP), FTZ, SET_TO, Slot::Ty(1, ONLY_F32)],
        SET_AB,
    ),
    Form::new(&[cmp(FLOAT_CMP), SET_TO, Slot::Ty(1, ONLY_F64)], SET_AB),
    Form::new(&[cmp(EQ_NE), COMBINE, SET_TO, Slot::Ty(1, BITS)], SET_ABC),
    Form::new(
        &[cmp(SIGNED_CMP), COMBINE, SET_TO, Slot::Ty(1, SIGNED)],
        SET_ABC,
    ),
    Form::new(
        &[cmp(UNSIGNED_CMP), COMBINE, SET_TO, Slot::Ty(1, UNSIGNED)],
        SET_ABC,
    ),
    Form::new(
        &[cmp(FLOAT_CMP), COMBINE, FTZ, SET_TO, Slot::Ty(1, ONLY_F32)],
        SET_ABC,
    ),
    Form::new(
        &[cmp(FLOAT_CMP), COMBINE, SET_TO, Slot::Ty(1, ONLY_F64)],
        SET_ABC,
    ),
];

const SLCT: &[Form] = &[
    Form::new(
        &[Slot::Ty(0, MOVABLE), Slot::Ty(1, TySet::of(&[Ty::S32]))],
        &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::Use(U)],
    ),
    Form::new(
        &[FTZ, Slot::Ty(0, MOVABLE), Slot::Ty(1, ONLY_F32)],
        &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::Use(U)],
    ),
];

const ISSPACEP: &[Form] = &[
    Form::new(
        &[Slot::Req(
            Field::Space,
            Space::Global.bit() | Space::Shared.bit() | Space::Local.bit() | Space::Const.bit(),
        )],
        &[Kind::Def(PRED), Kind::UseReg(U64)],
    ),
    Form::new(
        &[Slot::Req(Field::Space, Space::Param.bit())],
        &[Kind::Def(PRED), Kind::UseReg(U64)],
    )
    .since(70, (7, 7)),
];

const FNS: &[Form] = &[Form::new(
    &[Slot::Ty(0, ONLY_B32)],
    &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::Use(S32)],
)];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Lop3 => LOP3,
        Op::Shf => SHF,
        Op::Fns => FNS,
        Op::Cnot => &[const { Form::new(&[Slot::Ty(0, BITS)], DA) }],
        Op::Sad => &[const { Form::new(&[Slot::Ty(0, INTS)], DABC) }],
        Op::Mul24 => &[const { Form::new(&[LO_HI, Slot::Ty(0, WORDS)], DAB) }],
        Op::Mad24 => MAD24,
        Op::Dp4a => DP4A,
        Op::Dp2a => DP2A,
        Op::Set => SET,
        Op::Slct => SLCT,
        Op::Isspacep => ISSPACEP,
        _ => &[],
    }
}
