//! The instruction table: every form of every opcode, from the PTX ISA manual.
//!
//! A new instruction is an opcode in `op.rs` and its rows here; construction,
//! printing, checking and the table-driven tests follow.

mod arith;
mod bits;
mod carry;
mod float;
mod matrix;
mod memory;
mod other;
mod sync;

use super::form::{Form, Kind, Slot, TyRef};
use super::modifiers::{Field, Ftz, Rnd, Sat};
use super::op::Op;
use super::types::{Ty, TySet};

/// The forms of an opcode; never empty.
pub fn forms(op: Op) -> &'static [Form] {
    match op {
        Op::Mov | Op::Cvt | Op::Cvta | Op::Setp | Op::Selp => other::forms(op),
        Op::Bra | Op::Ret | Op::Exit | Op::Trap | Op::Call => other::forms(op),
        Op::Shfl | Op::Vote | Op::Activemask => other::forms(op),
        Op::Membar | Op::Fence => other::forms(op),
        Op::Match | Op::Redux | Op::Nanosleep | Op::BarWarpSync => sync::forms(op),
        Op::BarSync | Op::BarArrive | Op::BarRed => sync::forms(op),
        Op::BarrierSync | Op::BarrierArrive | Op::BarrierRed => sync::forms(op),
        Op::Mma | Op::Ldmatrix | Op::Stmatrix => matrix::forms(op),
        Op::CpAsync | Op::CpAsyncCommit | Op::CpAsyncWait | Op::CpAsyncWaitAll => memory::forms(op),
        Op::Lop3 | Op::Shf | Op::Fns | Op::Cnot | Op::Sad | Op::Mul24 | Op::Mad24 => {
            bits::forms(op)
        }
        Op::Dp4a | Op::Dp2a | Op::Set | Op::Slct | Op::Isspacep => bits::forms(op),
        Op::AddCc | Op::Addc | Op::SubCc | Op::Subc => carry::forms(op),
        Op::MadLoCc | Op::MadHiCc | Op::MadcLo | Op::MadcHi => carry::forms(op),
        Op::Ld | Op::St | Op::Atom | Op::Red | Op::Prefetch => memory::forms(op),
        Op::Fma | Op::Sqrt | Op::Rcp | Op::Rsqrt | Op::Sin | Op::Cos | Op::Ex2 => float::forms(op),
        Op::Lg2 | Op::Tanh | Op::Copysign | Op::Testp => float::forms(op),
        _ => arith::forms(op),
    }
}

const T: TyRef = TyRef::At(0);
const U: TyRef = TyRef::At(1);
const B32: TyRef = TyRef::Is(Ty::B32);
const U32: TyRef = TyRef::Is(Ty::U32);
const U64: TyRef = TyRef::Is(Ty::U64);
const PRED: TyRef = TyRef::Is(Ty::Pred);
/// The type of a shift amount or bit position.
const COUNT: TyRef = TyRef::Is(Ty::U32);

/// `d, a`
const DA: &[Kind] = &[Kind::Def(T), Kind::Use(T)];
/// `d, a, b`
const DAB: &[Kind] = &[Kind::Def(T), Kind::Use(T), Kind::Use(T)];
/// `d, a, b, c`
const DABC: &[Kind] = &[Kind::Def(T), Kind::Use(T), Kind::Use(T), Kind::Use(T)];
/// The same where PTX has no immediates of the type.
const DA_REG: &[Kind] = &[Kind::Def(T), Kind::UseReg(T)];
const DAB_REG: &[Kind] = &[Kind::Def(T), Kind::UseReg(T), Kind::UseReg(T)];
const DABC_REG: &[Kind] = &[
    Kind::Def(T),
    Kind::UseReg(T),
    Kind::UseReg(T),
    Kind::UseReg(T),
];

const INTS: TySet = TySet::of(&[Ty::U16, Ty::U32, Ty::U64, Ty::S16, Ty::S32, Ty::S64]);
const SIGNED: TySet = TySet::of(&[Ty::S16, Ty::S32, Ty::S64]);
const INTS_32_64: TySet = TySet::of(&[Ty::U32, Ty::U64, Ty::S32, Ty::S64]);
const BITS: TySet = TySet::of(&[Ty::B16, Ty::B32, Ty::B64]);
const BITS_32_64: TySet = TySet::of(&[Ty::B32, Ty::B64]);
const F16S: TySet = TySet::of(&[Ty::F16, Ty::F16x2]);
const BF16S: TySet = TySet::of(&[Ty::Bf16, Ty::Bf16x2]);
const F32_F64: TySet = TySet::of(&[Ty::F32, Ty::F64]);
const ONLY_F32: TySet = TySet::of(&[Ty::F32]);
const ONLY_F64: TySet = TySet::of(&[Ty::F64]);

const RNDS: u32 = Rnd::Rn.bit() | Rnd::Rz.bit() | Rnd::Rm.bit() | Rnd::Rp.bit();
const INT_RNDS: u32 = Rnd::Rni.bit() | Rnd::Rzi.bit() | Rnd::Rmi.bit() | Rnd::Rpi.bit();
const OPT_RND: Slot = Slot::Opt(Field::Rnd, RNDS);
const OPT_RN: Slot = Slot::Opt(Field::Rnd, Rnd::Rn.bit());
const REQ_RND: Slot = Slot::Req(Field::Rnd, RNDS);
const REQ_RN: Slot = Slot::Req(Field::Rnd, Rnd::Rn.bit());
const FTZ: Slot = Slot::Opt(Field::Ftz, Ftz::On.bit());
const SAT: Slot = Slot::Opt(Field::Sat, Sat::On.bit());
