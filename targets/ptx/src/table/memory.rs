//! Loads, stores, atomics, prefetches.

use super::*;
use crate::modifiers::{
    AtomOp, Cache, Evict, FetchSize, Level, ReadOnly, Scope, Sem, Space, VecLen,
};

/// What a load or store may move.
const DATA: TySet = TySet::of(&[
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
    Ty::F32,
    Ty::F64,
]);

const GLOBAL: u32 = Space::Global.bit();
/// Global and shared: what atomics and ordered accesses work on, besides
/// generic addresses.
const GLOBAL_SHARED: u32 = GLOBAL | Space::Shared.bit();
const WRITABLE: u32 = GLOBAL_SHARED | Space::Local.bit();
const READABLE: u32 = WRITABLE | Space::Const.bit() | Space::Param.bit();

const SCOPES: u32 = Scope::Cta.bit() | Scope::Cluster.bit() | Scope::Gpu.bit() | Scope::Sys.bit();
const SCOPE: Slot = Slot::Req(Field::Scope, SCOPES);
const WEAK: Slot = Slot::Opt(Field::Sem, Sem::Weak.bit());
/// Volatile accesses; those to local memory came only with PTX 9.1.
const VOLATILE: Slot = Slot::Req(Field::Sem, Sem::Volatile.bit());
const VEC: Slot = Slot::Opt(Field::VecLen, VecLen::V2.bit() | VecLen::V4.bit());
const TYPE: Slot = Slot::Ty(0, DATA);

const EVICTS: u32 = Evict::Normal.bit()
    | Evict::Unchanged.bit()
    | Evict::First.bit()
    | Evict::Last.bit()
    | Evict::NoAllocate.bit();
const EVICT: Slot = Slot::Req(Field::Evict, EVICTS);
const FETCHES: u32 = FetchSize::B64.bit() | FetchSize::B128.bit() | FetchSize::B256.bit();
const FETCH: Slot = Slot::Req(Field::FetchSize, FETCHES);
const OPT_FETCH: Slot = Slot::Opt(Field::FetchSize, FETCHES);
const NC: Slot = Slot::Req(Field::ReadOnly, ReadOnly::On.bit());

const LOADED: &[Kind] = &[Kind::DefVec(T), Kind::Addr];
const STORED: &[Kind] = &[Kind::Addr, Kind::UseVec(T)];

const LD_CACHE: u32 =
    Cache::Ca.bit() | Cache::Cg.bit() | Cache::Cs.bit() | Cache::Lu.bit() | Cache::Cv.bit();
const ST_CACHE: u32 = Cache::Wb.bit() | Cache::Cg.bit() | Cache::Cs.bit() | Cache::Wt.bit();

const LD: &[Form] = &[
    Form::new(
        &[
            WEAK,
            Slot::Opt(Field::Space, READABLE),
            Slot::Opt(Field::Cache, LD_CACHE),
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    Form::new(
        &[
            Slot::Req(Field::Space, GLOBAL),
            Slot::Opt(
                Field::Cache,
                Cache::Ca.bit() | Cache::Cg.bit() | Cache::Cs.bit(),
            ),
            NC,
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    // With hints for the caches, which only global memory has; how soon a line may
    // go stands in place of the cache operator.
    Form::new(
        &[
            WEAK,
            Slot::Opt(Field::Space, GLOBAL),
            EVICT,
            OPT_FETCH,
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    Form::new(
        &[
            WEAK,
            Slot::Opt(Field::Space, GLOBAL),
            Slot::Opt(Field::Cache, LD_CACHE),
            FETCH,
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    Form::new(
        &[
            Slot::Req(Field::Space, GLOBAL),
            NC,
            EVICT,
            OPT_FETCH,
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    Form::new(
        &[
            Slot::Req(Field::Space, GLOBAL),
            Slot::Opt(
                Field::Cache,
                Cache::Ca.bit() | Cache::Cg.bit() | Cache::Cs.bit(),
            ),
            NC,
            FETCH,
            VEC,
            TYPE,
        ],
        LOADED,
    ),
    Form::new(
        &[VOLATILE, Slot::Opt(Field::Space, GLOBAL_SHARED), VEC, TYPE],
        LOADED,
    ),
    Form::new(
        &[
            Slot::Req(Field::Sem, Sem::Relaxed.bit() | Sem::Acquire.bit()),
            SCOPE,
            Slot::Opt(Field::Space, GLOBAL_SHARED),
            VEC,
            TYPE,
        ],
        LOADED,
    )
    .since(70, (6, 0)),
];

const ST: &[Form] = &[
    Form::new(
        &[
            WEAK,
            Slot::Opt(Field::Space, WRITABLE),
            Slot::Opt(Field::Cache, ST_CACHE),
            VEC,
            TYPE,
        ],
        STORED,
    ),
    Form::new(
        &[WEAK, Slot::Opt(Field::Space, GLOBAL), EVICT, VEC, TYPE],
        STORED,
    ),
    // What a call takes, or its function returns.
    Form::new(
        &[Slot::Req(Field::Space, Space::Param.bit()), VEC, TYPE],
        STORED,
    ),
    Form::new(
        &[VOLATILE, Slot::Opt(Field::Space, GLOBAL_SHARED), VEC, TYPE],
        STORED,
    ),
    Form::new(
        &[
            Slot::Req(Field::Sem, Sem::Relaxed.bit() | Sem::Release.bit()),
            SCOPE,
            Slot::Opt(Field::Space, GLOBAL_SHARED),
            VEC,
            TYPE,
        ],
        STORED,
    )
    .since(70, (6, 0)),
];

const ATOM_SEM: Slot = Slot::Opt(
    Field::Sem,
    Sem::Relaxed.bit() | Sem::Acquire.bit() | Sem::Release.bit() | Sem::AcqRel.bit(),
);
const RED_SEM: Slot = Slot::Opt(Field::Sem, Sem::Relaxed.bit() | Sem::Release.bit());
const ATOM_SCOPE: Slot = Slot::Opt(Field::Scope, SCOPES);
const ATOM_SPACE: Slot = Slot::Opt(Field::Space, GLOBAL_SHARED);

const fn does(mask: u32) -> Slot {
    Slot::Req(Field::AtomOp, mask)
}
const LOGIC: u32 = AtomOp::And.bit() | AtomOp::Or.bit() | AtomOp::Xor.bit();
const ADD: u32 = AtomOp::Add.bit();
const MIN_MAX: u32 = AtomOp::Min.bit() | AtomOp::Max.bit();
const COUNT_UP_DOWN: u32 = AtomOp::Inc.bit() | AtomOp::Dec.bit();
const ADDABLE: TySet = TySet::of(&[Ty::U32, Ty::S32, Ty::U64, Ty::F32, Ty::F64]);
const ONLY_U32: TySet = TySet::of(&[Ty::U32]);
const ONLY_B16: TySet = TySet::of(&[Ty::B16]);

const A: &[Kind] = &[Kind::Def(T), Kind::Addr, Kind::Use(T)];
const A_REG: &[Kind] = &[Kind::Def(T), Kind::Addr, Kind::UseReg(T)];
const A_CAS: &[Kind] = &[Kind::Def(T), Kind::Addr, Kind::Use(T), Kind::Use(T)];
const R: &[Kind] = &[Kind::Addr, Kind::Use(T)];
const R_REG: &[Kind] = &[Kind::Addr, Kind::UseReg(T)];

/// One atomic row: the same slots, with an operation mask and a type set.
macro_rules! row {
    ($sem:expr, $mask:expr, $set:expr, $kinds:expr) => {
        Form::new(
            &[$sem, ATOM_SCOPE, ATOM_SPACE, does($mask), Slot::Ty(0, $set)],
            $kinds,
        )
    };
    ($sem:expr, $mask:expr, noftz $set:expr, $kinds:expr) => {
        Form::new(
            &[
                $sem,
                ATOM_SCOPE,
                ATOM_SPACE,
                does($mask),
                Slot::Lit(".noftz"),
                Slot::Ty(0, $set),
            ],
            $kinds,
        )
    };
}

const ATOM: &[Form] = &[
    row!(ATOM_SEM, LOGIC, BITS_32_64, A),
    row!(ATOM_SEM, AtomOp::Exch.bit(), BITS_32_64, A),
    row!(ATOM_SEM, AtomOp::Cas.bit(), BITS_32_64, A_CAS),
    row!(ATOM_SEM, AtomOp::Cas.bit(), ONLY_B16, A_CAS).since(70, (6, 3)),
    row!(ATOM_SEM, ADD, ADDABLE, A).since(60, (6, 0)),
    row!(ATOM_SEM, ADD, noftz F16S, A_REG).since(70, (6, 3)),
    row!(ATOM_SEM, ADD, noftz BF16S, A_REG).since(90, (7, 8)),
    row!(ATOM_SEM, MIN_MAX, INTS_32_64, A),
    row!(ATOM_SEM, COUNT_UP_DOWN, ONLY_U32, A),
];

const RED: &[Form] = &[
    row!(RED_SEM, LOGIC, BITS_32_64, R),
    row!(RED_SEM, ADD, ADDABLE, R).since(60, (6, 0)),
    row!(RED_SEM, ADD, noftz F16S, R_REG).since(70, (6, 3)),
    row!(RED_SEM, ADD, noftz BF16S, R_REG).since(90, (7, 8)),
    row!(RED_SEM, MIN_MAX, INTS_32_64, R),
    row!(RED_SEM, COUNT_UP_DOWN, ONLY_U32, R),
];

const PREFETCH: &[Form] = &[Form::new(
    &[
        Slot::Opt(Field::Space, GLOBAL | Space::Local.bit()),
        Slot::Req(Field::Level, Level::L1.bit() | Level::L2.bit()),
    ],
    &[Kind::Addr],
)];

/// Where to, where from, how many bytes, and maybe how many of them are read; the
/// others become zero.
macro_rules! copied {
    ($sizes:expr $(, $read:expr)?) => {
        &[
            Kind::AddrIn(Space::Shared),
            Kind::AddrIn(Space::Global),
            Kind::OneOf($sizes),
            $( $read )?
        ]
    };
}

const READ_CONST: Kind = Kind::Const(0, 16);
const READ_REG: Kind = Kind::UseReg(U32);
const SIZES: &[i64] = &[4, 8, 16];
/// Past the first-level cache.
const WHOLE: &[i64] = &[16];
const TO_SHARED: Slot = Slot::Lit(".shared.global");
const COPY_CA: &[Slot] = &[
    Slot::Req(Field::Cache, Cache::Ca.bit()),
    TO_SHARED,
    OPT_FETCH,
];
const COPY_CG: &[Slot] = &[
    Slot::Req(Field::Cache, Cache::Cg.bit()),
    TO_SHARED,
    OPT_FETCH,
];

const CP_ASYNC: &[Form] = &[
    Form::new(COPY_CA, copied!(SIZES)).since(80, (7, 0)),
    Form::new(COPY_CA, copied!(SIZES, READ_CONST)).since(80, (7, 0)),
    Form::new(COPY_CA, copied!(SIZES, READ_REG)).since(80, (7, 0)),
    Form::new(COPY_CG, copied!(WHOLE)).since(80, (7, 0)),
    Form::new(COPY_CG, copied!(WHOLE, READ_CONST)).since(80, (7, 0)),
    Form::new(COPY_CG, copied!(WHOLE, READ_REG)).since(80, (7, 0)),
];

/// Most groups that a wait may leave running; there is no use for more.
const MAX_GROUPS: i64 = 255;

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Ld => LD,
        Op::St => ST,
        Op::Atom => ATOM,
        Op::Red => RED,
        Op::Prefetch => PREFETCH,
        Op::CpAsync => CP_ASYNC,
        Op::CpAsyncCommit | Op::CpAsyncWaitAll => {
            &[const { Form::new(&[], &[]).since(80, (7, 0)) }]
        }
        Op::CpAsyncWait => {
            &[const { Form::new(&[], &[Kind::Const(0, MAX_GROUPS)]).since(80, (7, 0)) }]
        }
        _ => &[],
    }
}
