//! Wrapping arithmetic, bit operations, shifts and widening products.

use super::{Int, LIMB_BITS, Repr, limbs};
use std::borrow::Cow;

impl Int {
    /// The sum, modulo two to the width.
    pub fn add(&self, rhs: &Int) -> Int {
        self.add_carry(rhs).0
    }

    /// The sum and the carry out of the top bit: `arith.addui_extended`.
    pub fn add_carry(&self, rhs: &Int) -> (Int, bool) {
        let rhs = self.same_width(rhs);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &rhs.repr) {
            let (sum, carry) = a.overflowing_add(*b);
            let out = Int::small(self.width, sum);
            let over = carry || out.limbs()[0] != sum;
            return (out, over);
        }
        let mut out = self.clone();
        let carry = limbs::add(out.limbs_mut(), rhs.limbs());
        let beyond = limbs::bit_len(out.limbs()) > self.width;
        out.clear_unused();
        (out, carry || beyond)
    }

    /// The difference, modulo two to the width.
    pub fn sub(&self, rhs: &Int) -> Int {
        let rhs = self.same_width(rhs);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &rhs.repr) {
            return Int::small(self.width, a.wrapping_sub(*b));
        }
        let mut out = self.clone();
        limbs::sub(out.limbs_mut(), rhs.limbs());
        out.clear_unused();
        out
    }

    /// The product, modulo two to the width.
    pub fn mul(&self, rhs: &Int) -> Int {
        let rhs = self.same_width(rhs);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &rhs.repr) {
            return Int::small(self.width, a.wrapping_mul(*b));
        }
        let mut out = Int::zero(self.width);
        limbs::mul(out.limbs_mut(), self.limbs(), rhs.limbs());
        out.clear_unused();
        out
    }

    /// Low and high half of the product of the unsigned values:
    /// `arith.mului_extended`.
    pub fn mul_extended_u(&self, rhs: &Int) -> (Int, Int) {
        let wide = self.width * 2;
        let rhs = self.same_width(rhs);
        self.halves(&self.zext(wide).mul(&rhs.zext(wide)))
    }

    /// Low and high half of the product of the signed values:
    /// `arith.mulsi_extended`.
    pub fn mul_extended_s(&self, rhs: &Int) -> (Int, Int) {
        let wide = self.width * 2;
        let rhs = self.same_width(rhs);
        self.halves(&self.sext(wide).mul(&rhs.sext(wide)))
    }

    fn halves(&self, product: &Int) -> (Int, Int) {
        let high = product.lshr_bits(self.width);
        let high = high.unwrap_or_else(|| Int::zero(self.width));
        (product.trunc(self.width), high.trunc(self.width))
    }

    /// The negation, modulo two to the width; the smallest signed value is its
    /// own.
    pub fn neg(&self) -> Int {
        if let Repr::Small(a) = self.repr {
            return Int::small(self.width, a.wrapping_neg());
        }
        let mut out = self.not();
        limbs::add(out.limbs_mut(), &[1]);
        out.clear_unused();
        out
    }

    /// The distance from zero of the signed value, to be read as unsigned.
    pub fn magnitude_s(&self) -> Int {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// Every bit inverted.
    pub fn not(&self) -> Int {
        let mut out = self.clone();
        out.limbs_mut().iter_mut().for_each(|l| *l = !*l);
        out.clear_unused();
        out
    }

    /// Bitwise and.
    pub fn and(&self, rhs: &Int) -> Int {
        self.bitwise(rhs, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(&self, rhs: &Int) -> Int {
        self.bitwise(rhs, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, rhs: &Int) -> Int {
        self.bitwise(rhs, |a, b| a ^ b)
    }

    fn bitwise(&self, rhs: &Int, op: impl Fn(u64, u64) -> u64) -> Int {
        let rhs = self.same_width(rhs);
        let mut out = self.clone();
        for (a, b) in out.limbs_mut().iter_mut().zip(rhs.limbs()) {
            *a = op(*a, *b);
        }
        out
    }

    /// Shifted left by the unsigned value of `amount`; `None` for an amount of
    /// the width or more.
    pub fn shl(&self, amount: &Int) -> Option<Int> {
        self.shl_bits(self.shift_amount(amount)?)
    }

    /// Shifted right by the unsigned value of `amount`, zeros shifted in;
    /// `None` for an amount of the width or more.
    pub fn lshr(&self, amount: &Int) -> Option<Int> {
        self.lshr_bits(self.shift_amount(amount)?)
    }

    /// Shifted right by the unsigned value of `amount`, the sign shifted in;
    /// `None` for an amount of the width or more.
    pub fn ashr(&self, amount: &Int) -> Option<Int> {
        self.ashr_bits(self.shift_amount(amount)?)
    }

    /// As [`Int::shl`], by a plain number.
    pub(crate) fn shl_bits(&self, amount: u32) -> Option<Int> {
        if amount >= self.width {
            return None;
        }
        let mut out = Int::zero(self.width);
        limbs::shl(out.limbs_mut(), self.limbs(), amount);
        out.clear_unused();
        Some(out)
    }

    /// As [`Int::lshr`], by a plain number.
    pub(crate) fn lshr_bits(&self, amount: u32) -> Option<Int> {
        if amount >= self.width {
            return None;
        }
        let mut out = Int::zero(self.width);
        limbs::shr(out.limbs_mut(), self.limbs(), amount);
        Some(out)
    }

    /// As [`Int::ashr`], by a plain number.
    pub(crate) fn ashr_bits(&self, amount: u32) -> Option<Int> {
        // Inverting turns the ones that a negative value shifts in into zeros.
        if self.is_negative() {
            return Some(self.not().lshr_bits(amount)?.not());
        }
        self.lshr_bits(amount)
    }

    fn shift_amount(&self, amount: &Int) -> Option<u32> {
        let amount = u32::try_from(amount.to_u64()?).ok()?;
        (amount < self.width).then_some(amount)
    }

    /// `rhs` at the width of `self`, copied only where the widths differ.
    pub(super) fn same_width<'a>(&self, rhs: &'a Int) -> Cow<'a, Int> {
        if self.width == rhs.width {
            Cow::Borrowed(rhs)
        } else {
            Cow::Owned(rhs.zext(self.width))
        }
    }

    /// Whether a bit below `i` is set.
    pub(in crate::num) fn any_bit_below(&self, i: u32) -> bool {
        let (limb, bits) = ((i / LIMB_BITS) as usize, i % LIMB_BITS);
        let limbs = self.limbs();
        let whole = limbs.iter().take(limb).any(|&l| l != 0);
        whole || limbs.get(limb).is_some_and(|l| l & ((1 << bits) - 1) != 0)
    }
}
