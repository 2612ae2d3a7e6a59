//! Deterministic random choices.

use terrace::runtime::random::draw;

/// The stream of one seed.
pub struct Rng {
    seed: u64,
    next: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng { seed, next: 0 }
    }

    /// A number of [0, n).
    pub fn below(&mut self, n: usize) -> usize {
        self.next += 1;
        ((u128::from(draw(self.seed, self.next)) * n as u128) >> 64) as usize
    }

    /// A number of [low, high].
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
