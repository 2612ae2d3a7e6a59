//! One description of all formats, and the two conversions that it drives:
//! bits to sign, significand and exponent, and back with one rounding.

/// What a format does with the bit patterns IEEE 754 gives to infinity and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// The highest exponent is infinity and NaN.
    Ieee,
    /// Numbers throughout, but NaN where all exponent and fraction bits are set.
    NanIsAllOnes,
    /// Numbers throughout, but NaN in place of negative zero.
    NanIsNegativeZero,
    /// Numbers throughout.
    FiniteOnly,
}

/// The layout of a format: sign, exponent, integer bit (`f80` only), fraction,
/// from the top.
#[derive(Debug)]
pub(super) struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    bias: i32,
    special: Special,
    /// Without it there is neither sign, nor zero, nor subnormal number.
    full: bool,
    explicit_integer_bit: bool,
}

/// A value taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    pub sign: bool,
    pub class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `significand * 2^exponent`; zero has significand 0.
    Finite {
        significand: u128,
        exponent: i32,
    },
    Infinite,
    /// The fraction bits, moved to the top of the word; 0 asks for the
    /// canonical NaN.
    Nan {
        payload: u128,
    },
}

/// Bits, and what rounding did to get there.
pub(super) struct Packed {
    pub bits: u128,
    /// The value is not the one given.
    pub inexact: bool,
    /// The value given lay halfway between two of the format.
    pub tie: bool,
}

impl Unpacked {
    pub fn finite(sign: bool, significand: u128, exponent: i32) -> Unpacked {
        let class = Class::Finite {
            significand,
            exponent,
        };
        Unpacked { sign, class }
    }
}

impl Format {
    pub(crate) const fn new(
        exponent_bits: u32,
        fraction_bits: u32,
        bias: i32,
        special: Special,
    ) -> Format {
        Format {
            exponent_bits,
            fraction_bits,
            bias,
            special,
            full: true,
            explicit_integer_bit: false,
        }
    }

    pub(crate) const fn exponent_only(exponent_bits: u32, bias: i32) -> Format {
        let special = Special::NanIsAllOnes;
        let format = Format::new(exponent_bits, 0, bias, special);
        Format {
            full: false,
            ..format
        }
    }

    pub const fn x87() -> Format {
        let format = Format::new(15, 63, 16383, Special::Ieee);
        Format {
            explicit_integer_bit: true,
            ..format
        }
    }

    pub fn width(&self) -> u32 {
        u32::from(self.full) + self.exponent_bits + self.stored_bits()
    }

    pub fn precision(&self) -> u32 {
        self.fraction_bits + 1
    }

    /// The bits below the exponent field.
    fn stored_bits(&self) -> u32 {
        self.fraction_bits + u32::from(self.explicit_integer_bit)
    }

    /// The exponent of the smallest normal number.
    fn min_exponent(&self) -> i32 {
        i32::from(self.full) - self.bias
    }

    fn max_field(&self) -> i32 {
        (1 << self.exponent_bits) - 1
    }

    fn fraction_mask(&self) -> u128 {
        (1 << self.fraction_bits) - 1
    }

    fn with_sign(&self, sign: bool, bits: u128) -> u128 {
        bits | u128::from(sign && self.full) << (self.width() - 1)
    }

    fn assemble(&self, sign: bool, field: i32, stored: u128) -> u128 {
        self.with_sign(sign, (field as u128) << self.stored_bits() | stored)
    }

    /// The bits a NaN with that payload has; the largest number where there is
    /// no NaN.
    fn nan(&self, sign: bool, payload: u128) -> u128 {
        match self.special {
            Special::Ieee => {
                let quiet = 1 << (self.fraction_bits - 1);
                let integer = u128::from(self.explicit_integer_bit) << self.fraction_bits;
                let fraction = payload >> (u128::BITS - self.fraction_bits);
                self.assemble(sign, self.max_field(), fraction | quiet | integer)
            }
            Special::NanIsAllOnes => self.assemble(sign, self.max_field(), self.fraction_mask()),
            Special::NanIsNegativeZero => 1 << (self.width() - 1),
            Special::FiniteOnly => largest(self, false),
        }
    }

    fn infinity(&self, sign: bool) -> u128 {
        match self.special {
            Special::Ieee => {
                let integer = u128::from(self.explicit_integer_bit) << self.fraction_bits;
                self.assemble(sign, self.max_field(), integer)
            }
            Special::FiniteOnly => largest(self, sign),
            _ => self.nan(sign, 0),
        }
    }
}

/// The finite value furthest from zero.
pub(super) fn largest(format: &Format, negative: bool) -> u128 {
    let ones = (1 << format.stored_bits()) - 1;
    let top = format.max_field();
    match format.special {
        Special::Ieee => format.assemble(negative, top - 1, ones),
        Special::NanIsAllOnes if format.fraction_bits == 0 => {
            format.assemble(negative, top - 1, ones)
        }
        Special::NanIsAllOnes => format.assemble(negative, top, ones - 1),
        _ => format.assemble(negative, top, ones),
    }
}

/// Drops bits beyond the width and replaces the encodings of x87 that are no
/// values of their own.
pub(super) fn canonical(format: &Format, bits: u128) -> u128 {
    let width = format.width();
    let bits = if width == u128::BITS {
        bits
    } else {
        bits & ((1 << width) - 1)
    };
    if !format.explicit_integer_bit {
        return bits;
    }
    let integer_bit = bits >> format.fraction_bits & 1 == 1;
    let field_one = 1 << format.stored_bits();
    let field_mask = (format.max_field() as u128) << format.stored_bits();
    match (bits & field_mask, integer_bit) {
        // A subnormal number with an integer bit is the smallest normal one.
        (0, true) => bits | field_one,
        (field, false) if field != 0 => bits | field_mask,
        _ => bits,
    }
}

pub(super) fn unpack(format: &Format, bits: u128) -> Unpacked {
    let sign = format.full && bits >> (format.width() - 1) & 1 == 1;
    let fraction = bits & format.fraction_mask();
    let stored = bits & ((1 << format.stored_bits()) - 1);
    let field = (bits >> format.stored_bits()) as i32 & format.max_field();
    let top = field == format.max_field();
    let nan = |payload| Unpacked {
        sign,
        class: Class::Nan { payload },
    };
    match format.special {
        Special::Ieee if top => {
            let infinity = u128::from(format.explicit_integer_bit) << format.fraction_bits;
            if stored == infinity {
                return Unpacked {
                    sign,
                    class: Class::Infinite,
                };
            }
            return nan(fraction << (u128::BITS - format.fraction_bits));
        }
        Special::NanIsAllOnes if top && fraction == format.fraction_mask() => return nan(0),
        Special::NanIsNegativeZero if sign && field == 0 && fraction == 0 => return nan(0),
        _ => {}
    }
    let subnormal = field == 0 && format.full;
    let significand = if subnormal {
        fraction
    } else {
        fraction | 1 << format.fraction_bits
    };
    let exponent = field + i32::from(subnormal) - format.bias - format.fraction_bits as i32;
    Unpacked::finite(sign, significand, exponent)
}

/// Rounds to the nearest value of the format, ties to the even one.
pub(super) fn pack(format: &Format, v: &Unpacked) -> Packed {
    let replaced = |bits, inexact| Packed {
        bits,
        inexact,
        tie: false,
    };
    match v.class {
        Class::Nan { payload } => replaced(
            format.nan(v.sign, payload),
            format.special == Special::FiniteOnly,
        ),
        Class::Infinite if !format.full && v.sign => replaced(format.nan(false, 0), true),
        Class::Infinite => replaced(format.infinity(v.sign), format.special != Special::Ieee),
        Class::Finite { significand: 0, .. } => {
            let keeps_sign = format.full && format.special != Special::NanIsNegativeZero;
            let bits = format.with_sign(v.sign && keeps_sign, 0);
            replaced(bits, !format.full || (v.sign && !keeps_sign))
        }
        Class::Finite { .. } if v.sign && !format.full => replaced(format.nan(false, 0), true),
        Class::Finite {
            significand,
            exponent,
        } => pack_number(format, v.sign, significand, exponent),
    }
}

fn pack_number(format: &Format, sign: bool, significand: u128, exponent: i32) -> Packed {
    let fraction_bits = format.fraction_bits as i32;
    let leading = exponent + significand.ilog2() as i32;
    let mut unit = leading.max(format.min_exponent()) - fraction_bits;
    let (mut rounded, inexact, tie) = shift_rounding(significand, unit - exponent);
    if rounded >> format.precision() != 0 {
        rounded >>= 1;
        unit += 1;
    }
    let field = if rounded >> format.fraction_bits == 0 && format.full {
        0
    } else {
        // A value below the smallest of a format without zero becomes that one.
        unit + fraction_bits + format.bias
    };
    let top = format.max_field();
    let fraction = rounded & format.fraction_mask();
    let overflow = match format.special {
        Special::Ieee => field >= top,
        Special::NanIsAllOnes => {
            field > top || (field == top && fraction == format.fraction_mask())
        }
        _ => field > top,
    };
    if overflow {
        let bits = format.infinity(sign);
        return Packed {
            bits,
            inexact: true,
            tie,
        };
    }
    let underflow = rounded == 0;
    let keeps_sign = !(underflow && format.special == Special::NanIsNegativeZero);
    let stored = if format.explicit_integer_bit {
        rounded
    } else {
        fraction
    };
    let bits = format.assemble(sign && keeps_sign, field, stored);
    Packed { bits, inexact, tie }
}

/// `v >> amount` (a left shift where negative), rounded to nearest even;
/// whether bits were lost, and whether they were exactly half a unit.
fn shift_rounding(v: u128, amount: i32) -> (u128, bool, bool) {
    if amount <= 0 {
        return (v << amount.unsigned_abs(), false, false);
    }
    let amount = amount.unsigned_abs();
    if amount > u128::BITS {
        return (0, true, false);
    }
    let half = 1 << (amount - 1);
    let kept = v.checked_shr(amount).unwrap_or(0);
    let lost = v & ((half - 1) | half);
    let up = lost > half || (lost == half && kept & 1 == 1);
    (kept + u128::from(up), lost != 0, lost == half)
}
