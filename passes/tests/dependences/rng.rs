//! Deterministic random choices (Steele, Lea, Flood: SplitMix, 2014).

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of [low, high].
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let n = (high - low + 1).max(1) as u64;
        low + (self.next() % n) as i64
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: i64) -> bool {
        self.between(0, 99) < percent
    }
}
