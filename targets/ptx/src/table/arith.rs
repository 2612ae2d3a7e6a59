//! Arithmetic and logic on integers, bits and floats.

use super::*;
use crate::modifiers::{Approx, Half, NanPolicy, ShiftAmount};

const ONLY_S32: TySet = TySet::of(&[Ty::S32]);
/// The integers that have no saturating add.
const NO_SAT: TySet = TySet::of(&[Ty::U16, Ty::U32, Ty::U64, Ty::S16, Ty::S64]);

const ADD_SUB: &[Form] = &[
    Form::new(&[Slot::Ty(0, NO_SAT)], DAB),
    Form::new(&[SAT, Slot::Ty(0, ONLY_S32)], DAB),
    Form::new(&[OPT_RND, FTZ, SAT, Slot::Ty(0, ONLY_F32)], DAB),
    Form::new(&[OPT_RND, Slot::Ty(0, ONLY_F64)], DAB),
    Form::new(&[OPT_RN, FTZ, SAT, Slot::Ty(0, F16S)], DAB_REG).since(53, (6, 0)),
    Form::new(&[OPT_RN, Slot::Ty(0, BF16S)], DAB_REG).since(90, (7, 8)),
];

const LO_HI: u32 = Half::Lo.bit() | Half::Hi.bit();
const NARROW: TySet = TySet::of(&[Ty::U16, Ty::U32, Ty::S16, Ty::S32]);
const W: TyRef = TyRef::Wide(0);

const MUL: &[Form] = &[
    Form::new(&[Slot::Req(Field::Half, LO_HI), Slot::Ty(0, INTS)], DAB),
    Form::new(
        &[
            Slot::Req(Field::Half, Half::Wide.bit()),
            Slot::Ty(0, NARROW),
        ],
        &[Kind::Def(W), Kind::Use(T), Kind::Use(T)],
    ),
    Form::new(&[OPT_RND, FTZ, SAT, Slot::Ty(0, ONLY_F32)], DAB),
    Form::new(&[OPT_RND, Slot::Ty(0, ONLY_F64)], DAB),
    Form::new(&[OPT_RN, FTZ, SAT, Slot::Ty(0, F16S)], DAB_REG).since(53, (6, 0)),
    Form::new(&[OPT_RN, Slot::Ty(0, BF16S)], DAB_REG).since(90, (7, 8)),
];

const MAD: &[Form] = &[
    Form::new(&[Slot::Req(Field::Half, LO_HI), Slot::Ty(0, INTS)], DABC),
    Form::new(
        &[
            Slot::Req(Field::Half, Half::Wide.bit()),
            Slot::Ty(0, NARROW),
        ],
        &[Kind::Def(W), Kind::Use(T), Kind::Use(T), Kind::Use(W)],
    ),
];

const DIV: &[Form] = &[
    Form::new(&[Slot::Ty(0, INTS)], DAB),
    Form::new(&[REQ_RND, FTZ, Slot::Ty(0, ONLY_F32)], DAB),
    Form::new(
        &[
            Slot::Req(Field::Approx, Approx::Approx.bit() | Approx::Full.bit()),
            FTZ,
            Slot::Ty(0, ONLY_F32),
        ],
        DAB,
    ),
    Form::new(&[REQ_RND, Slot::Ty(0, ONLY_F64)], DAB),
];

const NEG: &[Form] = &[
    Form::new(&[Slot::Ty(0, SIGNED)], DA),
    Form::new(&[FTZ, Slot::Ty(0, ONLY_F32)], DA),
    Form::new(&[Slot::Ty(0, ONLY_F64)], DA),
    Form::new(&[FTZ, Slot::Ty(0, F16S)], DA_REG).since(53, (6, 0)),
    Form::new(&[Slot::Ty(0, BF16S)], DA_REG).since(80, (7, 0)),
];

const ABS: &[Form] = &[
    Form::new(&[Slot::Ty(0, SIGNED)], DA),
    Form::new(&[FTZ, Slot::Ty(0, ONLY_F32)], DA),
    Form::new(&[Slot::Ty(0, ONLY_F64)], DA),
    Form::new(&[FTZ, Slot::Ty(0, F16S)], DA_REG).since(53, (6, 5)),
    Form::new(&[Slot::Ty(0, BF16S)], DA_REG).since(80, (7, 0)),
];

const NAN: Slot = Slot::Req(Field::NanPolicy, NanPolicy::Propagate.bit());
const OPT_NAN: Slot = Slot::Opt(Field::NanPolicy, NanPolicy::Propagate.bit());

const MIN_MAX: &[Form] = &[
    Form::new(&[Slot::Ty(0, INTS)], DAB),
    Form::new(&[FTZ, Slot::Ty(0, ONLY_F32)], DAB),
    Form::new(&[FTZ, NAN, Slot::Ty(0, ONLY_F32)], DAB).since(80, (7, 0)),
    Form::new(&[Slot::Ty(0, ONLY_F64)], DAB),
    Form::new(&[FTZ, OPT_NAN, Slot::Ty(0, F16S)], DAB_REG).since(80, (7, 0)),
    Form::new(&[OPT_NAN, Slot::Ty(0, BF16S)], DAB_REG).since(80, (7, 0)),
];

const LOGIC_TYPES: TySet = TySet::of(&[Ty::Pred, Ty::B16, Ty::B32, Ty::B64]);

/// `d, a, count`
const SHIFT: &[Kind] = &[Kind::Def(T), Kind::Use(T), Kind::Use(COUNT)];
/// `d, a` with a 32-bit result.
const COUNTED: &[Kind] = &[Kind::Def(U32), Kind::Use(T)];

const BFIND: &[Form] = &[Form::new(
    &[
        Slot::Opt(Field::ShiftAmount, ShiftAmount::On.bit()),
        Slot::Ty(0, INTS_32_64),
    ],
    COUNTED,
)];

const SHR: &[Form] = &[Form::new(&[Slot::Ty(0, BITS.or(INTS))], SHIFT)];
const PRMT: &[Form] = &[Form::new(&[Slot::Ty(0, TySet::of(&[Ty::B32]))], DABC)];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Add | Op::Sub => ADD_SUB,
        Op::Mul => MUL,
        Op::Mad => MAD,
        Op::Div => DIV,
        Op::Rem => &[const { Form::new(&[Slot::Ty(0, INTS)], DAB) }],
        Op::Neg => NEG,
        Op::Abs => ABS,
        Op::Min | Op::Max => MIN_MAX,
        Op::And | Op::Or | Op::Xor => &[const { Form::new(&[Slot::Ty(0, LOGIC_TYPES)], DAB) }],
        Op::Not => &[const { Form::new(&[Slot::Ty(0, LOGIC_TYPES)], DA) }],
        Op::Shl => &[const { Form::new(&[Slot::Ty(0, BITS)], SHIFT) }],
        Op::Shr => SHR,
        Op::Popc | Op::Clz => &[const { Form::new(&[Slot::Ty(0, BITS_32_64)], COUNTED) }],
        Op::Bfind => BFIND,
        Op::Brev => &[const { Form::new(&[Slot::Ty(0, BITS_32_64)], DA) }],
        Op::Bfe => &[const {
            Form::new(
                &[Slot::Ty(0, INTS_32_64)],
                &[
                    Kind::Def(T),
                    Kind::Use(T),
                    Kind::Use(COUNT),
                    Kind::Use(COUNT),
                ],
            )
        }],
        Op::Bfi => &[const {
            Form::new(
                &[Slot::Ty(0, BITS_32_64)],
                &[
                    Kind::Def(T),
                    Kind::Use(T),
                    Kind::Use(T),
                    Kind::Use(COUNT),
                    Kind::Use(COUNT),
                ],
            )
        }],
        Op::Prmt => PRMT,
        _ => &[],
    }
}
