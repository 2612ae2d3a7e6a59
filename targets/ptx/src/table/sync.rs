//! Barriers of the block and the warp, and what a warp computes together but for
//! shuffles and votes.

use super::*;
use crate::modifiers::{AtomOp, Reduce, VoteMode};

/// The number of a barrier.
const BARRIER: Kind = Kind::Const(0, 15);
const BARRIER_REG: Kind = Kind::UseReg(U32);
/// The number of threads that take part, a multiple of the warp size.
const THREADS: Kind = Kind::Use(U32);

/// The forms of a barrier that all threads wait at.
macro_rules! sync {
    ($sm:expr, $ptx:expr) => {
        &[
            const { Form::new(&[], &[BARRIER]).since($sm, $ptx) },
            const { Form::new(&[], &[BARRIER, THREADS]).since($sm, $ptx) },
            const { Form::new(&[], &[BARRIER_REG]).since($sm, $ptx) },
            const { Form::new(&[], &[BARRIER_REG, THREADS]).since($sm, $ptx) },
        ]
    };
}

/// The forms of an arrival at a barrier, which does not wait.
macro_rules! arrive {
    ($sm:expr, $ptx:expr) => {
        &[
            const { Form::new(&[], &[BARRIER, THREADS]).since($sm, $ptx) },
            const { Form::new(&[], &[BARRIER_REG, THREADS]).since($sm, $ptx) },
        ]
    };
}

const POPC: &[Slot] = &[
    Slot::Req(Field::Reduce, Reduce::Popc.bit()),
    Slot::Lit(".u32"),
];
const AND_OR: &[Slot] = &[
    Slot::Req(Field::Reduce, Reduce::And.bit() | Reduce::Or.bit()),
    Slot::Lit(".pred"),
];

/// The forms of a barrier that also counts or combines a predicate.
macro_rules! reduce {
    ($sm:expr, $ptx:expr) => {
        &[
            const { Form::new(POPC, &[Kind::Def(U32), BARRIER, Kind::UsePred]).since($sm, $ptx) },
            const {
                Form::new(POPC, &[Kind::Def(U32), BARRIER, THREADS, Kind::UsePred])
                    .since($sm, $ptx)
            },
            const {
                Form::new(AND_OR, &[Kind::Def(PRED), BARRIER, Kind::UsePred]).since($sm, $ptx)
            },
            const {
                Form::new(AND_OR, &[Kind::Def(PRED), BARRIER, THREADS, Kind::UsePred])
                    .since($sm, $ptx)
            },
        ]
    };
}

const MATCH: &[Form] = &[
    Form::new(
        &[
            Slot::Req(Field::VoteMode, VoteMode::Any.bit()),
            Slot::Lit(".sync"),
            Slot::Ty(0, BITS_32_64),
        ],
        &[Kind::Def(B32), Kind::UseReg(T), Kind::Use(B32)],
    )
    .since(70, (6, 0)),
    Form::new(
        &[
            Slot::Req(Field::VoteMode, VoteMode::All.bit()),
            Slot::Lit(".sync"),
            Slot::Ty(0, BITS_32_64),
        ],
        &[Kind::DefPair(B32), Kind::UseReg(T), Kind::Use(B32)],
    )
    .since(70, (6, 0)),
];

const REDUX_OPERANDS: &[Kind] = &[Kind::Def(T), Kind::UseReg(T), Kind::Use(B32)];

const REDUX: &[Form] = &[
    Form::new(
        &[
            Slot::Req(
                Field::AtomOp,
                AtomOp::Add.bit() | AtomOp::Min.bit() | AtomOp::Max.bit(),
            ),
            Slot::Ty(0, TySet::of(&[Ty::U32, Ty::S32])),
        ],
        REDUX_OPERANDS,
    )
    .since(80, (7, 0)),
    Form::new(
        &[
            Slot::Req(
                Field::AtomOp,
                AtomOp::And.bit() | AtomOp::Or.bit() | AtomOp::Xor.bit(),
            ),
            Slot::Ty(0, TySet::of(&[Ty::B32])),
        ],
        REDUX_OPERANDS,
    )
    .since(80, (7, 0)),
];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::BarSync => sync!(0, (6, 0)),
        Op::BarArrive => arrive!(0, (6, 0)),
        Op::BarRed => reduce!(0, (6, 0)),
        // Lanes of a warp may come by different instructions.
        Op::BarrierSync => sync!(70, (6, 0)),
        Op::BarrierArrive => arrive!(70, (6, 0)),
        Op::BarrierRed => reduce!(70, (6, 0)),
        Op::BarWarpSync => &[const { Form::new(&[], &[Kind::Use(B32)]) }],
        Op::Match => MATCH,
        Op::Redux => REDUX,
        Op::Nanosleep => {
            &[const { Form::new(&[Slot::Lit(".u32")], &[Kind::Use(U32)]).since(70, (6, 3)) }]
        }
        _ => &[],
    }
}
