//! The types that elements of arrays have.

use std::fmt;

/// The type of an element, as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// `false` or `true`, one byte in memory.
    Bool,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl ElementType {
    /// All of them, in the order of the declaration.
    pub const ALL: [ElementType; 7] = [
        ElementType::Bool,
        ElementType::I32,
        ElementType::I64,
        ElementType::U32,
        ElementType::U64,
        ElementType::F32,
        ElementType::F64,
    ];

    /// Rust's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::Bool => "bool",
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::U32 => "u32",
            ElementType::U64 => "u64",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
        }
    }

    /// Bytes of one element in memory.
    pub const fn size(self) -> usize {
        match self {
            ElementType::Bool => 1,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
        }
    }

    /// Whether values are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, ElementType::F32 | ElementType::F64)
    }

    /// Whether values are integers below and above zero.
    pub const fn is_signed(self) -> bool {
        matches!(self, ElementType::I32 | ElementType::I64)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that elements of arrays have.
pub trait Element:
    sealed::Sealed + Copy + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The same as a value.
    const TYPE: ElementType;

    /// The bits of the element, the low ones of a word.
    fn to_bits(self) -> u64;

    /// The element with these bits; of a `bool` whether any is set.
    fn from_bits(bits: u64) -> Self;
}

/// Elements that are added, subtracted and multiplied.
pub trait Number: Element {}

/// Integers.
pub trait Integer: Number {}

/// Elements with bits to combine: integers and `bool`.
pub trait Bits: Element {}

/// Numbers that can be negative.
pub trait Signed: Number {}

/// Floating point.
pub trait Float: Signed {}

macro_rules! element {
    ($($rust:ty, $ty:ident, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const TYPE: ElementType = ElementType::$ty;

            fn to_bits(self) -> u64 {
                ($to)(self)
            }

            fn from_bits(bits: u64) -> Self {
                ($from)(bits)
            }
        }
    )*};
}

element! {
    bool, Bool, u64::from, |b| b != 0;
    i32, I32, |v| u64::from(v as u32), |b| b as u32 as i32;
    i64, I64, |v| v as u64, |b| b as i64;
    u32, U32, u64::from, |b| b as u32;
    u64, U64, |v| v, |b| b;
    f32, F32, |v: f32| u64::from(v.to_bits()), |b| f32::from_bits(b as u32);
    f64, F64, |v: f64| v.to_bits(), f64::from_bits;
}

macro_rules! marked {
    ($($of:ident: $($rust:ty)*;)*) => {$($(impl $of for $rust {})*)*};
}

marked! {
    Number: i32 i64 u32 u64 f32 f64;
    Integer: i32 i64 u32 u64;
    Bits: bool i32 i64 u32 u64;
    Signed: i32 i64 f32 f64;
    Float: f32 f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        assert_eq!(i32::from_bits((-5i32).to_bits()), -5);
        assert_eq!(Element::to_bits(-5i32), 0xffff_fffb);
        assert_eq!(f32::from_bits(Element::to_bits(-0.5f32) as u32), -0.5);
        assert_eq!(<f64 as Element>::from_bits(Element::to_bits(1e300)), 1e300);
        assert!(bool::from_bits(2) && !bool::from_bits(0));
        let names = ElementType::ALL.map(|t| (t.name(), t.size()));
        assert_eq!(names[0], ("bool", 1));
        assert_eq!(names[6], ("f64", 8));
    }
}
