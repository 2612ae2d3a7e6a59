//! Integers that cannot overflow: 64 bits, and more when those do not suffice.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// An integer of any size.
///
/// Nearly all that is met in loop programs fits in 64 bits, which is the fast path:
/// no allocation, one checked machine operation. What does not fit goes to a big
/// integer, and comes back when it fits again, so that equal integers are
/// represented equally.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Never a value that fits in 64 bits.
    Big(Box<BigInt>),
}

use Repr::{Big, Small};

impl Int {
    pub const ZERO: Int = Int(Small(0));
    pub const ONE: Int = Int(Small(1));
    pub const MINUS_ONE: Int = Int(Small(-1));

    #[inline]
    pub const fn new(value: i64) -> Int {
        Int(Small(value))
    }

    /// The value, where it fits in 64 bits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Small(v) => Some(*v),
            Big(_) => None,
        }
    }

    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(v) => v.signum() as i32,
            Big(v) if v.is_negative() => -1,
            Big(_) => 1,
        }
    }

    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    pub fn abs(&self) -> Int {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// The quotient rounded towards minus infinity.
    ///
    /// # Panics
    ///
    /// If the divisor is zero, as integer division does.
    #[inline]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0)
            && *b != -1
        {
            return Int(Small(Integer::div_floor(a, b)));
        }
        Int::from(self.to_big().div_floor(&divisor.to_big()))
    }

    /// The quotient rounded towards plus infinity.
    ///
    /// # Panics
    ///
    /// If the divisor is zero.
    #[inline]
    pub fn div_ceil(&self, divisor: &Int) -> Int {
        -&(-self).div_floor(divisor)
    }

    /// What remains of [`Int::div_floor`]: it has the sign of the divisor.
    ///
    /// # Panics
    ///
    /// If the divisor is zero.
    #[inline]
    pub fn mod_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0) {
            return Int(Small(if *b == -1 {
                0
            } else {
                Integer::mod_floor(a, b)
            }));
        }
        Int::from(self.to_big().mod_floor(&divisor.to_big()))
    }

    #[inline]
    pub fn is_multiple_of(&self, divisor: &Int) -> bool {
        if divisor.is_zero() {
            self.is_zero()
        } else {
            self.mod_floor(divisor).is_zero()
        }
    }

    /// The greatest common divisor, never negative; of 0 and 0 it is 0.
    #[inline]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            if let Ok(v) = i64::try_from(a) {
                return Int(Small(v));
            }
        }
        Int::from(self.to_big().gcd(&other.to_big()))
    }

    /// The least common multiple, never negative.
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        (&self.div_floor(&self.gcd(other)) * other).abs()
    }

    /// `self += a * b`, the step that all elimination consists of.
    #[inline]
    pub fn add_product(&mut self, a: &Int, b: &Int) {
        if let (Small(s), Small(a), Small(b)) = (&mut self.0, &a.0, &b.0)
            && let Some(p) = a.checked_mul(*b)
            && let Some(sum) = s.checked_add(p)
        {
            *s = sum;
            return;
        }
        *self = &*self + &(a * b);
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Small(v) => BigInt::from(*v),
            Big(v) => (**v).clone(),
        }
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl From<i64> for Int {
    #[inline]
    fn from(value: i64) -> Int {
        Int(Small(value))
    }
}

impl From<i128> for Int {
    fn from(value: i128) -> Int {
        match i64::try_from(value) {
            Ok(v) => Int(Small(v)),
            Err(_) => Int(Big(Box::new(BigInt::from(value)))),
        }
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        match value.to_i64() {
            Some(v) => Int(Small(v)),
            None => Int(Big(Box::new(value))),
        }
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // A big value lies outside the 64 bits on the side of its sign.
            (Big(a), Small(_)) => a.as_ref().cmp(&BigInt::zero()),
            (Small(_), Big(b)) => BigInt::zero().cmp(b.as_ref()),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, $checked:ident, $op:tt) => {
        impl $trait<&Int> for &Int {
            type Output = Int;

            #[inline]
            fn $method(self, other: &Int) -> Int {
                if let (Small(a), Small(b)) = (&self.0, &other.0)
                    && let Some(v) = a.$checked(*b)
                {
                    return Int(Small(v));
                }
                Int::from(self.to_big() $op other.to_big())
            }
        }

        impl $trait<Int> for Int {
            type Output = Int;

            #[inline]
            fn $method(self, other: Int) -> Int {
                &self $op &other
            }
        }

        impl $trait<&Int> for Int {
            type Output = Int;

            #[inline]
            fn $method(self, other: &Int) -> Int {
                &self $op other
            }
        }
    };
}

binary!(Add, add, checked_add, +);
binary!(Sub, sub, checked_sub, -);
binary!(Mul, mul, checked_mul, *);

impl AddAssign<&Int> for Int {
    #[inline]
    fn add_assign(&mut self, other: &Int) {
        *self = &*self + other;
    }
}

impl SubAssign<&Int> for Int {
    #[inline]
    fn sub_assign(&mut self, other: &Int) {
        *self = &*self - other;
    }
}

impl Neg for &Int {
    type Output = Int;

    #[inline]
    fn neg(self) -> Int {
        if let Small(v) = self.0
            && let Some(v) = v.checked_neg()
        {
            return Int(Small(v));
        }
        Int::from(-self.to_big())
    }
}

impl Neg for Int {
    type Output = Int;

    #[inline]
    fn neg(self) -> Int {
        -&self
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(v) => v.fmt(f),
            Big(v) => v.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
