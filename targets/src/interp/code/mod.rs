//! The compact form that functions are decoded to: one list of instructions, with the
//! values of a function in numbered slots and its regions joined by jumps.
//!
//! Structured loops become jumps too, so that a thread of a kernel can stop anywhere (at
//! a barrier) with nothing but its slots and a position to remember.

mod gpu;
mod matrix;
mod memory;
mod tile;

pub(super) use gpu::*;
pub(super) use matrix::*;
pub(super) use memory::*;
pub(super) use tile::*;

use super::affine::AffineCode;
use super::ew::EwOp;
use super::float::FloatBin;
use super::int::{Flags, IntBin};
use super::memref::Shape;
use super::value::{Elem, Value};
use terrace_dialects::arith::{CmpFPredicate, CmpIPredicate};
use terrace_ir::Op;

/// The place of a value in the frame of its function.
pub(super) type Slot = u32;

/// A position in the instructions; numbers of labels while a function is decoded.
pub(super) type Target = u32;

/// Families of ops, for the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpClass {
    /// Jumps and moves that stand for no op.
    None,
    Constant,
    Arith,
    Math,
    Control,
    Call,
    Affine,
    Load,
    Store,
    Memory,
    Vector,
    Gpu,
}

impl OpClass {
    pub const ALL: [OpClass; 12] = {
        use OpClass::*;
        [
            None, Constant, Arith, Math, Control, Call, Affine, Load, Store, Memory, Vector, Gpu,
        ]
    };

    pub fn name(self) -> &'static str {
        match self {
            OpClass::None => "none",
            OpClass::Constant => "constant",
            OpClass::Arith => "arith",
            OpClass::Math => "math",
            OpClass::Control => "control",
            OpClass::Call => "call",
            OpClass::Affine => "affine",
            OpClass::Load => "load",
            OpClass::Store => "store",
            OpClass::Memory => "memory",
            OpClass::Vector => "vector",
            OpClass::Gpu => "gpu",
        }
    }
}

/// A decoded function, kernel or region that runs on its own.
#[derive(Debug)]
pub(super) struct Code {
    pub name: String,
    pub insts: Vec<Inst>,
    /// For each instruction, the op it comes from and its class.
    pub ops: Vec<Op>,
    pub classes: Vec<OpClass>,
    pub slots: u32,
    /// The first slots are the arguments.
    pub args: u32,
    /// The arguments that are buffers of the block and of the thread.
    pub workgroup: Vec<(Slot, Shape)>,
    pub private: Vec<(Slot, Shape)>,
    /// Values from outside that a launch's body uses: slots of the one that launches.
    pub captures: Vec<Slot>,
    /// Where those go.
    pub captured: Vec<Slot>,
    /// A `gpu.launch` or `gpu.func`.
    pub device: bool,
    /// A `gpu.launch`.
    pub is_inline: bool,
}

/// An index of an op that is known or computed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Num {
    Known(i64),
    Slot(Slot),
}

#[derive(Debug)]
pub(super) enum Inst {
    Const {
        dst: Slot,
        value: Value,
    },
    Move {
        dst: Slot,
        src: Slot,
    },
    /// All at once: sources are read before a destination is written.
    MoveAll(Box<[(Slot, Slot)]>),
    Jump(Target),
    /// Jumps where the condition does not hold.
    Unless {
        cond: Slot,
        to: Target,
    },
    Switch(Box<Switch>),
    /// Fails unless the step is positive.
    CheckStep {
        step: Slot,
        unsigned: bool,
    },
    /// Jumps unless `iv` is below `ub`.
    LoopTest {
        iv: Slot,
        ub: Slot,
        unsigned: bool,
        exit: Target,
    },
    /// Adds the step to `iv` and jumps where the sum is below `ub`.
    LoopNext {
        iv: Slot,
        step: Slot,
        ub: Slot,
        unsigned: bool,
        body: Target,
    },
    IndexBin {
        op: IntBin,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    IntBin {
        op: IntBin,
        flags: Flags,
        width: u32,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    F64Bin {
        op: FloatBin,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    F32Bin {
        op: FloatBin,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    CmpI {
        predicate: CmpIPredicate,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    CmpF64 {
        predicate: CmpFPredicate,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Ew(Box<Ew>),
    Load {
        dst: Slot,
        memref: Slot,
        indices: Box<[Slot]>,
    },
    Store {
        value: Slot,
        memref: Slot,
        indices: Box<[Slot]>,
    },
    AffineLoad {
        dst: Slot,
        memref: Slot,
        indices: Box<[AffineCode]>,
    },
    AffineStore {
        value: Slot,
        memref: Slot,
        indices: Box<[AffineCode]>,
    },
    Affine {
        dst: Slot,
        expr: Box<AffineCode>,
    },
    /// The least or greatest of several.
    AffineBest {
        dst: Slot,
        greatest: bool,
        exprs: Box<[AffineCode]>,
    },
    /// Jumps unless all hold: `expr == 0` where the flag is set, else `expr >= 0`.
    AffineUnless {
        constraints: Box<[(AffineCode, bool)]>,
        to: Target,
    },
    Call(Box<Call>),
    /// A call of a function of C, on numbers of 64 bits or 32.
    CFunction {
        dst: Slot,
        args: Box<[Slot]>,
        name: Box<str>,
        double: bool,
    },
    Return(Box<[Slot]>),
    Assert {
        cond: Slot,
        message: Box<str>,
    },
    ScopeEnter,
    ScopeLeave,
    Memory(Box<MemoryInst>),
    Vector(Box<VectorInst>),
    Tile(Box<TileInst>),
    Gpu(Box<GpuInst>),
    /// What cannot be run, which matters only where it is reached.
    Trap(Box<str>),
}

#[derive(Debug)]
pub(super) struct Switch {
    pub on: Slot,
    /// By value, sorted; the first of equal ones counts.
    pub cases: Vec<(i64, Target)>,
    pub default: Target,
}

#[derive(Debug)]
pub(super) struct Ew {
    pub op: EwOp,
    pub out: Elem,
    pub args: Box<[Slot]>,
    pub dst: Slot,
    pub second: Option<Slot>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub callee: Callee,
    pub args: Box<[Slot]>,
    pub results: Box<[Slot]>,
}

#[derive(Debug)]
pub(super) enum Callee {
    Known(Op),
    /// A function value.
    Slot(Slot),
}
