//! C's arithmetic types, their conversions, and ranges of values.

/// An arithmetic type of C as it is on 64-bit Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Ty {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
}

use Ty::*;

/// The integer types, of which each width and signedness occurs.
pub const INTEGERS: [Ty; 10] = [
    Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong,
];

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned",
            Long => "long",
            ULong => "unsigned long",
            Float => "float",
            Double => "double",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn signed(self) -> bool {
        matches!(self, Char | SChar | Short | Int | Long)
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt | Float => 32,
            Long | ULong | Double => 64,
        }
    }

    /// The least and greatest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = self.bits();
        if self.signed() {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        }
    }

    pub fn holds(self, lo: i128, hi: i128) -> bool {
        let (l, h) = self.range();
        l <= lo && hi <= h
    }

    /// The integer promotions.
    pub fn promoted(self) -> Ty {
        if self.is_float() || self.bits() >= 32 {
            self
        } else {
            Int
        }
    }

    /// The usual arithmetic conversions.
    pub fn common(self, other: Ty) -> Ty {
        let (a, b) = (self.promoted(), other.promoted());
        let rank = |t: Ty| match t {
            Double => 6,
            Float => 5,
            ULong => 4,
            Long => 3,
            UInt => 2,
            _ => 1,
        };
        if rank(a) >= rank(b) { a } else { b }
    }

    /// The unsigned type of the same width.
    pub fn unsigned(self) -> Ty {
        match self {
            Char | SChar => UChar,
            Short => UShort,
            Int => UInt,
            Long => ULong,
            t => t,
        }
    }

    /// The range of values after a conversion of ones in [lo, hi] to this type.
    pub fn convert(self, lo: i128, hi: i128) -> (i128, i128) {
        if self.is_float() {
            (0, 0)
        } else if self == Bool {
            (i128::from(lo > 0 || hi < 0), i128::from(lo != 0 || hi != 0))
        } else if self.holds(lo, hi) {
            (lo, hi)
        } else {
            self.range()
        }
    }
}
