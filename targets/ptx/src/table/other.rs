//! Moves, conversions, comparisons, warp and block communication, control.

use super::*;
use crate::modifiers::{Cmp, Combine, Scope, Sem, ShflMode, Space, ToSpace, Uni, VoteMode};

pub(super) const MOVABLE: TySet = BITS.or(INTS).or(F32_F64);
const ALL_INTS: TySet = INTS.or(TySet::of(&[Ty::U8, Ty::S8]));

const MOV: &[Form] = &[
    Form::new(
        &[Slot::Ty(0, MOVABLE.or(TySet::of(&[Ty::Pred])))],
        &[Kind::Def(T), Kind::UseAny(T)],
    ),
    Form::new(
        &[Slot::Ty(0, BITS_32_64)],
        &[Kind::Def(T), Kind::UseParts(T)],
    ),
    Form::new(
        &[Slot::Ty(0, BITS_32_64)],
        &[Kind::DefParts(T), Kind::UseReg(T)],
    ),
];

const CVT_OPERANDS: &[Kind] = &[Kind::DefWide(T), Kind::UseWide(U)];
/// Where one side is a float, that side's register has exactly its width.
const CVT_TO_FLOAT: &[Kind] = &[Kind::Def(T), Kind::UseWide(U)];
const CVT_FROM_FLOAT: &[Kind] = &[Kind::DefWide(T), Kind::UseReg(U)];
const CVT_FLOATS: &[Kind] = &[Kind::Def(T), Kind::UseReg(U)];

const F16_F32_F64: TySet = TySet::of(&[Ty::F16, Ty::F32, Ty::F64]);
const ONLY_F16: TySet = TySet::of(&[Ty::F16]);
const ONLY_BF16: TySet = TySet::of(&[Ty::Bf16]);
const REQ_INT_RND: Slot = Slot::Req(Field::Rnd, INT_RNDS);
const OPT_INT_RND: Slot = Slot::Opt(Field::Rnd, INT_RNDS);
const RN_RZ: Slot = Slot::Req(Field::Rnd, Rnd::Rn.bit() | Rnd::Rz.bit());

macro_rules! saturating {
    ([$($to:ident)*] from $from:ident) => {
        Form::new(
            &[
                Slot::Req(Field::Sat, Sat::On.bit()),
                Slot::Ty(0, TySet::of(&[$(Ty::$to),*])),
                Slot::Ty(1, TySet::of(&[Ty::$from])),
            ],
            CVT_OPERANDS,
        )
    };
}

const CVT: &[Form] = &[
    // Between integers.
    Form::new(
        &[Slot::Ty(0, ALL_INTS), Slot::Ty(1, ALL_INTS)],
        CVT_OPERANDS,
    ),
    // Saturation, where the new type does not hold every value of the old.
    saturating!([U8 U16 U32 U64] from S8),
    saturating!([S8] from U8),
    saturating!([S8 U8 U16 U32 U64] from S16),
    saturating!([S8 U8 S16] from U16),
    saturating!([S8 U8 S16 U16 U32 U64] from S32),
    saturating!([S8 U8 S16 U16 S32] from U32),
    saturating!([S8 U8 S16 U16 S32 U32 U64] from S64),
    saturating!([S8 U8 S16 U16 S32 U32 S64] from U64),
    // Integer to float.
    Form::new(
        &[REQ_RND, Slot::Ty(0, F16_F32_F64), Slot::Ty(1, ALL_INTS)],
        CVT_TO_FLOAT,
    ),
    Form::new(
        &[REQ_RND, Slot::Ty(0, ONLY_BF16), Slot::Ty(1, INTS)],
        CVT_TO_FLOAT,
    )
    .since(90, (7, 8)),
    // Float to integer.
    Form::new(
        &[
            REQ_INT_RND,
            FTZ,
            SAT,
            Slot::Ty(0, ALL_INTS),
            Slot::Ty(1, ONLY_F32),
        ],
        CVT_FROM_FLOAT,
    ),
    Form::new(
        &[
            REQ_INT_RND,
            SAT,
            Slot::Ty(0, ALL_INTS),
            Slot::Ty(1, TySet::of(&[Ty::F16, Ty::F64])),
        ],
        CVT_FROM_FLOAT,
    ),
    Form::new(
        &[REQ_INT_RND, Slot::Ty(0, INTS), Slot::Ty(1, ONLY_BF16)],
        CVT_FROM_FLOAT,
    )
    .since(90, (7, 8)),
    // To a wider float: exact.
    Form::new(
        &[FTZ, SAT, Slot::Ty(0, ONLY_F64), Slot::Ty(1, ONLY_F32)],
        CVT_FLOATS,
    ),
    Form::new(
        &[FTZ, SAT, Slot::Ty(0, ONLY_F32), Slot::Ty(1, ONLY_F16)],
        CVT_FLOATS,
    ),
    Form::new(
        &[SAT, Slot::Ty(0, ONLY_F64), Slot::Ty(1, ONLY_F16)],
        CVT_FLOATS,
    ),
    Form::new(&[Slot::Ty(0, ONLY_F32), Slot::Ty(1, ONLY_BF16)], CVT_FLOATS).since(90, (7, 8)),
    Form::new(&[Slot::Ty(0, ONLY_F64), Slot::Ty(1, ONLY_BF16)], CVT_FLOATS).since(90, (7, 8)),
    // To a narrower float.
    Form::new(
        &[
            REQ_RND,
            FTZ,
            SAT,
            Slot::Ty(0, ONLY_F32),
            Slot::Ty(1, ONLY_F64),
        ],
        CVT_FLOATS,
    ),
    Form::new(
        &[
            REQ_RND,
            FTZ,
            SAT,
            Slot::Ty(0, ONLY_F16),
            Slot::Ty(1, ONLY_F32),
        ],
        CVT_FLOATS,
    ),
    Form::new(
        &[REQ_RND, SAT, Slot::Ty(0, ONLY_F16), Slot::Ty(1, ONLY_F64)],
        CVT_FLOATS,
    ),
    Form::new(
        &[RN_RZ, Slot::Ty(0, ONLY_BF16), Slot::Ty(1, ONLY_F32)],
        CVT_FLOATS,
    )
    .since(80, (7, 0)),
    Form::new(
        &[REQ_RND, Slot::Ty(0, ONLY_BF16), Slot::Ty(1, ONLY_F64)],
        CVT_FLOATS,
    )
    .since(90, (7, 8)),
    Form::new(
        &[
            Slot::Req(Field::Rnd, Rnd::Rna.bit()),
            Slot::Ty(0, TySet::of(&[Ty::Tf32])),
            Slot::Ty(1, ONLY_F32),
        ],
        CVT_FLOATS,
    )
    .since(80, (7, 0)),
    // Two singles into one packed pair, the first in the upper half.
    Form::new(
        &[
            RN_RZ,
            Slot::Ty(0, TySet::of(&[Ty::F16x2, Ty::Bf16x2])),
            Slot::Ty(1, ONLY_F32),
        ],
        &[Kind::Def(T), Kind::UseReg(U), Kind::UseReg(U)],
    )
    .since(80, (7, 0)),
    // To an integral value of the same type, or saturated to [0, 1].
    Form::new(
        &[
            OPT_INT_RND,
            FTZ,
            SAT,
            Slot::Ty(0, ONLY_F32),
            Slot::Ty(1, ONLY_F32),
        ],
        CVT_FLOATS,
    ),
    Form::new(
        &[
            OPT_INT_RND,
            SAT,
            Slot::Ty(0, ONLY_F64),
            Slot::Ty(1, ONLY_F64),
        ],
        CVT_FLOATS,
    ),
    Form::new(
        &[
            OPT_INT_RND,
            SAT,
            Slot::Ty(0, ONLY_F16),
            Slot::Ty(1, ONLY_F16),
        ],
        CVT_FLOATS,
    ),
];

const SPACES: u32 =
    Space::Global.bit() | Space::Shared.bit() | Space::Local.bit() | Space::Const.bit();

const CVTA: &[Form] = &[Form::new(
    &[
        Slot::Opt(Field::ToSpace, ToSpace::On.bit()),
        Slot::Req(Field::Space, SPACES),
        Slot::Lit(".u64"),
    ],
    &[Kind::Def(U64), Kind::UseReg(U64)],
)];

pub(super) const EQ_NE: u32 = Cmp::Eq.bit() | Cmp::Ne.bit();
pub(super) const SIGNED_CMP: u32 =
    EQ_NE | Cmp::Lt.bit() | Cmp::Le.bit() | Cmp::Gt.bit() | Cmp::Ge.bit();
pub(super) const UNSIGNED_CMP: u32 =
    SIGNED_CMP | Cmp::Lo.bit() | Cmp::Ls.bit() | Cmp::Hi.bit() | Cmp::Hs.bit();
pub(super) const FLOAT_CMP: u32 = SIGNED_CMP
    | Cmp::Equ.bit()
    | Cmp::Neu.bit()
    | Cmp::Ltu.bit()
    | Cmp::Leu.bit()
    | Cmp::Gtu.bit()
    | Cmp::Geu.bit()
    | Cmp::Num.bit()
    | Cmp::Nan.bit();
pub(super) const COMBINE: Slot = Slot::Req(
    Field::Combine,
    Combine::And.bit() | Combine::Or.bit() | Combine::Xor.bit(),
);
pub(super) const UNSIGNED: TySet = TySet::of(&[Ty::U16, Ty::U32, Ty::U64]);

const SETP_AB: &[Kind] = &[Kind::DefPair(PRED), Kind::Use(T), Kind::Use(T)];
const SETP_ABC: &[Kind] = &[
    Kind::DefPair(PRED),
    Kind::Use(T),
    Kind::Use(T),
    Kind::UsePred,
];
/// Halves have no second result.
const SETP_AB_REG: &[Kind] = &[Kind::Def(PRED), Kind::UseReg(T), Kind::UseReg(T)];

pub(super) const fn cmp(mask: u32) -> Slot {
    Slot::Req(Field::Cmp, mask)
}

const SETP: &[Form] = &[
    Form::new(&[cmp(EQ_NE), Slot::Ty(0, BITS)], SETP_AB),
    Form::new(&[cmp(SIGNED_CMP), Slot::Ty(0, SIGNED)], SETP_AB),
    Form::new(&[cmp(UNSIGNED_CMP), Slot::Ty(0, UNSIGNED)], SETP_AB),
    Form::new(&[cmp(FLOAT_CMP), FTZ, Slot::Ty(0, ONLY_F32)], SETP_AB),
    Form::new(&[cmp(FLOAT_CMP), Slot::Ty(0, ONLY_F64)], SETP_AB),
    Form::new(&[cmp(FLOAT_CMP), FTZ, Slot::Ty(0, ONLY_F16)], SETP_AB_REG).since(53, (6, 0)),
    Form::new(&[cmp(FLOAT_CMP), Slot::Ty(0, ONLY_BF16)], SETP_AB_REG).since(90, (7, 8)),
    Form::new(&[cmp(EQ_NE), COMBINE, Slot::Ty(0, BITS)], SETP_ABC),
    Form::new(&[cmp(SIGNED_CMP), COMBINE, Slot::Ty(0, SIGNED)], SETP_ABC),
    Form::new(
        &[cmp(UNSIGNED_CMP), COMBINE, Slot::Ty(0, UNSIGNED)],
        SETP_ABC,
    ),
    Form::new(
        &[cmp(FLOAT_CMP), COMBINE, FTZ, Slot::Ty(0, ONLY_F32)],
        SETP_ABC,
    ),
    Form::new(&[cmp(FLOAT_CMP), COMBINE, Slot::Ty(0, ONLY_F64)], SETP_ABC),
];

const SELP: &[Form] = &[Form::new(
    &[Slot::Ty(0, MOVABLE)],
    &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::UseReg(PRED)],
)];

const MODES: u32 =
    ShflMode::Up.bit() | ShflMode::Down.bit() | ShflMode::Bfly.bit() | ShflMode::Idx.bit();

const SHFL: &[Form] = &[Form::new(
    &[Slot::Req(Field::ShflMode, MODES), Slot::Lit(".b32")],
    &[
        Kind::DefPair(B32),
        Kind::UseReg(B32),
        Kind::Use(B32),
        Kind::Use(B32),
        Kind::Use(B32),
    ],
)
.since(30, (6, 0))];

const VOTE: &[Form] = &[
    Form::new(
        &[
            Slot::Req(
                Field::VoteMode,
                VoteMode::All.bit() | VoteMode::Any.bit() | VoteMode::Uni.bit(),
            ),
            Slot::Lit(".pred"),
        ],
        &[Kind::Def(PRED), Kind::UsePred, Kind::Use(B32)],
    ),
    Form::new(
        &[
            Slot::Req(Field::VoteMode, VoteMode::Ballot.bit()),
            Slot::Lit(".b32"),
        ],
        &[Kind::Def(B32), Kind::UsePred, Kind::Use(B32)],
    ),
];

const UNI: Slot = Slot::Opt(Field::Uni, Uni::On.bit());

const MEMBAR: &[Form] = &[Form::new(
    &[Slot::Req(
        Field::Scope,
        Scope::Cta.bit() | Scope::Gl.bit() | Scope::Sys.bit(),
    )],
    &[],
)];

const FENCE: &[Form] = &[Form::new(
    &[
        Slot::Req(Field::Sem, Sem::Sc.bit() | Sem::AcqRel.bit()),
        Slot::Req(
            Field::Scope,
            Scope::Cta.bit() | Scope::Cluster.bit() | Scope::Gpu.bit() | Scope::Sys.bit(),
        ),
    ],
    &[],
)
.since(70, (6, 0))];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Mov => MOV,
        Op::Cvt => CVT,
        Op::Cvta => CVTA,
        Op::Setp => SETP,
        Op::Selp => SELP,
        Op::Shfl => SHFL,
        Op::Vote => VOTE,
        Op::Activemask => {
            &[const { Form::new(&[Slot::Lit(".b32")], &[Kind::Def(B32)]).since(30, (6, 2)) }]
        }
        Op::Membar => MEMBAR,
        Op::Fence => FENCE,
        Op::Bra => &[const { Form::new(&[UNI], &[Kind::Label]) }],
        Op::Ret => &[const { Form::new(&[UNI], &[]) }],
        Op::Exit | Op::Trap => &[const { Form::new(&[], &[]) }],
        Op::Call => &[const { Form::new(&[UNI], &[Kind::DefList, Kind::Func, Kind::UseList]) }],
        _ => &[],
    }
}
