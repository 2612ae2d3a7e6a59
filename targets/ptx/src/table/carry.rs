//! Arithmetic on numbers longer than a register, by way of the carry flag.

use super::*;
use crate::modifiers::Carry;

const LONG: TySet = INTS_32_64;
const OPT_CC: Slot = Slot::Opt(Field::Carry, Carry::Out.bit());

pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::AddCc | Op::SubCc => &[const { Form::new(&[Slot::Ty(0, LONG)], DAB) }],
        Op::Addc | Op::Subc => &[const { Form::new(&[OPT_CC, Slot::Ty(0, LONG)], DAB) }],
        Op::MadLoCc | Op::MadHiCc => &[const { Form::new(&[Slot::Ty(0, LONG)], DABC) }],
        Op::MadcLo | Op::MadcHi => &[const { Form::new(&[OPT_CC, Slot::Ty(0, LONG)], DABC) }],
        _ => &[],
    }
}
