//! Division in the five roundings the arithmetic dialect knows.
//!
//! All of them answer `None` for a zero divisor, and the signed ones also where
//! the quotient does not fit: the smallest value by -1.

use super::{Int, Repr, limbs};

impl Int {
    /// Unsigned quotient, rounded towards zero, and remainder.
    pub(crate) fn udiv_rem(&self, rhs: &Int) -> Option<(Int, Int)> {
        let rhs = self.same_width(rhs);
        if rhs.is_zero() {
            return None;
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &rhs.repr) {
            let w = self.width;
            return Some((Int::small(w, a / b), Int::small(w, a % b)));
        }
        let (q, r) = limbs::div_rem(self.limbs(), rhs.limbs());
        Some((
            Int::from_limbs(self.width, &q),
            Int::from_limbs(self.width, &r),
        ))
    }

    /// Unsigned quotient, rounded towards zero.
    pub fn udiv(&self, rhs: &Int) -> Option<Int> {
        Some(self.udiv_rem(rhs)?.0)
    }

    /// Unsigned remainder.
    pub fn urem(&self, rhs: &Int) -> Option<Int> {
        Some(self.udiv_rem(rhs)?.1)
    }

    /// Unsigned quotient, rounded up.
    pub fn ceildiv_u(&self, rhs: &Int) -> Option<Int> {
        let (q, r) = self.udiv_rem(rhs)?;
        // A nonzero remainder means a divisor above 1, so adding 1 cannot wrap.
        Some(if r.is_zero() {
            q
        } else {
            q.add(&Int::one(self.width))
        })
    }

    /// Signed quotient, rounded towards zero.
    pub fn sdiv(&self, rhs: &Int) -> Option<Int> {
        Some(self.sdiv_rem(rhs)?.0)
    }

    /// Signed remainder, with the sign of the dividend. The smallest value by
    /// -1 leaves 0, although its quotient does not fit.
    pub fn srem(&self, rhs: &Int) -> Option<Int> {
        let rhs = self.same_width(rhs);
        let r = self.magnitude_s().urem(&rhs.magnitude_s())?;
        Some(if self.is_negative() { r.neg() } else { r })
    }

    /// Signed quotient, rounded down.
    pub fn floordiv_s(&self, rhs: &Int) -> Option<Int> {
        let (q, r, same_sign) = self.sdiv_rem(rhs)?;
        let down = !r.is_zero() && !same_sign;
        Some(if down {
            q.sub(&Int::one(self.width))
        } else {
            q
        })
    }

    /// Signed quotient, rounded up.
    pub fn ceildiv_s(&self, rhs: &Int) -> Option<Int> {
        let (q, r, same_sign) = self.sdiv_rem(rhs)?;
        let up = !r.is_zero() && same_sign;
        Some(if up { q.add(&Int::one(self.width)) } else { q })
    }

    /// Quotient towards zero, remainder, and whether both operands have the
    /// same sign.
    fn sdiv_rem(&self, rhs: &Int) -> Option<(Int, Int, bool)> {
        let rhs = self.same_width(rhs);
        let (q, r) = self.magnitude_s().udiv_rem(&rhs.magnitude_s())?;
        let same_sign = self.is_negative() == rhs.is_negative();
        // Of equal signs a quotient with the sign bit set is one that is too
        // large by one.
        if same_sign && q.is_negative() {
            return None;
        }
        let q = if same_sign { q } else { q.neg() };
        let r = if self.is_negative() { r.neg() } else { r };
        Some((q, r, same_sign))
    }
}
