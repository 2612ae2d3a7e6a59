//! Instructions.

use super::func::{Block, Slot};
use iced_x86::Mnemonic;
use regalloc2::{RegClass, VReg};
use smallvec::SmallVec;

/// Which instructions and registers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// x86-64-v3: AVX2 with FMA, 16 registers of 256 bits.
    V3,
    /// x86-64-v4: AVX-512 with its forms for shorter vectors, 32 registers of 512 bits and masks.
    V4,
}

impl Level {
    /// Bytes of the widest registers.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Level::V3 => 32,
            Level::V4 => 64,
        }
    }

    pub(crate) fn vector_registers(self) -> usize {
        match self {
            Level::V3 => 16,
            Level::V4 => 32,
        }
    }
}

/// A kind of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Int,
    Vector,
    /// Masks of AVX-512.
    Mask,
}

impl Class {
    pub(crate) fn of(self) -> RegClass {
        match self {
            Class::Int => RegClass::Int,
            Class::Vector => RegClass::Float,
            Class::Mask => RegClass::Vector,
        }
    }
}

/// A register without a number as yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reg(pub(crate) VReg);

impl Reg {
    #[must_use]
    pub fn class(self) -> Class {
        match self.0.class() {
            RegClass::Int => Class::Int,
            RegClass::Float => Class::Vector,
            RegClass::Vector => Class::Mask,
        }
    }
}

/// How much of a register an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// Integers of 8 to 64 bits.
    B,
    W,
    D,
    Q,
    /// Vectors of 128 to 512 bits, and floats in the first lane.
    X,
    Y,
    Z,
    /// A mask.
    K,
}

/// Where an address begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    Reg(Reg),
    /// Memory of the function's own.
    Slot(Slot),
}

/// Memory: `base + index * scale + displacement`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mem {
    pub base: Base,
    /// A register and 1, 2, 4 or 8.
    pub index: Option<(Reg, u32)>,
    pub displacement: i32,
    /// One element for all lanes.
    pub broadcast: bool,
    /// Its bytes, where the other operands do not tell them.
    pub bytes: Option<u32>,
}

impl Mem {
    /// The memory that a register points to.
    #[must_use]
    pub fn at(base: Reg) -> Mem {
        Mem {
            base: Base::Reg(base),
            index: None,
            displacement: 0,
            broadcast: false,
            bytes: None,
        }
    }
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    Use(Reg, Width),
    Def(Reg, Width),
    /// Read before and written after, in one register of the machine.
    Change {
        from: Reg,
        to: Reg,
        width: Width,
    },
    Mem(Mem),
    Imm(i64),
}

/// What flags say, by the names that instructions have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Less and greater of numbers without signs, and of floats.
    B,
    Ae,
    Be,
    A,
    E,
    Ne,
    /// Of numbers with signs.
    L,
    Ge,
    Le,
    G,
    /// Floats do not compare.
    P,
    Np,
}

/// When a block goes to the first of two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// Where the flags say so.
    If(Condition),
    /// Where the flags say so, or that numbers do not compare.
    IfOrParity(Condition),
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An instruction of the machine.
    Op(Mnemonic),
    /// A copy of a register, one `Def` and one `Use` of the same class.
    Copy,
    /// `Change`s a register to what the other is where the flags hold.
    MoveIf(Condition),
    /// Puts zero into all of a register of vectors.
    Zero,
    /// The arguments of the function are defined here.
    Args,
    /// To the only block behind.
    Jump,
    /// To the first or the second block behind.
    Branch(Branch),
    /// Ends the function with what is used.
    Return,
}

/// An instruction with its operands, in Intel's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Inst {
    pub kind: Kind,
    pub args: SmallVec<[Arg; 4]>,
    /// Lanes that are written, of AVX-512; others become zero.
    pub mask: Option<Reg>,
    /// Others stay as the `Change` that is the first operand has them.
    pub merge: bool,
}

impl Inst {
    #[must_use]
    pub fn new(kind: Kind, args: &[Arg]) -> Inst {
        Inst {
            kind,
            args: SmallVec::from_slice(args),
            mask: None,
            merge: false,
        }
    }

    /// An instruction of the machine.
    #[must_use]
    pub fn op(mnemonic: Mnemonic, args: &[Arg]) -> Inst {
        Inst::new(Kind::Op(mnemonic), args)
    }
}

/// Blocks that one leads to, each with what its parameters become.
pub(crate) type Ends = SmallVec<[(Block, Vec<Reg>); 2]>;
