//! Factors that division by a constant is a product with.
//!
//! After T. Granlund and P. L. Montgomery, "Division by invariant integers using
//! multiplication", 1994: `n / d` is the upper half of `n * factor`, shifted right, where
//! `factor` exceeds `2^(32 + shift) / d` by so little that no `n` of 32 bits tells.

/// `n / d` is `(n * factor) >> (32 + shift)` for dividends of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reciprocal {
    /// What the dividend is multiplied with.
    pub factor: u32,
    /// How far the upper half of the product is shifted right; less than 32.
    pub shift: u32,
}

impl Reciprocal {
    /// For dividends from 0 to 2^31. That of a negative `n` is one too small, as the product is
    /// rounded down. `None` for divisors below 2.
    pub fn signed(d: u32) -> Option<Reciprocal> {
        Self::least(d, 31)
    }

    /// For all unsigned dividends; `None` where the factor would have 33 bits, and for divisors
    /// below 2.
    pub fn unsigned(d: u32) -> Option<Reciprocal> {
        Self::least(d, 32)
    }

    /// The one with the least shift for dividends of up to `2^bits`.
    fn least(d: u32, bits: u32) -> Option<Reciprocal> {
        if d < 2 {
            return None;
        }
        (0..32).find_map(|shift| {
            let power = 1u128 << (32 + shift);
            let factor = power / u128::from(d) + 1;
            // What the factor is too large by, times the divisor.
            let excess = factor * u128::from(d) - power;
            let fits = excess << bits <= power;
            let factor = u32::try_from(factor).ok().filter(|_| fits)?;
            Some(Reciprocal { factor, shift })
        })
    }
}

/// The factor `m` and the shift `s` with `n / d = n * m >> s` for all `n` from 0 to `most`, where the
/// product has room in `width` bits; `None` where there are none. A product without the highest bit
/// comes first: it is no negative number to anybody.
///
/// `m` is `2^s / d` rounded up, and exact where `most * (m * d - 2^s) < 2^s`.
pub fn short_reciprocal(most: u128, d: u128, width: u32) -> Option<(u128, u32)> {
    [width - 1, width].into_iter().find_map(|room| {
        (0..width).find_map(|s| {
            let power = 1u128 << s;
            let m = power.div_ceil(d);
            let exact = most.checked_mul(m * d - power)? < power;
            let fits = most.checked_mul(m)?.checked_shr(room).unwrap_or(0) == 0;
            (exact && fits).then_some((m, s))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Reciprocal, short_reciprocal};

    #[test]
    fn short_ones_divide_all_numbers_up_to_the_greatest() {
        for most in [1u128, 7, 100, 255, 510, 2295, 65025, 65535, 100_000] {
            for d in [1u128, 2, 3, 5, 7, 9, 10, 25, 100, 169, 255, 256, 1000] {
                let Some((m, s)) = short_reciprocal(most, d, 32) else {
                    continue;
                };
                for n in 0..=most {
                    assert_eq!(u128::from(n as u32 * m as u32) >> s, n / d, "{n} / {d}");
                }
            }
        }
        assert!(short_reciprocal(2295, 9, 32).is_some());
        let (half, d) = (u128::from(u64::MAX >> 9), 5u128.pow(9));
        let (m, s) = short_reciprocal(half, d, 128).unwrap();
        for n in [0, 1, d - 1, d, half - half % d - 1, half - half % d, half] {
            assert_eq!((n * m) >> s, n / d, "{n}");
        }
        assert!(short_reciprocal(65025, 255, 32).is_some());
        assert!(short_reciprocal(u128::from(u32::MAX), 7, 32).is_none());
    }

    fn dividends(d: u32) -> Vec<u32> {
        let near =
            |n: u64| (0..5u64).filter_map(move |k| u32::try_from((n + k).checked_sub(2)?).ok());
        let multiples = [
            1u64,
            2,
            1000,
            u64::from(u32::MAX / d),
            u64::from(i32::MAX as u32 / d),
        ];
        let edges = [2, 1 << 31, 1 << 32];
        let all = multiples.into_iter().map(|k| k * u64::from(d)).chain(edges);
        all.flat_map(near).collect()
    }

    #[test]
    fn products_are_quotients() {
        let odd = [
            641,
            65_537,
            1_000_000_007,
            u32::MAX,
            1 << 31,
            i32::MAX as u32,
        ];
        for d in (2..1000).chain(odd) {
            if let Some(r) = Reciprocal::unsigned(d) {
                for n in dividends(d) {
                    let q = (u64::from(n) * u64::from(r.factor)) >> 32 >> r.shift;
                    assert_eq!(q, u64::from(n / d), "{n} / {d}");
                }
            }
            let r = Reciprocal::signed(d).expect("all have one");
            for n in dividends(d).into_iter().map(|n| n as i32) {
                let q = (i128::from(n) * i128::from(r.factor)) >> 32 >> r.shift;
                let q = q + i128::from(n < 0);
                assert_eq!(q, i128::from(n) / i128::from(d), "{n} / {d}");
            }
        }
    }

    #[test]
    fn what_has_none() {
        assert_eq!(Reciprocal::signed(0), None);
        assert_eq!(Reciprocal::signed(1), None);
        // 2^32 / 7 needs 33 bits.
        assert_eq!(Reciprocal::unsigned(7), None);
    }
}
