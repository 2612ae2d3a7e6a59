//! Float functions beyond the four operations.

use super::*;
use crate::modifiers::{Approx, TestClass};

const APPROX: Slot = Slot::Req(Field::Approx, Approx::Approx.bit());

const FMA: &[Form] = &[
    Form::new(&[REQ_RND, FTZ, SAT, Slot::Ty(0, ONLY_F32)], DABC),
    Form::new(&[REQ_RND, Slot::Ty(0, ONLY_F64)], DABC),
    Form::new(&[REQ_RN, FTZ, SAT, Slot::Ty(0, F16S)], DABC_REG).since(53, (6, 0)),
    Form::new(&[REQ_RN, Slot::Ty(0, BF16S)], DABC_REG).since(80, (7, 0)),
];

const SQRT_RCP: &[Form] = &[
    Form::new(&[REQ_RND, FTZ, Slot::Ty(0, ONLY_F32)], DA),
    Form::new(&[APPROX, FTZ, Slot::Ty(0, ONLY_F32)], DA),
    Form::new(&[REQ_RND, Slot::Ty(0, ONLY_F64)], DA),
];

const RSQRT: &[Form] = &[
    Form::new(&[APPROX, FTZ, Slot::Ty(0, ONLY_F32)], DA),
    Form::new(&[APPROX, Slot::Ty(0, ONLY_F64)], DA),
];

const APPROX_F32: Form = Form::new(&[APPROX, FTZ, Slot::Ty(0, ONLY_F32)], DA);

const EX2: &[Form] = &[
    APPROX_F32,
    Form::new(&[APPROX, Slot::Ty(0, F16S)], DA_REG).since(75, (7, 0)),
];

const TANH: &[Form] = &[
    Form::new(&[APPROX, Slot::Ty(0, ONLY_F32)], DA).since(75, (7, 0)),
    Form::new(&[APPROX, Slot::Ty(0, F16S)], DA_REG).since(75, (7, 0)),
    Form::new(&[APPROX, Slot::Ty(0, BF16S)], DA_REG).since(90, (7, 8)),
];

const CLASSES: u32 = TestClass::Finite.bit()
    | TestClass::Infinite.bit()
    | TestClass::Number.bit()
    | TestClass::NotANumber.bit()
    | TestClass::Normal.bit()
    | TestClass::Subnormal.bit();

const TESTP: &[Form] = &[Form::new(
    &[Slot::Req(Field::TestClass, CLASSES), Slot::Ty(0, F32_F64)],
    &[Kind::Def(PRED), Kind::Use(T)],
)];

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Fma => FMA,
        Op::Sqrt | Op::Rcp => SQRT_RCP,
        Op::Rsqrt => RSQRT,
        Op::Sin | Op::Cos | Op::Lg2 => &[APPROX_F32],
        Op::Ex2 => EX2,
        Op::Tanh => TANH,
        Op::Copysign => &[const { Form::new(&[Slot::Ty(0, F32_F64)], DAB) }],
        Op::Testp => TESTP,
        _ => &[],
    }
}
