//! Cycles from an instruction's issue until its result can be used, roughly, as
//! published microbenchmarks of recent machines have them (Jia et al.,
//! "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018;
//! Abdelkhalik et al., "Demystifying the Nvidia Ampere Architecture through
//! Microbenchmarking and Instruction-level Analysis", 2022). Only their order of
//! magnitude matters here: the assembler knows the exact ones.

use crate::inst::Inst;
use crate::modifiers::Space;
use crate::op::{Effect, Op};
use crate::types::Ty;

/// Of an access to global memory that is in the second-level cache.
pub const GLOBAL: u32 = 250;

/// Of one instruction, in cycles; at least 1.
pub fn latency(inst: &Inst) -> u32 {
    match inst.op {
        Op::Ld | Op::Atom => match inst.mods.space {
            Space::Param | Space::Const => 8,
            Space::Shared => 30,
            _ => GLOBAL,
        },
        Op::Mov | Op::Cvta => 2,
        Op::Div | Op::Rem => match inst.ty() {
            Ty::F64 => 200,
            Ty::U64 | Ty::S64 => 150,
            _ => 60,
        },
        Op::Sqrt | Op::Rcp | Op::Rsqrt if inst.ty() == Ty::F64 => 150,
        Op::Sqrt
        | Op::Rcp
        | Op::Rsqrt
        | Op::Sin
        | Op::Cos
        | Op::Ex2
        | Op::Lg2
        | Op::Tanh
        | Op::Popc
        | Op::Clz
        | Op::Brev
        | Op::Bfind => 20,
        Op::Cvt => 14,
        Op::Mma => 32,
        Op::Setp => 8,
        Op::Mul | Op::Mad if inst.ty().is_int() && inst.ty().bits() == 64 => 12,
        _ if inst.op.effect() == Effect::Sync => 24,
        _ if inst.ty() == Ty::F64 => 8,
        _ => 4,
    }
}
