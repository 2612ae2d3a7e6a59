//! The passes of each level, in their order.

use super::*;
use crate::cleanup;

/// The passes of a level, in their order.
pub fn passes(level: Level) -> &'static [Pass] {
    match level {
        Level::None => &[],
        Level::Less => LESS,
        Level::Default => DEFAULT,
    }
}

/// A pass over a function that needs nothing of its module.
macro_rules! pass {
    ($name:literal, $run:path) => {
        Pass {
            name: $name,
            run: |_, func| $run(func),
        }
    };
}

const SPLIT: Pass = pass!("split", split::split);
pub(super) const CLEANUP: Pass = Pass {
    name: "cleanup",
    run: |_, func| cleanup::run(func),
};
const ISOLATE: Pass = pass!("isolate", isolate::isolate);
const IF_CONVERT: Pass = pass!("if-convert", if_convert::if_convert);
const ROTATE: Pass = pass!("rotate", rotate::rotate);
const LICM: Pass = pass!("licm", licm::licm);
const UNROLL_FULLY: Pass = pass!("unroll-fully", unroll::full::unroll);
const PROMOTE_LOCAL: Pass = pass!("promote-local", promote_local::promote);
const HOLD: Pass = pass!("hold", hold::hold);
const UNROLL: Pass = pass!("unroll", unroll::partial::unroll);
const LOADS: Pass = pass!("loads", loads::forward);
const READONLY: Pass = pass!("readonly", readonly::mark);
pub(super) const VECTORIZE: Pass = Pass {
    name: "vectorize",
    run: vectorize::vectorize,
};
const STRENGTH: Pass = pass!("strength", strength::reduce);
const DERIVE: Pass = pass!("derive", derive::derive);
const KNOWN: Pass = pass!("known", known::simplify);
const CONTRACT: Pass = pass!("contract", contract::contract);
const DIVIDE: Pass = pass!("divide", divide::expand);
const NARROW: Pass = pass!("narrow", narrow::narrow);
const SCHEDULE: Pass = Pass {
    name: "schedule",
    run: schedule::schedule,
};
const COALESCE: Pass = pass!("coalesce", coalesce::coalesce);

const LESS: &[Pass] = &[SPLIT, CLEANUP, CONTRACT, CLEANUP];

const DEFAULT: &[Pass] = &[
    SPLIT,
    CLEANUP,
    ISOLATE,
    CLEANUP,
    CONTRACT,
    KNOWN,
    DIVIDE,
    IF_CONVERT,
    ROTATE,
    ISOLATE,
    CLEANUP,
    // What is read only can be hoisted whatever the loop writes.
    READONLY,
    LICM,
    UNROLL_FULLY,
    PROMOTE_LOCAL,
    ISOLATE,
    CLEANUP,
    // Where loops were unrolled, what depended on their counters is constant.
    LICM,
    HOLD,
    // Pointers that move by no constant become a chain in unrolled copies,
    // of which one is carried round.
    STRENGTH,
    CLEANUP,
    UNROLL,
    ISOLATE,
    CLEANUP,
    // What unrolling put before inner loops may be fixed in outer ones.
    LICM,
    LOADS,
    CLEANUP,
    VECTORIZE,
    // While addresses are sums of 64 bits, which have no carries to mind.
    STRENGTH,
    CLEANUP,
    DERIVE,
    CLEANUP,
    KNOWN,
    CLEANUP,
    DIVIDE,
    NARROW,
    CLEANUP,
    // The low half of a bound that is as wide as it was: the assembler unrolls
    // no loop whose bound it sees computed in it.
    LICM,
    COALESCE,
    CLEANUP,
    SCHEDULE,
];
