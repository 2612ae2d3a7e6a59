//! The numbers of tests that make their inputs: they look random and are the same on every machine.

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014). Its state is the seed, so that a test can name what it failed with.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `[0, n)`; 0 where `n` is not above 0.
    pub fn below<N>(&mut self, n: N) -> N
    where
        u64: TryFrom<N>,
        N: TryFrom<u64> + Default,
    {
        let n = u64::try_from(n).unwrap_or(0).max(1);
        N::try_from(self.bits() % n).unwrap_or_default()
    }

    /// A number of `[low, high]`; `low` where there is none.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100_usize) < percent
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items, of which there must be one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// The items in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn it_gives_the_published_numbers() {
        // The outputs of splitmix64.c for the seed 1234567.
        let mut random = Random(1_234_567);
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ] {
            assert_eq!(random.bits(), expected);
        }
    }
}
