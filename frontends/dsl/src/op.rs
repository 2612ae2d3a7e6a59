//! What an expression can do to elements. The names are those of Rust's methods.

use crate::element::{Element, ElementType};

/// A function of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`; an integer wraps.
    Neg,
    /// `!x`, bit by bit.
    Not,
    /// The magnitude; of the least integer it is the least integer.
    Abs,
    /// The square root.
    Sqrt,
    /// One over the square root.
    Rsqrt,
    /// The cube root.
    Cbrt,
    /// e to the power of it.
    Exp,
    /// 2 to the power of it.
    Exp2,
    /// e to the power of it, less 1.
    ExpM1,
    /// The natural logarithm.
    Ln,
    /// The logarithm of base 2.
    Log2,
    /// The logarithm of base 10.
    Log10,
    /// The natural logarithm of 1 and it.
    Ln1p,
    /// The sine of an angle in radians.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The angle of a sine.
    Asin,
    /// The angle of a cosine.
    Acos,
    /// The angle of a tangent.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse of the hyperbolic sine.
    Asinh,
    /// The inverse of the hyperbolic cosine.
    Acosh,
    /// The inverse of the hyperbolic tangent.
    Atanh,
    /// The error function.
    Erf,
    /// One less the error function.
    Erfc,
    /// Rounded down.
    Floor,
    /// Rounded up.
    Ceil,
    /// Rounded towards zero.
    Trunc,
    /// Rounded to the nearest integer, halves away from zero.
    Round,
    /// Rounded to the nearest integer, halves to even ones.
    RoundTiesEven,
    /// The number of bits that are set.
    CountOnes,
    /// The number of bits above the highest that is set.
    LeadingZeros,
    /// The number of bits below the lowest that is set.
    TrailingZeros,
}

/// A function of two elements of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `x + y`; integers wrap.
    Add,
    /// `x - y`; integers wrap.
    Sub,
    /// `x * y`; integers wrap.
    Mul,
    /// `x / y`. Of integers by 0 it is 0, and of the least one by -1 it wraps.
    Div,
    /// `x % y`, with the sign of `x`. Of integers by 0 it is `x`.
    Rem,
    /// The lesser one; of a NaN and a number it is the number.
    Min,
    /// The greater one; of a NaN and a number it is the number.
    Max,
    /// `x` to the power of `y`.
    Pow,
    /// The angle of the point (y, x), of which `y` comes first.
    Atan2,
    /// `x` with the sign of `y`.
    CopySign,
    /// Bits that are set in both.
    And,
    /// Bits that are set in one.
    Or,
    /// Bits that are set in one alone.
    Xor,
    /// `x << y`, of which the low bits of `y` count, as in `wrapping_shl`.
    Shl,
    /// `x >> y`, in the same way; of signed integers the sign comes in.
    Shr,
}

impl Binary {
    /// Whether the operands may change places.
    pub fn commutes(self) -> bool {
        matches!(
            self,
            Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor
        )
    }

    /// As a message has it.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Min => "min",
            Binary::Max => "max",
            Binary::Pow => "powf",
            Binary::Atan2 => "atan2",
            Binary::CopySign => "copysign",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
        }
    }
}

/// A comparison. With a NaN only [`Compare::Ne`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Compare {
    /// As a message has it.
    pub fn name(self) -> &'static str {
        match self {
            Compare::Eq => "eq",
            Compare::Ne => "ne",
            Compare::Lt => "lt",
            Compare::Le => "le",
            Compare::Gt => "gt",
            Compare::Ge => "ge",
        }
    }
}

/// What is read or written of an element in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it: it is one number.
    Whole,
    /// The real part of a complex number.
    Real,
    /// The imaginary part of a complex number.
    Imaginary,
}

impl Part {
    /// The parts of elements of a type.
    pub const fn all(ty: ElementType) -> &'static [Part] {
        match ty.part() {
            Some(_) => &[Part::Real, Part::Imaginary],
            None => &[Part::Whole],
        }
    }

    /// Where it is among the numbers of an element.
    pub const fn place(self) -> usize {
        match self {
            Part::Whole | Part::Real => 0,
            Part::Imaginary => 1,
        }
    }

    /// The type of an element whose part has a type.
    pub const fn element(self, ty: ElementType) -> ElementType {
        match self {
            Part::Whole => ty,
            Part::Real | Part::Imaginary => ty.complex(),
        }
    }

    /// Its bits among those of an element of a type.
    pub fn bits(self, ty: ElementType, bits: u128) -> u64 {
        let size = ty.part().unwrap_or(ty).size() as u32 * 8;
        (bits >> (size * self.place() as u32)) as u64 & (u64::MAX >> (64 - size))
    }
}

/// How the elements of an array become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The sum; integers wrap.
    Sum,
    /// The product; integers wrap.
    Product,
    /// The least element; NaNs are passed over.
    Min,
    /// The greatest element; NaNs are passed over.
    Max,
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
}

impl Fold {
    /// The element that changes no other when it is combined with it.
    pub fn nothing<T: Element>(self) -> T {
        let bits = u128::from(self.identity(T::TYPE.part().unwrap_or(T::TYPE)));
        T::from_bits(match T::TYPE.part() {
            Some(part) => bits | bits << (8 * part.size()),
            None => bits,
        })
    }

    /// The bits of the value that changes no other of this type when it is combined with it. The
    /// type is that of one number.
    pub fn identity(self, ty: ElementType) -> u64 {
        let (float, wide) = (ty.is_float(), ty.size() == 8);
        // The sign is the highest bit.
        let high = 1u64 << (ty.size() * 8 - 1);
        match self {
            // Also -0 added to -0 is -0.
            Fold::Sum if float => high,
            Fold::Product if float => one_bits(ty),
            Fold::Min | Fold::Max if float && wide => f64::NAN.to_bits(),
            Fold::Min | Fold::Max if ty == ElementType::F16 => half::f16::NAN.to_bits().into(),
            Fold::Min | Fold::Max if ty == ElementType::BF16 => half::bf16::NAN.to_bits().into(),
            Fold::Min | Fold::Max if float => u64::from(f32::NAN.to_bits()),
            Fold::Sum | Fold::Any => 0,
            Fold::Product | Fold::All => 1,
            Fold::Min if ty.is_signed() => high - 1,
            Fold::Min => high | (high - 1),
            Fold::Max if ty.is_signed() => high,
            Fold::Max => 0,
        }
    }

    /// As a message has it.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Product => "product",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::All => "all",
            Fold::Any => "any",
        }
    }
}

/// The bits of the number 1; of a complex one of its real part.
pub(crate) fn one_bits(ty: ElementType) -> u64 {
    match ty {
        ElementType::F16 => half::f16::ONE.to_bits().into(),
        ElementType::BF16 => half::bf16::ONE.to_bits().into(),
        ElementType::F32 | ElementType::ComplexF32 => 1f32.to_bits().into(),
        ElementType::F64 | ElementType::ComplexF64 => 1f64.to_bits(),
        _ => 1,
    }
}

/// Whether a place may be beside its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Within {
    /// It may. Where it is read the nearest one is meant, and where it is written that is an error.
    Nearest,
    /// It does not, says who made the expression.
    Sure,
}

/// What becomes of elements that are written to places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scatter {
    /// They are the values. No two places are equal, says who writes.
    Unique,
    /// The same, and no two places are equal of all that is written to the array.
    Distinct,
    /// They are combined with the values. Places may be equal.
    Fold(Fold),
}

/// What is kept of a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kept {
    /// The value of all elements.
    Last,
    /// At each place the value of the elements up to it.
    Inclusive,
    /// At each place the value of the elements before it.
    Exclusive,
}

/// What a stencil reads beside the array. Programs have the bits of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edge<T = u64> {
    /// The nearest element that there is.
    Clamp,
    /// The array again, from its other end.
    Wrap,
    /// A number.
    Constant(T),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_change_nothing() {
        fn of<T: Element>(fold: Fold) -> T {
            fold.nothing()
        }
        assert_eq!(of::<i32>(Fold::Min), i32::MAX);
        assert_eq!(of::<i64>(Fold::Max), i64::MIN);
        assert_eq!(of::<u32>(Fold::Min), u32::MAX);
        assert_eq!(of::<u64>(Fold::Max), 0);
        assert_eq!(of::<u64>(Fold::Product), 1);
        for v in [0.0f64, -0.0, 1.5, f64::INFINITY] {
            assert_eq!((of::<f64>(Fold::Sum) + v).to_bits(), v.to_bits());
            assert_eq!((of::<f64>(Fold::Product) * v).to_bits(), v.to_bits());
            assert_eq!(of::<f64>(Fold::Min).min(v).to_bits(), v.to_bits());
        }
        assert_eq!((of::<f32>(Fold::Sum) + -0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(of::<f32>(Fold::Product), 1.0);
        assert!(of::<f32>(Fold::Max).is_nan());
        assert_eq!(of::<half::f16>(Fold::Product), half::f16::ONE);
        let z = num_complex::Complex::new(-0.0f32, 2.5);
        let sum = of::<num_complex::Complex<f32>>(Fold::Sum) + z;
        assert_eq!(Element::to_bits(sum), z.to_bits());
        assert!(of::<bool>(Fold::All) && !of::<bool>(Fold::Any));
    }
}
