//! Sets of integers as two intervals, one for each reading of the bits.

use crate::types::Ty;
use std::fmt;

/// The values that a register of `bits` bits may hold: a value lies in the
/// signed interval when its bits are read as a signed number, and in the
/// unsigned interval when read as an unsigned one. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    bits: u32,
    smin: i64,
    smax: i64,
    umin: u64,
    umax: u64,
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range {
            smin,
            smax,
            umin,
            umax,
            bits,
        } = self;
        write!(f, "i{bits} [{smin}, {smax}] u[{umin}, {umax}]")
    }
}

const fn signed_min(bits: u32) -> i64 {
    i64::MIN >> (64 - bits)
}

const fn signed_max(bits: u32) -> i64 {
    i64::MAX >> (64 - bits)
}

const fn unsigned_max(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Range {
    /// Every value of a width from 1 to 64 bits; others are taken as 64.
    pub const fn full(bits: u32) -> Range {
        let bits = if bits == 0 || bits > 64 { 64 } else { bits };
        Range {
            bits,
            smin: signed_min(bits),
            smax: signed_max(bits),
            umin: 0,
            umax: unsigned_max(bits),
        }
    }

    /// One value, given by its low bits.
    pub fn constant(bits: u32, value: i64) -> Range {
        Range::of(bits, i128::from(value), i128::from(value))
    }

    /// The signed values from `low` to `high`.
    pub fn signed(bits: u32, low: i64, high: i64) -> Range {
        Range::of(bits, i128::from(low), i128::from(high))
    }

    /// The unsigned values from `low` to `high`.
    pub fn unsigned(bits: u32, low: u64, high: u64) -> Range {
        Range::of(bits, i128::from(low), i128::from(high))
    }

    /// The values of a type of at most that width, extended to it.
    pub fn of_type(bits: u32, ty: Ty) -> Range {
        let own = ty.bits();
        if own == 0 || own > bits {
            return Range::full(bits);
        }
        if ty.is_signed() {
            Range::signed(bits, signed_min(own), signed_max(own))
        } else {
            Range::unsigned(bits, 0, unsigned_max(own))
        }
    }

    /// The numbers from `low` to `high` modulo 2^bits.
    pub(super) fn of(bits: u32, low: i128, high: i128) -> Range {
        let mut range = Range::full(bits);
        let modulus = 1i128 << range.bits;
        // A difference over the width of i128 is over this one too.
        match high.checked_sub(low) {
            Some(width) if (0..modulus).contains(&width) => {}
            _ => return range,
        }
        let half = modulus >> 1;
        // Moved by a multiple of the modulus into each reading, if it fits.
        let signed_low = (low & (modulus - 1)) - if low & half != 0 { modulus } else { 0 };
        let signed_high = signed_low + (high - low);
        if signed_high < half {
            range.smin = signed_low as i64;
            range.smax = signed_high as i64;
        }
        let unsigned_low = low & (modulus - 1);
        let unsigned_high = unsigned_low + (high - low);
        if unsigned_high < modulus {
            range.umin = unsigned_low as u64;
            range.umax = unsigned_high as u64;
        }
        range.tightened().unwrap_or(range)
    }

    /// Each interval cut by what the other says; none if nothing is left.
    fn tightened(mut self) -> Option<Range> {
        let mask = unsigned_max(self.bits);
        // The second round sees what the first found.
        for _ in 0..2 {
            if self.smin > self.smax || self.umin > self.umax {
                return None;
            }
            if self.smin >= 0 || self.smax < 0 {
                self.umin = self.umin.max(self.smin as u64 & mask);
                self.umax = self.umax.min(self.smax as u64 & mask);
            }
            let top = signed_max(self.bits) as u64;
            if self.umax <= top {
                self.smin = self.smin.max(self.umin as i64);
                self.smax = self.smax.min(self.umax as i64);
            } else if self.umin > top {
                let negative = |v: u64| (v | !mask) as i64;
                self.smin = self.smin.max(negative(self.umin));
                self.smax = self.smax.min(negative(self.umax));
            }
        }
        (self.smin <= self.smax && self.umin <= self.umax).then_some(self)
    }

    /// Width in bits.
    pub const fn bits(&self) -> u32 {
        self.bits
    }
    /// Least signed value.
    pub const fn smin(&self) -> i64 {
        self.smin
    }
    /// Greatest signed value.
    pub const fn smax(&self) -> i64 {
        self.smax
    }
    /// Least unsigned value.
    pub const fn umin(&self) -> u64 {
        self.umin
    }
    /// Greatest unsigned value.
    pub const fn umax(&self) -> u64 {
        self.umax
    }

    /// Whether nothing is known.
    pub fn is_full(&self) -> bool {
        *self == Range::full(self.bits)
    }

    /// The value, as a signed number, if there is only one.
    pub fn as_constant(&self) -> Option<i64> {
        (self.smin == self.smax).then_some(self.smin)
    }

    /// Whether the sign bit is clear in every value.
    pub const fn is_nonnegative(&self) -> bool {
        self.smin >= 0
    }

    /// Whether every signed value is one of so many bits.
    pub fn fits_signed(&self, bits: u32) -> bool {
        let bits = bits.clamp(1, 64);
        self.smin >= signed_min(bits) && self.smax <= signed_max(bits)
    }

    /// Whether every unsigned value is one of so many bits.
    pub fn fits_unsigned(&self, bits: u32) -> bool {
        self.umax <= unsigned_max(bits.clamp(1, 64))
    }

    /// Whether the bits of a value, in its low `bits`, are among the values.
    pub fn contains(&self, value: i64) -> bool {
        let cut = 64 - self.bits;
        let signed = value << cut >> cut;
        let unsigned = (value as u64) << cut >> cut;
        (self.smin..=self.smax).contains(&signed) && (self.umin..=self.umax).contains(&unsigned)
    }

    /// The values of either; widths that differ give everything.
    pub fn join(self, other: Range) -> Range {
        if self.bits != other.bits {
            return Range::full(self.bits.max(other.bits));
        }
        let hull = Range {
            bits: self.bits,
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
            umin: self.umin.min(other.umin),
            umax: self.umax.max(other.umax),
        };
        hull.tightened().unwrap_or(hull)
    }

    /// The values in both; none if there are none.
    pub fn meet(self, other: Range) -> Option<Range> {
        if self.bits != other.bits {
            return Some(self);
        }
        let both = Range {
            bits: self.bits,
            smin: self.smin.max(other.smin),
            smax: self.smax.min(other.smax),
            umin: self.umin.max(other.umin),
            umax: self.umax.min(other.umax),
        };
        both.tightened()
    }

    /// What both say of one value.
    fn and_also(self, other: Range) -> Range {
        self.meet(other).unwrap_or(self)
    }

    fn signed_pair(self) -> (i128, i128) {
        (i128::from(self.smin), i128::from(self.smax))
    }

    fn unsigned_pair(self) -> (i128, i128) {
        (i128::from(self.umin), i128::from(self.umax))
    }

    /// The interval of the reading that a type asks for.
    fn pair(self, signed: bool) -> (i128, i128) {
        if signed {
            self.signed_pair()
        } else {
            self.unsigned_pair()
        }
    }

    /// From the results of both readings.
    fn both(bits: u32, f: impl Fn(bool) -> Option<(i128, i128)>) -> Range {
        let one = |signed| match f(signed) {
            Some((low, high)) => Range::of(bits, low, high),
            None => Range::full(bits),
        };
        one(true).and_also(one(false))
    }

    pub(super) fn add(self, other: Range) -> Range {
        Range::both(self.bits, |s| {
            let (a, b) = (self.pair(s), other.pair(s));
            Some((a.0 + b.0, a.1 + b.1))
        })
    }

    pub(super) fn sub(self, other: Range) -> Range {
        Range::both(self.bits, |s| {
            let (a, b) = (self.pair(s), other.pair(s));
            Some((a.0 - b.1, a.1 - b.0))
        })
    }

    fn product(self, other: Range, signed: bool) -> Option<(i128, i128)> {
        let (a, b) = (self.pair(signed), other.pair(signed));
        let mut hull: Option<(i128, i128)> = None;
        for x in [a.0, a.1] {
            for y in [b.0, b.1] {
                let p = x.checked_mul(y)?;
                hull = Some(hull.map_or((p, p), |(l, h)| (l.min(p), h.max(p))));
            }
        }
        hull
    }

    /// Low half of a product.
    pub(super) fn mul(self, other: Range) -> Range {
        Range::both(self.bits, |s| self.product(other, s))
    }

    /// A product at twice the width.
    pub(super) fn mul_wide(self, other: Range, signed: bool) -> Range {
        let bits = self.bits.saturating_mul(2);
        match self.product(other, signed) {
            Some((low, high)) => Range::of(bits, low, high),
            None => Range::full(bits),
        }
    }

    /// High half of a product.
    pub(super) fn mul_high(self, other: Range, signed: bool) -> Range {
        match self.product(other, signed) {
            Some((low, high)) => Range::of(self.bits, low >> self.bits, high >> self.bits),
            None => Range::full(self.bits),
        }
    }

    /// Quotient towards zero; everything where the divisor may be zero.
    pub(super) fn div(self, other: Range, signed: bool) -> Range {
        let (a, b) = (self.pair(signed), other.pair(signed));
        if b.0 <= 0 && b.1 >= 0 {
            return Range::full(self.bits);
        }
        let corners = [a.0 / b.0, a.0 / b.1, a.1 / b.0, a.1 / b.1];
        // A dividend of both signs passes zero.
        let zero = if a.0 <= 0 && a.1 >= 0 { 0 } else { corners[0] };
        let low = corners.iter().fold(zero, |l, c| l.min(*c));
        let high = corners.iter().fold(zero, |h, c| h.max(*c));
        Range::of(self.bits, low, high)
    }

    /// Remainder with the sign of the dividend; everything where the divisor
    /// may be zero.
    pub(super) fn rem(self, other: Range, signed: bool) -> Range {
        let (a, b) = (self.pair(signed), other.pair(signed));
        if b.0 <= 0 && b.1 >= 0 {
            return Range::full(self.bits);
        }
        let most = b.0.abs().max(b.1.abs()) - 1;
        let least = b.0.abs().min(b.1.abs());
        if a.0 > -least && a.1 < least {
            return self;
        }
        let low = if a.0 < 0 { a.0.max(-most) } else { 0 };
        let high = if a.1 > 0 { a.1.min(most) } else { 0 };
        Range::of(self.bits, low, high)
    }

    pub(super) fn minimum(self, other: Range, signed: bool) -> Range {
        self.extremum(other, signed, i128::min)
    }

    pub(super) fn maximum(self, other: Range, signed: bool) -> Range {
        self.extremum(other, signed, i128::max)
    }

    fn extremum(self, other: Range, signed: bool, pick: fn(i128, i128) -> i128) -> Range {
        let (a, b) = (self.pair(signed), other.pair(signed));
        let picked = Range::of(self.bits, pick(a.0, b.0), pick(a.1, b.1));
        // It is one of the two.
        picked.and_also(self.join(other))
    }

    pub(super) fn abs(self) -> Range {
        let (low, high) = self.signed_pair();
        if low >= 0 {
            return self;
        }
        let least = if high < 0 { -high } else { 0 };
        Range::of(self.bits, least, high.max(-low))
    }

    pub(super) fn not(self) -> Range {
        let (low, high) = self.signed_pair();
        Range::of(self.bits, -1 - high, -1 - low)
    }

    pub(super) fn and(self, other: Range) -> Range {
        let by_size = Range::unsigned(self.bits, 0, self.umax.min(other.umax));
        // Not above the greater, and, where both may be negative, not below what the
        // signs of the lesser reach.
        let low = sign_floor(self.smin.min(other.smin));
        by_size.and_also(Range::signed(self.bits, low, self.smax.max(other.smax)))
    }

    pub(super) fn or(self, other: Range) -> Range {
        let by_size = Range::unsigned(
            self.bits,
            self.umin.max(other.umin),
            filled(self.umax | other.umax),
        );
        let low = self.smin.min(other.smin);
        let high = if self.smax < 0 || other.smax < 0 {
            -1
        } else {
            filled((self.smax | other.smax) as u64) as i64
        };
        by_size.and_also(Range::signed(self.bits, low, high.max(low)))
    }

    pub(super) fn xor(self, other: Range) -> Range {
        let by_size = Range::unsigned(self.bits, 0, filled(self.umax | other.umax));
        let reach = |r: Range| filled(r.smax.max(!r.smin).max(0) as u64);
        let most = (reach(self) | reach(other)) as i64;
        by_size.and_also(Range::signed(self.bits, !most, most))
    }

    /// Left shift by amounts from `least` to `most`; amounts of the width or
    /// more give zero.
    pub(super) fn shl(self, least: u64, most: u64) -> Range {
        if least >= u64::from(self.bits) {
            return Range::constant(self.bits, 0);
        }
        if most >= u64::from(self.bits) {
            return Range::full(self.bits);
        }
        Range::both(self.bits, |s| {
            let (low, high) = self.pair(s);
            let (few, many) = (1i128 << least, 1i128 << most);
            let low = low.checked_mul(if low < 0 { many } else { few })?;
            let high = high.checked_mul(if high < 0 { few } else { many })?;
            Some((low, high))
        })
    }

    /// Right shift by amounts from `least` to `most`, which the width limits.
    pub(super) fn shr(self, least: u64, most: u64, signed: bool) -> Range {
        let limit = u64::from(self.bits);
        let (least, most) = (least.min(limit), most.min(limit));
        let (low, high) = self.pair(signed);
        let low = low >> if low < 0 { least } else { most };
        let high = high >> if high < 0 { most } else { least };
        Range::of(self.bits, low, high)
    }

    /// The low bits, read at a lesser width.
    pub(super) fn truncated(self, bits: u32) -> Range {
        if bits >= self.bits {
            return self;
        }
        Range::both(bits, |s| Some(self.pair(s)))
    }

    /// At a greater width, extended by the sign or by zeros.
    pub(super) fn extended(self, bits: u32, signed: bool) -> Range {
        let (low, high) = self.pair(signed);
        Range::of(bits, low, high)
    }

    /// Cut to the values of a type and then at its width.
    pub(super) fn saturated(self, signed: bool, to: Ty) -> Range {
        let all = Range::full(to.bits());
        let (low, high) = self.pair(signed);
        let (least, most) = all.pair(to.is_signed());
        Range::of(to.bits(), low.clamp(least, most), high.clamp(least, most))
    }

    /// This range with the bounds that grew since `old` moved out to the next
    /// of the thresholds, which are sorted, or to the end.
    pub(super) fn widened(self, old: Range, thresholds: &[i64]) -> Range {
        let full = Range::full(self.bits);
        let mut wide = self;
        if self.smin < old.smin {
            let at = thresholds.partition_point(|t| *t <= self.smin);
            let next = at.checked_sub(1).and_then(|i| thresholds.get(i));
            wide.smin = next.map_or(full.smin, |t| (*t).max(full.smin));
        }
        if self.smax > old.smax {
            let at = thresholds.partition_point(|t| *t < self.smax);
            wide.smax = thresholds
                .get(at)
                .map_or(full.smax, |t| (*t).min(full.smax));
        }
        if self.umin < old.umin {
            wide.umin = 0;
        }
        if self.umax > old.umax {
            let at = thresholds.partition_point(|t| *t < 0 || (*t as u64) < self.umax);
            let next = thresholds.get(at).map(|t| *t as u64);
            wide.umax = next.map_or(full.umax, |t| t.min(full.umax));
        }
        wide.tightened().unwrap_or(full)
    }
}

/// All bits below the highest one bit set.
fn filled(v: u64) -> u64 {
    match v.leading_zeros() {
        64 => 0,
        zeros => u64::MAX >> zeros,
    }
}

/// The least number with the leading ones of a negative one.
fn sign_floor(v: i64) -> i64 {
    !(filled(!v as u64) as i64)
}

#[cfg(test)]
mod tests;
