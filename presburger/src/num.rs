//! The numbers the solvers calculate with: machine integers first, big ones if those
//! overflow.
//!
//! A solver is written once over [`Num`]. With `i64` every operation that would
//! overflow stops it with [`Stop::Overflow`], and the question is asked again with
//! `i128`, then with [`Int`], which never does. So nothing in an inner loop has to ask which of two
//! representations a number has, and no answer is ever wrong from overflow.

use std::fmt::Debug;

use crate::int::Int;

/// Why a solver came to no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A number left the machine's range: ask again with wider ones.
    Overflow,
    /// The steps allowed are spent.
    Budget,
}

/// What steps a question may still take.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    pub fn new(steps: u64) -> Budget {
        Budget { left: steps }
    }

    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        match self.left.checked_sub(steps as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Stop::Budget),
        }
    }
}

/// An integer type whose operations say when they overflow.
pub(crate) trait Num: Clone + Ord + Debug {
    /// What an operation costs beside one of a machine integer.
    const COST: usize;

    fn zero() -> Self;
    fn from_i64(value: i64) -> Self;
    fn from_int(value: &Int) -> Result<Self, Stop>;
    fn to_int(&self) -> Int;
    fn signum(&self) -> i32;
    fn add(&self, other: &Self) -> Result<Self, Stop>;
    fn sub(&self, other: &Self) -> Result<Self, Stop>;
    fn mul(&self, other: &Self) -> Result<Self, Stop>;
    fn neg(&self) -> Result<Self, Stop>;
    /// The quotient rounded down; the divisor is not zero.
    fn div_floor(&self, divisor: &Self) -> Result<Self, Stop>;
    /// The quotient where the divisor, which is not zero, divides without remainder.
    fn div_exact(&self, divisor: &Self) -> Result<Self, Stop>;
    /// Never negative; 0 for two zeros.
    fn gcd(&self, other: &Self) -> Result<Self, Stop>;
    /// `self += a * b`
    fn add_product(&mut self, a: &Self, b: &Self) -> Result<(), Stop>;
    /// `self = self * a + b * c`
    fn scale_add(&mut self, a: &Self, b: &Self, c: &Self) -> Result<(), Stop>;
    /// 64 bits of it for hashing, odd: those of `-self` are the negated ones.
    fn digest(&self) -> u64;

    #[inline]
    fn is_zero(&self) -> bool {
        self.signum() == 0
    }

    #[inline]
    fn is_one(&self) -> bool {
        *self == Self::from_i64(1)
    }

    #[inline]
    fn abs(&self) -> Result<Self, Stop> {
        if self.signum() < 0 {
            self.neg()
        } else {
            Ok(self.clone())
        }
    }

    /// The quotient rounded up; the divisor is not zero.
    #[inline]
    fn div_ceil(&self, divisor: &Self) -> Result<Self, Stop> {
        self.neg()?.div_floor(divisor)?.neg()
    }

    /// What remains of [`Num::div_floor`].
    #[inline]
    fn mod_floor(&self, divisor: &Self) -> Result<Self, Stop> {
        self.sub(&self.div_floor(divisor)?.mul(divisor)?)
    }

    /// `|self| == 1`
    #[inline]
    fn is_unit(&self) -> bool {
        *self == Self::from_i64(1) || *self == Self::from_i64(-1)
    }
}

macro_rules! machine_num {
    ($type:ty, $cost:expr) => {
        impl Num for $type {
            const COST: usize = $cost;

            #[inline]
            fn zero() -> $type {
                0
            }

            #[inline]
            fn from_i64(value: i64) -> $type {
                value.into()
            }

            #[inline]
            fn from_int(value: &Int) -> Result<$type, Stop> {
                let value = value.to_i64().ok_or(Stop::Overflow)?;
                Ok(value.into())
            }

            #[inline]
            fn to_int(&self) -> Int {
                Int::from(*self)
            }

            #[inline]
            fn signum(&self) -> i32 {
                <$type>::signum(*self) as i32
            }

            #[inline]
            fn add(&self, other: &$type) -> Result<$type, Stop> {
                self.checked_add(*other).ok_or(Stop::Overflow)
            }

            #[inline]
            fn sub(&self, other: &$type) -> Result<$type, Stop> {
                self.checked_sub(*other).ok_or(Stop::Overflow)
            }

            #[inline]
            fn mul(&self, other: &$type) -> Result<$type, Stop> {
                self.checked_mul(*other).ok_or(Stop::Overflow)
            }

            #[inline]
            fn neg(&self) -> Result<$type, Stop> {
                self.checked_neg().ok_or(Stop::Overflow)
            }

            #[inline]
            fn div_floor(&self, divisor: &$type) -> Result<$type, Stop> {
                let quotient: $type = self.checked_div(*divisor).ok_or(Stop::Overflow)?;
                let inexact = quotient.wrapping_mul(*divisor) != *self;
                Ok(quotient - <$type>::from(inexact && (*self < 0) != (*divisor < 0)))
            }

            #[inline]
            fn div_exact(&self, divisor: &$type) -> Result<$type, Stop> {
                self.checked_div(*divisor).ok_or(Stop::Overflow)
            }

            #[inline]
            fn gcd(&self, other: &$type) -> Result<$type, Stop> {
                let (mut a, mut b) = (self.unsigned_abs(), other.unsigned_abs());
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                <$type>::try_from(a).map_err(|_| Stop::Overflow)
            }

            #[inline]
            fn add_product(&mut self, a: &$type, b: &$type) -> Result<(), Stop> {
                let product = a.checked_mul(*b).ok_or(Stop::Overflow)?;
                *self = self.checked_add(product).ok_or(Stop::Overflow)?;
                Ok(())
            }

            #[inline]
            fn scale_add(&mut self, a: &$type, b: &$type, c: &$type) -> Result<(), Stop> {
                let left = self.checked_mul(*a).ok_or(Stop::Overflow)?;
                let right = b.checked_mul(*c).ok_or(Stop::Overflow)?;
                *self = left.checked_add(right).ok_or(Stop::Overflow)?;
                Ok(())
            }

            #[inline]
            fn digest(&self) -> u64 {
                *self as u64
            }
        }
    };
}

machine_num!(i64, 1);
machine_num!(i128, 4);

impl Num for Int {
    const COST: usize = 32;

    fn zero() -> Int {
        Int::ZERO
    }

    fn from_i64(value: i64) -> Int {
        Int::new(value)
    }

    fn from_int(value: &Int) -> Result<Int, Stop> {
        Ok(value.clone())
    }

    fn to_int(&self) -> Int {
        self.clone()
    }

    fn signum(&self) -> i32 {
        Int::signum(self)
    }

    fn add(&self, other: &Int) -> Result<Int, Stop> {
        Ok(self + other)
    }

    fn sub(&self, other: &Int) -> Result<Int, Stop> {
        Ok(self - other)
    }

    fn mul(&self, other: &Int) -> Result<Int, Stop> {
        Ok(self * other)
    }

    fn neg(&self) -> Result<Int, Stop> {
        Ok(-self)
    }

    fn div_floor(&self, divisor: &Int) -> Result<Int, Stop> {
        Ok(Int::div_floor(self, divisor))
    }

    fn div_exact(&self, divisor: &Int) -> Result<Int, Stop> {
        Ok(Int::div_floor(self, divisor))
    }

    fn gcd(&self, other: &Int) -> Result<Int, Stop> {
        Ok(Int::gcd(self, other))
    }

    fn add_product(&mut self, a: &Int, b: &Int) -> Result<(), Stop> {
        Int::add_product(self, a, b);
        Ok(())
    }

    fn scale_add(&mut self, a: &Int, b: &Int, c: &Int) -> Result<(), Stop> {
        let mut value = &*self * a;
        value.add_product(b, c);
        *self = value;
        Ok(())
    }

    fn digest(&self) -> u64 {
        // All big numbers look alike, which costs a comparison and nothing else.
        self.to_i64().unwrap_or(0) as u64
    }
}
