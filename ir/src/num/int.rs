//! Two's complement integers of any bit width.

mod arith;
mod divide;
pub(in crate::num) mod limbs;
mod text;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;

pub use text::ParseIntError;

use limbs::{LIMB_BITS, limbs_for, top_mask};

/// A bit pattern of a fixed width, read as signed or unsigned by the operation.
///
/// Up to 64 bits the value is stored inline; wider values own a boxed slice of
/// 64-bit limbs, least significant first. Bits above the width are always zero,
/// so that equality and hashing can be derived.
///
/// Operations on two values expect equal widths. The operand on the right is
/// brought to the width of the one on the left (truncated, or extended by
/// zeros) where a caller does not keep to that.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int {
    width: u32,
    repr: Repr,
}

/// `Small` if and only if the width is at most 64.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(u64),
    Big(Box<[u64]>),
}

impl Int {
    /// The widest integer type MLIR accepts.
    pub const MAX_WIDTH: u32 = (1 << 24) - 1;

    /// The low `width` bits of `v`; wider than 64, extended by zeros.
    pub fn from_u64(width: u32, v: u64) -> Int {
        if width <= LIMB_BITS {
            return Int::small(width, v);
        }
        let mut limbs = vec![0; limbs_for(width)];
        limbs[0] = v;
        Int::big(width, limbs)
    }

    /// The low `width` bits of `v`; wider than 64, extended by its sign.
    pub fn from_i64(width: u32, v: i64) -> Int {
        if width <= LIMB_BITS {
            return Int::small(width, v as u64);
        }
        Int::from_i128(width, i128::from(v))
    }

    /// The low `width` bits of `v`; wider than 128, extended by its sign.
    pub(crate) fn from_i128(width: u32, v: i128) -> Int {
        if width <= LIMB_BITS {
            return Int::small(width, v as u64);
        }
        let fill = if v < 0 { u64::MAX } else { 0 };
        let mut limbs = vec![fill; limbs_for(width)];
        limbs[0] = v as u64;
        limbs[1] = (v >> 64) as u64;
        Int::big(width, limbs)
    }

    /// The low `width` bits of `v`; wider than 128, extended by zeros.
    pub fn from_u128(width: u32, v: u128) -> Int {
        Int::from_limbs(width, &[v as u64, (v >> 64) as u64])
    }

    /// One bit: 1 for true.
    pub fn from_bool(v: bool) -> Int {
        Int::small(1, u64::from(v))
    }

    /// From limbs, least significant first; missing limbs are zero and bits
    /// beyond the width are dropped.
    pub(crate) fn from_limbs(width: u32, limbs: &[u64]) -> Int {
        if width <= LIMB_BITS {
            return Int::small(width, limbs.first().copied().unwrap_or(0));
        }
        let mut own = vec![0; limbs_for(width)];
        let n = own.len().min(limbs.len());
        own[..n].copy_from_slice(&limbs[..n]);
        Int::big(width, own)
    }

    /// From little-endian bytes; missing bytes are zero and bits beyond the
    /// width are dropped.
    pub fn from_le_bytes(width: u32, bytes: &[u8]) -> Int {
        let n = bytes.len().min(limbs_for(width) * 8);
        let limbs: Vec<u64> = bytes[..n]
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        Int::from_limbs(width, &limbs)
    }

    /// The value as `ceil(width / 8)` little-endian bytes; unused bits are zero.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        let n = self.width.div_ceil(8) as usize;
        let mut bytes: Vec<u8> = self.limbs().iter().flat_map(|l| l.to_le_bytes()).collect();
        bytes.truncate(n);
        bytes
    }

    /// Zero of that width.
    pub fn zero(width: u32) -> Int {
        Int::from_u64(width, 0)
    }

    /// One of that width (zero for width 0).
    pub fn one(width: u32) -> Int {
        Int::from_u64(width, 1)
    }

    /// Every bit set: -1 as signed, the largest value as unsigned.
    pub fn all_ones(width: u32) -> Int {
        if width <= LIMB_BITS {
            return Int::small(width, u64::MAX);
        }
        Int::big(width, vec![u64::MAX; limbs_for(width)])
    }

    /// The largest unsigned value.
    pub fn unsigned_max(width: u32) -> Int {
        Int::all_ones(width)
    }

    /// The smallest signed value: only the sign bit set.
    pub fn signed_min(width: u32) -> Int {
        let mut v = Int::zero(width);
        if width > 0 {
            v.set_bit(width - 1, true);
        }
        v
    }

    /// The largest signed value: all bits but the sign bit set.
    pub fn signed_max(width: u32) -> Int {
        let mut v = Int::all_ones(width);
        if width > 0 {
            v.set_bit(width - 1, false);
        }
        v
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits in limbs of 64, least significant first; at least one limb.
    pub fn limbs(&self) -> &[u64] {
        match &self.repr {
            Repr::Small(v) => std::slice::from_ref(v),
            Repr::Big(limbs) => limbs,
        }
    }

    /// Bit `i`, counted from the least significant; false beyond the width.
    pub fn bit(&self, i: u32) -> bool {
        let limb = self.limbs().get((i / LIMB_BITS) as usize);
        limb.is_some_and(|l| (l >> (i % LIMB_BITS)) & 1 == 1)
    }

    /// Sets bit `i`; a bit beyond the width is left alone.
    pub(crate) fn set_bit(&mut self, i: u32, on: bool) {
        if i >= self.width {
            return;
        }
        let mask = 1 << (i % LIMB_BITS);
        let limb = &mut self.limbs_mut()[(i / LIMB_BITS) as usize];
        if on { *limb |= mask } else { *limb &= !mask }
    }

    /// Whether every bit is clear.
    pub fn is_zero(&self) -> bool {
        self.limbs().iter().all(|&l| l == 0)
    }

    /// Whether the value is 1 as unsigned.
    pub fn is_one(&self) -> bool {
        let limbs = self.limbs();
        limbs[0] == 1 && limbs[1..].iter().all(|&l| l == 0)
    }

    /// Whether every bit is set. True for width 0, which has none.
    pub fn is_all_ones(&self) -> bool {
        self.count_ones() == self.width
    }

    /// The sign bit; false for width 0.
    pub fn is_negative(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// Whether this is the smallest signed value of its width.
    pub fn is_signed_min(&self) -> bool {
        self.is_negative() && self.count_ones() == 1
    }

    /// The value as signed, where 64 bits hold it.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.repr {
            Repr::Small(v) => Some(sign_extend(*v, self.width)),
            Repr::Big(_) => i64::try_from(self.to_i128()?).ok(),
        }
    }

    /// The value as unsigned, where 64 bits hold it.
    pub fn to_u64(&self) -> Option<u64> {
        let limbs = self.limbs();
        limbs[1..].iter().all(|&l| l == 0).then_some(limbs[0])
    }

    /// The value as signed, where 128 bits hold it.
    pub(crate) fn to_i128(&self) -> Option<i128> {
        let limbs = match &self.repr {
            Repr::Small(v) => return Some(i128::from(sign_extend(*v, self.width))),
            Repr::Big(limbs) => limbs,
        };
        let negative = self.is_negative();
        let wide = self.sext(self.width.max(128));
        let low = u128::from(wide.limbs()[0]) | u128::from(wide.limbs()[1]) << 64;
        let v = low as i128;
        let used = if negative {
            self.width - self.leading_ones()
        } else {
            self.width - self.leading_zeros()
        };
        (limbs.len() <= 2 || (used <= 127 && (v < 0) == negative)).then_some(v)
    }

    /// The value as unsigned, where 128 bits hold it.
    pub fn to_u128(&self) -> Option<u128> {
        let limbs = self.limbs();
        let high = limbs.get(1).copied().unwrap_or(0);
        let rest = limbs.get(2..).unwrap_or(&[]);
        let low = u128::from(limbs[0]) | u128::from(high) << 64;
        rest.iter().all(|&l| l == 0).then_some(low)
    }

    /// The number of set bits.
    pub fn count_ones(&self) -> u32 {
        self.limbs().iter().map(|l| l.count_ones()).sum()
    }

    /// The number of clear bits above the highest set one; the width for zero.
    pub fn leading_zeros(&self) -> u32 {
        self.width - self.active_bits()
    }

    /// The number of set bits above the highest clear one.
    pub(crate) fn leading_ones(&self) -> u32 {
        self.not().leading_zeros()
    }

    /// The number of clear bits below the lowest set one; the width for zero.
    pub fn trailing_zeros(&self) -> u32 {
        let mut count = 0;
        for l in self.limbs() {
            if *l != 0 {
                return count + l.trailing_zeros();
            }
            count += LIMB_BITS;
        }
        self.width
    }

    /// The bits needed to write the value as unsigned; 0 for zero.
    pub fn active_bits(&self) -> u32 {
        limbs::bit_len(self.limbs())
    }

    /// Compares as signed values.
    pub fn cmp_s(&self, rhs: &Int) -> Ordering {
        match (self.is_negative(), rhs.is_negative()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ if self.width == rhs.width => self.cmp_u(rhs),
            _ => {
                let width = self.width.max(rhs.width);
                self.sext(width).cmp_u(&rhs.sext(width))
            }
        }
    }

    /// Compares as unsigned values.
    pub fn cmp_u(&self, rhs: &Int) -> Ordering {
        limbs::cmp(self.limbs(), rhs.limbs())
    }

    /// The lesser as signed.
    pub fn min_s(&self, rhs: &Int) -> Int {
        if self.cmp_s(rhs).is_le() { self } else { rhs }.clone()
    }

    /// The greater as signed.
    pub fn max_s(&self, rhs: &Int) -> Int {
        if self.cmp_s(rhs).is_ge() { self } else { rhs }.clone()
    }

    /// The lesser as unsigned.
    pub fn min_u(&self, rhs: &Int) -> Int {
        if self.cmp_u(rhs).is_le() { self } else { rhs }.clone()
    }

    /// The greater as unsigned.
    pub fn max_u(&self, rhs: &Int) -> Int {
        if self.cmp_u(rhs).is_ge() { self } else { rhs }.clone()
    }

    /// The low `width` bits; extended by zeros where that is wider.
    pub fn trunc(&self, width: u32) -> Int {
        Int::from_limbs(width, self.limbs())
    }

    /// Extended by zeros to `width` bits; truncated where that is narrower.
    pub fn zext(&self, width: u32) -> Int {
        Int::from_limbs(width, self.limbs())
    }

    /// Extended by the sign to `width` bits; truncated where that is narrower.
    pub fn sext(&self, width: u32) -> Int {
        if !self.is_negative() || width <= self.width {
            return self.zext(width);
        }
        let mut limbs = vec![u64::MAX; limbs_for(width)];
        let own = self.limbs();
        limbs[..own.len()].copy_from_slice(own);
        limbs[own.len() - 1] |= !top_mask(self.width);
        Int::from_limbs(width, &limbs)
    }

    fn small(width: u32, v: u64) -> Int {
        let repr = Repr::Small(v & top_mask(width));
        Int { width, repr }
    }

    /// Of exactly the limbs the width needs, which must be more than 64 bits.
    fn big(width: u32, mut limbs: Vec<u64>) -> Int {
        if let Some(top) = limbs.last_mut() {
            *top &= top_mask(width);
        }
        let repr = Repr::Big(limbs.into_boxed_slice());
        Int { width, repr }
    }

    fn limbs_mut(&mut self) -> &mut [u64] {
        match &mut self.repr {
            Repr::Small(v) => std::slice::from_mut(v),
            Repr::Big(limbs) => limbs,
        }
    }

    fn clear_unused(&mut self) {
        let mask = top_mask(self.width);
        if let Some(top) = self.limbs_mut().last_mut() {
            *top &= mask;
        }
    }
}

/// Reads the low `width` bits of `v`, at most 64, as a signed value.
fn sign_extend(v: u64, width: u32) -> i64 {
    match width {
        0 => 0,
        w => ((v << (64 - w)) as i64) >> (64 - w),
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} : i{}", self.to_string_signed(), self.width)
    }
}
