//! Element types of buffers, and single values of them.
//!
//! Integers follow MLIR's signless view: `i32` is 32 bits, and the signed
//! types here only say how a value is read back as a number. `i1` takes one
//! byte (0 or 1), `index` is a 64-bit signed integer, `f16` and `bf16` are
//! kept as their 16 bits.

use std::fmt;

/// The type of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    /// One byte, 0 or 1.
    I1,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// Subscripts and loop bounds; stored as `i64`.
    Index,
    /// IEEE 754 binary16, as bits in a `u16`.
    F16,
    /// The upper half of an IEEE 754 binary32, as bits in a `u16`.
    BF16,
    F32,
    F64,
}

impl DType {
    /// Every element type, in the order of the declaration.
    pub const ALL: [DType; 14] = [
        DType::I1,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::Index,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// Bytes of one element in memory.
    pub const fn size(self) -> usize {
        match self {
            DType::I1 | DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::Index | DType::F64 => 8,
        }
    }

    /// The name in MLIR's syntax (`i32`, `ui8`, `index`, `bf16`).
    pub const fn name(self) -> &'static str {
        match self {
            DType::I1 => "i1",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U8 => "ui8",
            DType::U16 => "ui16",
            DType::U32 => "ui32",
            DType::U64 => "ui64",
            DType::Index => "index",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// Reads a type name: MLIR's, with `si32` for `i32` and `u8` for `ui8`.
    pub fn parse(name: &str) -> Option<DType> {
        if let Some(found) = DType::ALL.into_iter().find(|t| t.name() == name) {
            return Some(found);
        }
        match name {
            "si8" => Some(DType::I8),
            "si16" => Some(DType::I16),
            "si32" => Some(DType::I32),
            "si64" => Some(DType::I64),
            "u8" => Some(DType::U8),
            "u16" => Some(DType::U16),
            "u32" => Some(DType::U32),
            "u64" => Some(DType::U64),
            _ => None,
        }
    }

    /// Whether values are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// The integers an element can hold, both ends included; `None` for floats.
    pub const fn int_range(self) -> Option<(i128, i128)> {
        Some(match self {
            DType::I1 => (0, 1),
            DType::I8 => (i8::MIN as i128, i8::MAX as i128),
            DType::I16 => (i16::MIN as i128, i16::MAX as i128),
            DType::I32 => (i32::MIN as i128, i32::MAX as i128),
            DType::I64 | DType::Index => (i64::MIN as i128, i64::MAX as i128),
            DType::U8 => (0, u8::MAX as i128),
            DType::U16 => (0, u16::MAX as i128),
            DType::U32 => (0, u32::MAX as i128),
            DType::U64 => (0, u64::MAX as i128),
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => return None,
        })
    }

    /// The bits of the float nearest to `value` (ties to even) in the low
    /// bytes; for an integer type, `value` truncated and clamped to its range,
    /// NaN as 0.
    pub fn bits_of_f64(self, value: f64) -> u64 {
        match self {
            DType::F64 => value.to_bits(),
            DType::F32 => (value as f32).to_bits() as u64,
            DType::F16 => f64_to_f16(value) as u64,
            DType::BF16 => f64_to_bf16(value) as u64,
            _ => {
                let (low, high) = self.int_range().unwrap_or((0, 0));
                self.bits_of_int((value as i128).clamp(low, high))
            }
        }
    }

    /// The bits of an integer reduced modulo the width; a float type takes the
    /// nearest float.
    pub fn bits_of_int(self, value: i128) -> u64 {
        if self.is_float() {
            return self.bits_of_f64(value as f64);
        }
        if self == DType::I1 {
            return (value & 1) as u64;
        }
        let bits = value as u64;
        match self.size() {
            8 => bits,
            size => bits & ((1u64 << (8 * size)) - 1),
        }
    }

    /// The element of these bits as a double: exact except for 64-bit integers
    /// of magnitude above 2^53, which are rounded.
    pub fn f64_of_bits(self, bits: u64) -> f64 {
        match self {
            DType::F64 => f64::from_bits(bits),
            DType::F32 => f32::from_bits(bits as u32) as f64,
            DType::F16 => f16_to_f64(bits as u16),
            DType::BF16 => bf16_to_f64(bits as u16),
            DType::U64 => bits as f64,
            _ => self.int_of_bits(bits) as f64,
        }
    }

    /// The element of these bits as an integer; a float is truncated.
    pub fn int_of_bits(self, bits: u64) -> i128 {
        match self {
            DType::I1 => (bits & 1) as i128,
            DType::I8 => bits as i8 as i128,
            DType::I16 => bits as i16 as i128,
            DType::I32 => bits as i32 as i128,
            DType::I64 | DType::Index => bits as i64 as i128,
            DType::U8 => bits as u8 as i128,
            DType::U16 => bits as u16 as i128,
            DType::U32 => bits as u32 as i128,
            DType::U64 => bits as i128,
            _ => self.f64_of_bits(bits) as i128,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A Rust type whose values can stand for the elements of some [`DType`].
///
/// # Safety
/// An implementor has no padding, every bit pattern of it is a valid value,
/// and for each type that [`Element::fits`] accepts its size is that type's
/// size and its alignment at most 64.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The type a slice of this Rust type is taken for when none is named.
    const DTYPE: DType;
    /// Whether elements of `dtype` can be seen as this Rust type.
    fn fits(dtype: DType) -> bool;
}

macro_rules! element {
    ($($rust:ty => $main:ident $(| $other:ident)*;)*) => {$(
        // SAFETY: a primitive number without padding or invalid patterns; the
        // listed element types have its size (checked by a test).
        unsafe impl Element for $rust {
            const DTYPE: DType = DType::$main;
            fn fits(dtype: DType) -> bool {
                matches!(dtype, DType::$main $(| DType::$other)*)
            }
        }
    )*};
}

// A signless integer may be read either way, and the 16-bit floats are bits.
element! {
    i8 => I8 | U8 | I1;
    i16 => I16 | U16;
    i32 => I32 | U32;
    i64 => I64 | U64 | Index;
    u8 => U8 | I8 | I1;
    u16 => U16 | I16 | F16 | BF16;
    u32 => U32 | I32;
    u64 => U64 | I64 | Index;
    f32 => F32;
    f64 => F64;
}

/// One value with its type: a scalar argument of a program or a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    /// The value in the low `dtype.size()` bytes, the rest zero.
    bits: u64,
}

/// A number that its type cannot hold.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalarError(String);

impl fmt::Display for ScalarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScalarError {}

impl Scalar {
    /// The scalar of these bits; those above the element's width are dropped.
    pub fn from_bits(dtype: DType, bits: u64) -> Scalar {
        let mask = match dtype.size() {
            8 => u64::MAX,
            size => (1u64 << (8 * size)) - 1,
        };
        Scalar {
            dtype,
            bits: bits & mask,
        }
    }

    /// An integer as `dtype`. A signless integer accepts both readings, so
    /// `i8` takes -128 to 255. Floats take the nearest value.
    ///
    /// # Errors
    /// When the value needs more bits than `dtype` has.
    pub fn from_int(dtype: DType, value: i128) -> Result<Scalar, ScalarError> {
        if let Some((low, high)) = dtype.int_range() {
            // -1 is how MLIR prints a true i1.
            let low = if dtype == DType::I1 { -1 } else { low };
            let high = match dtype {
                DType::I8 | DType::I16 | DType::I32 | DType::I64 => high * 2 + 1,
                _ => high,
            };
            if value < low || value > high {
                return Err(ScalarError(format!(
                    "{value} does not fit {dtype}, which holds {low} to {high}"
                )));
            }
        }
        Ok(Scalar::from_bits(dtype, dtype.bits_of_int(value)))
    }

    /// A float as `dtype`; an integer type takes it only when it is whole.
    ///
    /// # Errors
    /// When `dtype` is an integer type and `value` is not one of its integers.
    pub fn from_f64(dtype: DType, value: f64) -> Result<Scalar, ScalarError> {
        if dtype.is_float() {
            return Ok(Scalar::from_bits(dtype, dtype.bits_of_f64(value)));
        }
        if value.fract() != 0.0 || !value.is_finite() {
            return Err(ScalarError(format!(
                "{value} is not an integer, and {dtype} is an integer type"
            )));
        }
        Scalar::from_int(dtype, value as i128)
    }

    /// The element type.
    pub fn dtype(self) -> DType {
        self.dtype
    }

    /// The bits, in the low bytes.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The value as a double (see [`DType::f64_of_bits`]).
    pub fn as_f64(self) -> f64 {
        self.dtype.f64_of_bits(self.bits)
    }

    /// The value as an integer (see [`DType::int_of_bits`]).
    pub fn as_int(self) -> i128 {
        self.dtype.int_of_bits(self.bits)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} : {}", self.dtype)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.dtype.is_float() {
            write!(f, "{}", self.as_f64())
        } else {
            write!(f, "{}", self.as_int())
        }
    }
}

/// The value of binary16 bits; every one of them is a double.
pub fn f16_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// The binary16 nearest to `value`, ties to even; infinity beyond 65519.99...
pub fn f64_to_f16(value: f64) -> u16 {
    round_to_half(value, 5, 10)
}

/// The value of bfloat16 bits.
pub fn bf16_to_f64(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// The bfloat16 nearest to `value`, ties to even, in one rounding.
pub fn f64_to_bf16(value: f64) -> u16 {
    round_to_half(value, 8, 7)
}

/// Rounds to a 16-bit IEEE-like format of the given field widths, by
/// arithmetic on the double's own fields so that there is one rounding only.
fn round_to_half(value: f64, exponent_bits: u32, fraction_bits: u32) -> u16 {
    let sign = ((value.to_bits() >> 63) as u16) << 15;
    let infinity = ((1u16 << exponent_bits) - 1) << fraction_bits;
    if value.is_nan() {
        return sign | infinity | 1 << (fraction_bits - 1);
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return sign | infinity;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let least = 1 - bias;
    // Subnormal doubles are far below half of the least 16-bit value.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least);
    // The unit in the last place is a power of two, so this quotient is exact.
    let units = magnitude / 2f64.powi(exponent - fraction_bits as i32);
    let rounded = units.round_ties_even() as u32;
    // `rounded` still contains the hidden bit of a normal number; adding it to
    // the exponent field carries into the next binade, and into infinity.
    let field = ((exponent - least) as u32) << fraction_bits;
    let bits = field + rounded;
    sign | bits.min(u32::from(infinity)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes_agree() {
        for dtype in DType::ALL {
            assert_eq!(DType::parse(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::parse("si64"), Some(DType::I64));
        assert_eq!(DType::parse("i7"), None);
        fn check<T: Element>() {
            for dtype in DType::ALL.into_iter().filter(|d| T::fits(*d)) {
                assert_eq!(dtype.size(), size_of::<T>(), "{dtype}");
            }
            assert!(T::fits(T::DTYPE));
        }
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn every_16_bit_float_survives_a_round_trip() {
        for bits in 0..=u16::MAX {
            let half = f16_to_f64(bits);
            let brain = bf16_to_f64(bits);
            if half.is_nan() {
                assert!(f16_to_f64(f64_to_f16(half)).is_nan());
            } else {
                assert_eq!(f64_to_f16(half), bits, "f16 {bits:#x} = {half}");
            }
            if brain.is_nan() {
                assert!(bf16_to_f64(f64_to_bf16(brain)).is_nan());
            } else {
                assert_eq!(f64_to_bf16(brain), bits, "bf16 {bits:#x} = {brain}");
            }
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        assert_eq!(f64_to_f16(1.0), 0x3c00);
        assert_eq!(f64_to_f16(65504.0), 0x7bff);
        assert_eq!(f64_to_f16(65519.9), 0x7bff);
        assert_eq!(f64_to_f16(65520.0), 0x7c00);
        assert_eq!(f64_to_f16(-1e300), 0xfc00);
        // Halfway between 0 and the least subnormal goes to even, just above up.
        assert_eq!(f64_to_f16(2f64.powi(-25)), 0);
        assert_eq!(f64_to_f16(2f64.powi(-25) * 1.0001), 1);
        assert_eq!(f64_to_f16(f64::from_bits(1)), 0);
        // 2049 lies between 2048 and 2050; 2051 between 2050 and 2052.
        assert_eq!(f16_to_f64(f64_to_f16(2049.0)), 2048.0);
        assert_eq!(f16_to_f64(f64_to_f16(2051.0)), 2052.0);
        // One rounding: through f32 first this would become a tie, and 0x3f82.
        let just_under_half = 1.0 + 2f64.powi(-7) + 2f64.powi(-8) - 2f64.powi(-40);
        assert_eq!(f64_to_bf16(just_under_half), 0x3f81);
        assert_eq!(f64_to_bf16(f64::MAX), 0x7f80);
    }

    #[test]
    fn scalars_are_checked_against_their_type() {
        assert_eq!(Scalar::from_int(DType::I8, -1).unwrap().bits(), 0xff);
        assert_eq!(Scalar::from_int(DType::I8, 255).unwrap().as_int(), -1);
        assert_eq!(Scalar::from_int(DType::I1, -1).unwrap().bits(), 1);
        let error = Scalar::from_int(DType::I8, 256).unwrap_err().to_string();
        assert_eq!(error, "256 does not fit i8, which holds -128 to 255");
        let error = Scalar::from_f64(DType::I32, 1.5).unwrap_err().to_string();
        assert!(error.contains("1.5 is not an integer"), "{error}");
        assert_eq!(Scalar::from_f64(DType::I32, 4.0).unwrap().as_int(), 4);
        assert!(Scalar::from_f64(DType::Index, f64::INFINITY).is_err());
        assert_eq!(Scalar::from_int(DType::F16, 3).unwrap().as_f64(), 3.0);
        assert_eq!(
            Scalar::from_int(DType::U64, u64::MAX as i128)
                .unwrap()
                .as_f64(),
            2f64.powi(64)
        );
    }
}
