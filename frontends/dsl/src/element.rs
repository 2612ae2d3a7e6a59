//! The types that elements of arrays have.

use half::{bf16, f16};
use num_complex::Complex;
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
    /// IEEE 754 binary16. Expressions compute with it in binary32.
    F16,
    /// The upper half of a binary32. Expressions compute with it in binary32.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A real and an imaginary part, each a binary32.
    ComplexF32,
    /// A real and an imaginary part, each a binary64.
    ComplexF64,
}

impl ElementType {
    /// All of them, in the order of the declaration.
    pub const ALL: [ElementType; 11] = [
        ElementType::Bool,
        ElementType::I32,
        ElementType::I64,
        ElementType::U32,
        ElementType::U64,
        ElementType::F16,
        ElementType::BF16,
        ElementType::F32,
        ElementType::F64,
        ElementType::ComplexF32,
        ElementType::ComplexF64,
    ];

    /// Rust's name of it.
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::Bool => "bool",
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::U32 => "u32",
            ElementType::U64 => "u64",
            ElementType::F16 => "f16",
            ElementType::BF16 => "bf16",
            ElementType::F32 => "f32",
            ElementType::F64 => "f64",
            ElementType::ComplexF32 => "Complex<f32>",
            ElementType::ComplexF64 => "Complex<f64>",
        }
    }

    /// Bytes of one element in memory.
    pub const fn size(self) -> usize {
        match self {
            ElementType::Bool => 1,
            ElementType::F16 | ElementType::BF16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 | ElementType::ComplexF32 => 8,
            ElementType::ComplexF64 => 16,
        }
    }

    /// Whether values are floating point.
    pub const fn is_float(self) -> bool {
        self.is_half() || matches!(self, ElementType::F32 | ElementType::F64)
    }

    /// Whether values are floats of 16 bits.
    pub const fn is_half(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::BF16)
    }

    /// The type of each part of a complex number; none of other types.
    pub const fn part(self) -> Option<ElementType> {
        match self {
            ElementType::ComplexF32 => Some(ElementType::F32),
            ElementType::ComplexF64 => Some(ElementType::F64),
            _ => None,
        }
    }

    /// The type of the complex number whose parts have this type; the type itself where there is
    /// none.
    pub const fn complex(self) -> ElementType {
        match self {
            ElementType::F32 => ElementType::ComplexF32,
            ElementType::F64 => ElementType::ComplexF64,
            other => other,
        }
    }

    /// How many numbers an element is made of: 2 of a complex one, else 1.
    pub const fn parts(self) -> usize {
        match self.part() {
            Some(_) => 2,
            None => 1,
        }
    }

    /// The type that expressions compute with.
    pub const fn computed(self) -> ElementType {
        match self.is_half() {
            true => ElementType::F32,
            false => self,
        }
    }

    /// The bits of a number of this type as one of the type that expressions compute with.
    pub fn computed_bits(self, bits: u64) -> u64 {
        let wide = match self {
            ElementType::F16 => f16::from_bits(bits as u16).to_f32(),
            ElementType::BF16 => bf16::from_bits(bits as u16).to_f32(),
            _ => return bits,
        };
        u64::from(wide.to_bits())
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

    /// The bits of the element, the low ones of a word. Of a complex number the real part's come
    /// first.
    fn to_bits(self) -> u128;

    /// The element with these bits; of a `bool` whether any is set.
    fn from_bits(bits: u128) -> Self;
}

/// Elements that are one value: all but complex numbers.
pub trait Scalar: Element {}

/// Elements that are added, subtracted and multiplied.
pub trait Number: Element {}

/// Numbers that have an order: integers and floats.
pub trait RealNumber: Number + Scalar {}

/// Integers.
pub trait Integer: RealNumber {}

/// Elements with bits to combine: integers and `bool`.
pub trait Bits: Scalar {}

/// Numbers that can be negated.
pub trait Signed: Number {}

/// Floating point.
pub trait Float: Signed + RealNumber {}

/// Floats that are parts of complex numbers.
pub trait ComplexPart: Float {
    /// The complex number of two of them.
    type Complex: Number + Signed;

    /// The complex number of a real and an imaginary part.
    fn complex(re: Self, im: Self) -> Self::Complex;

    /// The nearest one to a number.
    fn near(v: f64) -> Self;
}

macro_rules! part {
    ($($t:ty)*) => {$(
        impl ComplexPart for $t {
            type Complex = Complex<$t>;

            fn complex(re: $t, im: $t) -> Complex<$t> {
                Complex::new(re, im)
            }

            fn near(v: f64) -> $t {
                v as $t
            }
        }
    )*};
}

part!(f32 f64);

macro_rules! element {
    ($($rust:ty, $ty:ident, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const TYPE: ElementType = ElementType::$ty;

            fn to_bits(self) -> u128 {
                ($to)(self)
            }

            fn from_bits(bits: u128) -> Self {
                ($from)(bits)
            }
        }
    )*};
}

element! {
    bool, Bool, u128::from, |b| b != 0;
    i32, I32, |v| u128::from(v as u32), |b| b as u32 as i32;
    i64, I64, |v| u128::from(v as u64), |b| b as i64;
    u32, U32, u128::from, |b| b as u32;
    u64, U64, u128::from, |b| b as u64;
    f16, F16, |v: f16| v.to_bits().into(), |b| f16::from_bits(b as u16);
    bf16, BF16, |v: bf16| v.to_bits().into(), |b| bf16::from_bits(b as u16);
    f32, F32, |v: f32| v.to_bits().into(), |b| f32::from_bits(b as u32);
    f64, F64, |v: f64| v.to_bits().into(), |b| f64::from_bits(b as u64);
    Complex<f32>, ComplexF32, |v: Complex<f32>| {
        u128::from(v.re.to_bits()) | u128::from(v.im.to_bits()) << 32
    }, |b| Complex::new(f32::from_bits(b as u32), f32::from_bits((b >> 32) as u32));
    Complex<f64>, ComplexF64, |v: Complex<f64>| {
        u128::from(v.re.to_bits()) | u128::from(v.im.to_bits()) << 64
    }, |b| Complex::new(f64::from_bits(b as u64), f64::from_bits((b >> 64) as u64));
}

macro_rules! marked {
    ($($of:ident: $($rust:ty)*;)*) => {$($(impl $of for $rust {})*)*};
}

marked! {
    Scalar: bool i32 i64 u32 u64 f16 bf16 f32 f64;
    Number: i32 i64 u32 u64 f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    RealNumber: i32 i64 u32 u64 f16 bf16 f32 f64;
    Integer: i32 i64 u32 u64;
    Bits: bool i32 i64 u32 u64;
    Signed: i32 i64 f16 bf16 f32 f64 Complex<f32> Complex<f64>;
    Float: f16 bf16 f32 f64;
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
        let z = Complex::new(1.5f64, -2.0);
        assert_eq!(Complex::<f64>::from_bits(z.to_bits()), z);
        let z = Complex::new(1.5f32, -2.0);
        assert_eq!(Complex::<f32>::from_bits(z.to_bits()), z);
        let h = f16::from_f32(0.3);
        assert_eq!(<f16 as Element>::from_bits(Element::to_bits(h)), h);
        let wide = ElementType::F16.computed_bits(u64::from(h.to_bits()));
        assert_eq!(f32::from_bits(wide as u32), h.to_f32());
        assert!(bool::from_bits(2) && !bool::from_bits(0));
        let names = ElementType::ALL.map(|t| (t.name(), t.size()));
        assert_eq!(names[0], ("bool", 1));
        assert_eq!(names[8], ("f64", 8));
        for ty in ElementType::ALL {
            assert_eq!(ty.part().map_or(ty, ElementType::complex), ty);
            let parts = ty.parts() * ty.part().unwrap_or(ty).size();
            assert_eq!(ty.size(), parts);
        }
    }
}
