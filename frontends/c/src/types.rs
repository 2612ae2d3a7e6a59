//! C's types, after typedefs are resolved, for the System V x86-64 and AArch64 ABIs
//! (LP64, little-endian; `long double` is a type whose values are not computed here).

mod spell;

use std::rc::Rc;

use crate::hir::Expr;

pub use spell::spell;

/// A type. Qualifiers that matter stand where they do: `const` on variables and
/// pointees, `restrict` on pointers.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    Void,
    /// `_Bool`.
    Bool,
    Int(Int),
    Float(Float),
    Pointer(Rc<Pointer>),
    Array(Rc<Array>),
    /// An index into [`crate::hir::Unit::records`].
    Record(usize),
    Function(Rc<Function>),
    /// A type this front end cannot compute with, by its C spelling: `long double`,
    /// `_Complex double`, `__int128`, vector extensions.
    Other(Rc<str>),
}

/// An integer type; enumerations are `unsigned int`, `int` if there is a negative
/// value, or what their values need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// 8, 16, 32 or 64.
    pub bits: u8,
    pub signed: bool,
    /// `long` and `long long` have the same size and are different types.
    pub rank: Rank,
}

/// Conversion ranks (C11 6.3.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rank {
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Float {
    F32,
    F64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pointer {
    pub to: Type,
    /// The pointee is `const`; of a pointee that is an array, its elements are.
    pub to_const: bool,
    /// The pointee is `volatile`.
    pub to_volatile: bool,
    /// The pointer itself is `restrict`.
    pub restrict: bool,
    /// What a parameter's array declarator said of the first dimension, which the
    /// adjustment to a pointer drops: `A[n][m]` is a pointer to `[m]` with `n` here.
    pub declared: Option<Extent>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    pub of: Type,
    pub len: Extent,
}

/// The number of elements of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    Const(u64),
    /// A variable-length array: the expression as written, of an integer type.
    Expr(Box<Expr>),
    /// `[]`, or `[*]`.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub result: Type,
    pub params: Vec<Type>,
    pub variadic: bool,
    /// Declared `()`: the arguments are not known.
    pub old_style: bool,
}

/// A struct or union.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The tag; empty if there is none.
    pub name: String,
    pub union: bool,
    /// `None` while only declared.
    pub fields: Option<Vec<Field>>,
    /// In bytes, 0 while only declared.
    pub size: u64,
    pub align: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    /// In bytes from the start of the record.
    pub offset: u64,
    /// A bit-field, with its width. It is never split; `offset` is that of a unit of
    /// its type that holds it whole.
    pub bits: Option<u32>,
    pub is_const: bool,
    pub is_volatile: bool,
}

impl Type {
    pub const CHAR: Type = Type::int(8, true, Rank::Char);
    pub const INT: Type = Type::int(32, true, Rank::Int);
    pub const UINT: Type = Type::int(32, false, Rank::Int);
    pub const SHORT: Type = Type::int(16, true, Rank::Short);
    pub const LONG: Type = Type::int(64, true, Rank::Long);
    pub const ULONG: Type = Type::int(64, false, Rank::Long);
    pub const FLOAT: Type = Type::Float(Float::F32);
    pub const DOUBLE: Type = Type::Float(Float::F64);

    pub const fn int(bits: u8, signed: bool, rank: Rank) -> Type {
        Type::Int(Int { bits, signed, rank })
    }

    /// `_Bool`, an integer or a floating type.
    pub fn is_arithmetic(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_) | Type::Float(_))
    }

    /// `_Bool` or an integer.
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_))
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float(_))
    }

    pub fn is_pointer(&self) -> bool {
        matches!(self, Type::Pointer(_))
    }

    /// Arithmetic or pointer.
    pub fn is_scalar(&self) -> bool {
        self.is_arithmetic() || self.is_pointer()
    }

    /// A plain pointer to `to`.
    pub fn pointer_to(to: Type) -> Type {
        Type::Pointer(Rc::new(Pointer {
            to,
            to_const: false,
            to_volatile: false,
            restrict: false,
            declared: None,
        }))
    }

    /// What a pointer points to, or an array consists of.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::Pointer(p) => Some(&p.to),
            Type::Array(a) => Some(&a.of),
            _ => None,
        }
    }
}
