//! Operands: registers, immediates, special registers, symbols, addresses.

use super::ids::{BlockId, FuncId, Reg};
use super::types::Ty;
use smallvec::SmallVec;
use std::fmt;

/// A list of registers inside one operand.
pub type RegList = SmallVec<[Reg; 4]>;

/// A named thing with an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sym {
    /// A parameter of the kernel, by position.
    Param(u32),
    /// A variable of the module, by position.
    Global(u32),
    /// A variable declared inside the function, by position.
    Local(u32),
}

/// What an address starts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    Reg(Reg),
    Sym(Sym),
}

/// A memory operand `[base + offset]`, the offset in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Address {
    pub base: Base,
    pub offset: i32,
}

impl From<Reg> for Address {
    fn from(reg: Reg) -> Address {
        Address {
            base: Base::Reg(reg),
            offset: 0,
        }
    }
}

impl From<Sym> for Address {
    fn from(sym: Sym) -> Address {
        Address {
            base: Base::Sym(sym),
            offset: 0,
        }
    }
}

impl<B: Into<Address>> From<(B, i32)> for Address {
    /// Base and byte offset.
    fn from((base, offset): (B, i32)) -> Address {
        let base: Address = base.into();
        Address {
            base: base.base,
            offset: base.offset.wrapping_add(offset),
        }
    }
}

macro_rules! specials {
    ($( $name:ident $text:literal $ty:ident ),* $(,)?) => {
        /// A read-only register of the machine.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Special { $( $name ),* }

        impl Special {
            /// Every special register.
            pub const ALL: &'static [Special] = &[$( Special::$name ),*];
            /// Its name, with the percent sign.
            pub const fn name(self) -> &'static str {
                match self { $( Special::$name => $text ),* }
            }
            /// Its type.
            pub const fn ty(self) -> Ty {
                match self { $( Special::$name => Ty::$ty ),* }
            }
        }
    };
}

specials! {
    TidX "%tid.x" U32, TidY "%tid.y" U32, TidZ "%tid.z" U32,
    NtidX "%ntid.x" U32, NtidY "%ntid.y" U32, NtidZ "%ntid.z" U32,
    CtaidX "%ctaid.x" U32, CtaidY "%ctaid.y" U32, CtaidZ "%ctaid.z" U32,
    NctaidX "%nctaid.x" U32, NctaidY "%nctaid.y" U32, NctaidZ "%nctaid.z" U32,
    LaneId "%laneid" U32, WarpId "%warpid" U32, NWarpId "%nwarpid" U32,
    SmId "%smid" U32, NSmId "%nsmid" U32,
    LanemaskEq "%lanemask_eq" U32, LanemaskLe "%lanemask_le" U32, LanemaskLt "%lanemask_lt" U32,
    LanemaskGe "%lanemask_ge" U32, LanemaskGt "%lanemask_gt" U32,
    Clock "%clock" U32, Clock64 "%clock64" U64, GlobalTimer "%globaltimer" U64,
    DynamicSmemSize "%dynamic_smem_size" U32, TotalSmemSize "%total_smem_size" U32,
}

/// How far a value agrees among the threads of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Uniformity {
    /// The same in every thread.
    Uniform,
    /// Not known.
    Unknown,
    /// Differs between threads, as far as the code shows.
    Divergent,
}

impl Special {
    /// Whether two reads by one thread may differ.
    pub const fn is_volatile(self) -> bool {
        matches!(
            self,
            Special::Clock | Special::Clock64 | Special::GlobalTimer | Special::SmId
        )
    }

    /// Whether the threads of a block agree on it.
    pub const fn uniformity(self) -> Uniformity {
        match self {
            Special::TidX
            | Special::TidY
            | Special::TidZ
            | Special::LaneId
            | Special::WarpId
            | Special::LanemaskEq
            | Special::LanemaskLe
            | Special::LanemaskLt
            | Special::LanemaskGe
            | Special::LanemaskGt
            | Special::Clock
            | Special::Clock64
            | Special::GlobalTimer => Uniformity::Divergent,
            _ => Uniformity::Uniform,
        }
    }
}

/// One operand of an instruction.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operand {
    Reg(Reg),
    /// An integer, for integer, bit and predicate (0 or 1) positions.
    Imm(i64),
    /// The bits of a single.
    F32(u32),
    /// The bits of a double.
    F64(u64),
    Special(Special),
    /// The address of a symbol.
    Sym(Sym),
    Addr(Address),
    Label(BlockId),
    Func(FuncId),
    /// `{a, b, ..}`: the elements of a vector access or a pack; the
    /// parenthesised lists of a call.
    Vec(RegList),
    /// `(a, b, ..)`: variables in `.param` space that a call hands over.
    Syms(SmallVec<[Sym; 4]>),
    /// `a|b`: a result and a second predicate result.
    Pair(Reg, Reg),
    /// `!p`, where an instruction takes a negated predicate as a source.
    Not(Reg),
}

impl Operand {
    /// Calls `f` for every register read when the operand is a source, or
    /// written when it is the destination (address bases are always read).
    #[inline]
    pub fn for_each_reg(&self, mut f: impl FnMut(Reg)) {
        match self {
            Operand::Reg(r) | Operand::Not(r) => f(*r),
            Operand::Addr(Address {
                base: Base::Reg(r), ..
            }) => f(*r),
            Operand::Vec(list) => list.iter().for_each(|r| f(*r)),
            Operand::Pair(a, b) => {
                f(*a);
                f(*b);
            }
            _ => {}
        }
    }

    /// Replaces every register by `f` of it.
    pub fn map_regs(&mut self, mut f: impl FnMut(Reg) -> Reg) {
        match self {
            Operand::Reg(r) | Operand::Not(r) => *r = f(*r),
            Operand::Addr(Address {
                base: Base::Reg(r), ..
            }) => *r = f(*r),
            Operand::Vec(list) => list.iter_mut().for_each(|r| *r = f(*r)),
            Operand::Pair(a, b) => {
                *a = f(*a);
                *b = f(*b);
            }
            _ => {}
        }
    }

    /// The register, if the operand is one.
    pub fn as_reg(&self) -> Option<Reg> {
        match self {
            Operand::Reg(r) => Some(*r),
            _ => None,
        }
    }

    /// The integer, if the operand is an integer immediate.
    pub fn as_imm(&self) -> Option<i64> {
        match self {
            Operand::Imm(v) => Some(*v),
            _ => None,
        }
    }

    /// What kind of operand it is, in words.
    pub fn describe(&self) -> &'static str {
        match self {
            Operand::Reg(_) => "a register",
            Operand::Imm(_) => "an integer immediate",
            Operand::F32(_) => "a single-precision immediate",
            Operand::F64(_) => "a double-precision immediate",
            Operand::Special(_) => "a special register",
            Operand::Sym(_) => "a symbol",
            Operand::Addr(_) => "an address",
            Operand::Label(_) => "a label",
            Operand::Func(_) => "a function",
            Operand::Vec(_) => "a register list",
            Operand::Syms(_) => "a list of variables",
            Operand::Pair(..) => "a pair of registers",
            Operand::Not(_) => "a negated predicate",
        }
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! operand_from {
    ($( $from:ty => |$v:ident| $e:expr ),* $(,)?) => {
        $( impl From<$from> for Operand {
            #[inline]
            fn from($v: $from) -> Operand { $e }
        } )*
    };
}

operand_from! {
    Reg => |r| Operand::Reg(r),
    i32 => |v| Operand::Imm(i64::from(v)),
    u32 => |v| Operand::Imm(i64::from(v)),
    i64 => |v| Operand::Imm(v),
    u64 => |v| Operand::Imm(v as i64),
    f32 => |v| Operand::F32(v.to_bits()),
    f64 => |v| Operand::F64(v.to_bits()),
    Special => |s| Operand::Special(s),
    Sym => |s| Operand::Sym(s),
    Address => |a| Operand::Addr(a),
    BlockId => |b| Operand::Label(b),
    FuncId => |f| Operand::Func(f),
    RegList => |l| Operand::Vec(l),
    &Operand => |o| o.clone(),
}
