//! The formats: names, widths and layouts.

use super::codec::{Format, Special};

macro_rules! float_kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $format:expr;)*) => {
        /// A floating-point format that is a builtin type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FloatKind {
            $($(#[$doc])* $kind,)*
        }

        impl FloatKind {
            /// Every format, narrow ones first.
            pub const ALL: &'static [FloatKind] = &[$(FloatKind::$kind),*];

            /// The keyword of the type.
            pub fn name(self) -> &'static str {
                match self {
                    $(FloatKind::$kind => $name,)*
                }
            }

            /// The format with that keyword.
            pub fn from_name(name: &str) -> Option<FloatKind> {
                match name {
                    $($name => Some(FloatKind::$kind),)*
                    _ => None,
                }
            }

            pub(super) fn format(self) -> &'static Format {
                match self {
                    $(FloatKind::$kind => const { &$format },)*
                }
            }
        }
    };
}

use Special::{FiniteOnly, Ieee, NanIsAllOnes, NanIsNegativeZero};

float_kinds! {
    /// 2 exponent bits, 1 fraction bit, finite only (OCP MX).
    F4E2M1FN = "f4E2M1FN", Format::new(2, 1, 1, FiniteOnly);
    /// 2 exponent bits, 3 fraction bits, finite only (OCP MX).
    F6E2M3FN = "f6E2M3FN", Format::new(2, 3, 1, FiniteOnly);
    /// 3 exponent bits, 2 fraction bits, finite only (OCP MX).
    F6E3M2FN = "f6E3M2FN", Format::new(3, 2, 3, FiniteOnly);
    /// 5 exponent bits, 2 fraction bits, as IEEE 754 would have it.
    F8E5M2 = "f8E5M2", Format::new(5, 2, 15, Ieee);
    /// 4 exponent bits, 3 fraction bits, as IEEE 754 would have it.
    F8E4M3 = "f8E4M3", Format::new(4, 3, 7, Ieee);
    /// 4 exponent bits, 3 fraction bits, no infinities, NaN is all ones.
    F8E4M3FN = "f8E4M3FN", Format::new(4, 3, 7, NanIsAllOnes);
    /// 5 exponent bits, 2 fraction bits, no infinities, NaN in place of -0.
    F8E5M2FNUZ = "f8E5M2FNUZ", Format::new(5, 2, 16, NanIsNegativeZero);
    /// 4 exponent bits, 3 fraction bits, no infinities, NaN in place of -0.
    F8E4M3FNUZ = "f8E4M3FNUZ", Format::new(4, 3, 8, NanIsNegativeZero);
    /// As `f8E4M3FNUZ` with an exponent bias of 11.
    F8E4M3B11FNUZ = "f8E4M3B11FNUZ", Format::new(4, 3, 11, NanIsNegativeZero);
    /// 3 exponent bits, 4 fraction bits, as IEEE 754 would have it.
    F8E3M4 = "f8E3M4", Format::new(3, 4, 3, Ieee);
    /// 8 exponent bits and nothing else: a power of two, or NaN (OCP MX).
    F8E8M0FNU = "f8E8M0FNU", Format::exponent_only(8, 127);
    /// The upper half of an `f32`.
    BF16 = "bf16", Format::new(8, 7, 127, Ieee);
    /// IEEE 754 binary16.
    F16 = "f16", Format::new(5, 10, 15, Ieee);
    /// The exponent of an `f32`, the fraction of an `f16`; 19 bits.
    TF32 = "tf32", Format::new(8, 10, 127, Ieee);
    /// IEEE 754 binary32.
    F32 = "f32", Format::new(8, 23, 127, Ieee);
    /// IEEE 754 binary64.
    F64 = "f64", Format::new(11, 52, 1023, Ieee);
    /// The extended format of x87, with an explicit integer bit.
    F80 = "f80", Format::x87();
    /// IEEE 754 binary128.
    F128 = "f128", Format::new(15, 112, 16383, Ieee);
}

impl FloatKind {
    /// The number of bits of a value.
    pub fn width(self) -> u32 {
        self.format().width()
    }

    /// The number of significant bits of a normal number, the leading one
    /// included.
    pub fn precision(self) -> u32 {
        self.format().precision()
    }

    /// Whether every value of the format is a value of `f64`.
    pub fn fits_f64(self) -> bool {
        !matches!(self, FloatKind::F80 | FloatKind::F128)
    }
}
